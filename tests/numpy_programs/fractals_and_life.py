# Mandelbrot, Julia and Newton fractals, and the game of life.
import numpy as np

x = np.linspace(-2, 0.5, 26)
y = np.linspace(-1.25, 1.25, 21)
c = x[np.newaxis, :] + 1j * y[:, np.newaxis]
z = np.zeros_like(c)
escape = np.full(c.shape, 12, dtype=int)
with np.errstate(over="ignore", invalid="ignore"):
    for step in range(12):
        z = z * z + c
        left = np.abs(z) > 2
        escape[left & (escape == 12)] = step
        z[left] = 2
inside = escape == 12
area = inside.sum() * (x[1] - x[0]) * (y[1] - y[0])
print(f"area about {area:.3f}")
for line in inside[::4]:
    print("".join(np.where(line, "#", ".")))
symmetric = np.array_equal(inside, inside[::-1])


def julia(grid, constant, steps, radius=2.0):
    grid = grid.copy()
    count = np.zeros(grid.shape, dtype=np.int64)
    alive = np.ones(grid.shape, dtype=bool)
    for _ in range(steps):
        grid[alive] = grid[alive] ** 2 + constant
        alive[np.abs(grid) > radius] = False
        count[alive] += 1
    return count


ys, xs = np.mgrid[-1.5:1.5:16j, -1.5:1.5:18j]
plane = xs + ys * 1j
douady = julia(plane, -0.123 + 0.745j, 8)
seahorse = julia(plane, complex(-0.75, 0.1), 6)
shades = np.unique(douady)
share = np.bincount(douady.ravel()) / douady.size
normal = (douady - douady.min()) / np.ptp(douady)
p = np.polynomial.Polynomial([-1, 0, 0, 1])
derivative = p.deriv()
points = np.array([1 + 1j, -1 + 0.5j, -0.5 - 1j, 2 + 0j])
for _ in range(20):
    points -= p(points) / derivative(points)
roots = np.exp(2j * np.pi * np.arange(3) / 3)
basin = np.abs(points[:, None] - roots).argmin(axis=1)
magnitudes = np.abs(points)
phases = np.round(np.angle(points, deg=True), 6)
parts = (points.real.round(6), points.imag.round(6), np.conj(points).round(6))
board = np.zeros((8, 8), dtype=np.uint8)
board[1, 2] = 1
board[2, 3] = 1
board[3, 1:4] = 1
start = board.copy()


def neighbours(cells):
    shifts = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
    return sum(np.roll(cells, shift, axis=(0, 1)) for shift in shifts)


around = neighbours(board)
birth = (around == 3) & (board == 0)
survive = (board == 1) & ((around == 2) | (around == 3))
board[...] = 0
board[birth | survive] = 1
print(board)
for _ in range(3):
    n = neighbours(board)
    board = ((n == 3) | (board.astype(bool) & (n == 2))).astype(np.uint8)
glided = np.array_equal(board, np.roll(start, (1, 1), (0, 1)))
living = np.argwhere(board)
population = int(board.sum())
ring = np.pad(board, pad_width=1, mode="wrap")
by_slices = ring[:-2, 1:-1] + ring[2:, 1:-1] + ring[1:-1, :-2] + ring[1:-1, 2:]
rule = np.array([int(bit) for bit in np.binary_repr(30, 8)][::-1], dtype=np.int8)
line = np.zeros(15, dtype=np.int8)
line[7] = 1
history = [line]
for _ in range(6):
    index = 4 * np.roll(history[-1], 1) + 2 * history[-1] + np.roll(history[-1], -1)
    history.append(rule[index])
automaton = np.array(history)
print("\n".join("".join(" *"[cell] for cell in cells) for cells in automaton))
carpet = np.ones((1, 1), dtype=bool)
for _ in range(3):
    carpet = np.kron(carpet, [[1, 1, 1], [1, 0, 1], [1, 1, 1]]).astype(bool)
dimension = np.log(8) / np.log(3)
holes = np.logical_not(carpet).sum()
density = [carpet[: 3**i, : 3**i].mean().round(4) for i in range(4)]
