# Broadcasting, axes, methods of ufuncs, einsum, functions along an axis.
import numpy as np

scale = np.array([1.0, 2.0, 3.0]) * 2
tens = np.array([0.0, 10.0, 20.0, 30.0])
sums = tens[:, np.newaxis] + np.array([1.0, 2.0, 3.0])
outer_sum = np.add.outer(tens, [1, 2, 3])
agree = np.array_equal(sums, outer_sum)
common = np.broadcast_shapes((8, 1, 6, 1), (7, 1, 5))
wide = np.broadcast_to(np.arange(3), (4, 3))
try:
    failed = np.ones(3) + np.ones(4)
except ValueError:
    failed = None
image = np.arange(4 * 5 * 3, dtype=np.float64).reshape(4, 5, 3)
dimmed = image * [0.5, 1.0, 2.0]
observation = np.array([111.0, 188.0])
codes = np.array([[102.0, 203.0], [132.0, 193.0], [45.0, 155.0], [57.0, 173.0]])
distances = np.sqrt(np.sum((codes - observation) ** 2, axis=-1))
nearest = int(np.argmin(distances))
print("nearest code:", codes[nearest], "at", round(float(distances[nearest]), 2))
differences = codes[:, None, :] - codes[None, :, :]
matrix = np.linalg.norm(differences, axis=2)
np.fill_diagonal(matrix, np.inf)
neighbours = matrix.argmin(axis=1)
centred = image - image.mean(axis=(0, 1), keepdims=True)
swapped = np.swapaxes(image, 0, 2)
moved = np.moveaxis(image, -1, 0)
transposed = image.transpose(1, 0, 2)
squeezed = np.squeeze(image[:1])
cumulative = np.cumsum(image, 1)
product = np.multiply.reduce([[1, 2, 3], [4, 5, 6]], axis=1)
running_maximum = np.maximum.accumulate([3, 1, 4, 1, 5, 9, 2, 6])
counts = np.zeros(5, dtype=int)
np.add.at(counts, [0, 1, 1, 3, 3, 3], 1)
sections = np.add.reduceat(np.arange(8), [0, 4, 1, 5])
times_table = np.multiply.outer(np.arange(1, 10), np.arange(1, 10))
print(times_table[-3:, -3:])
target = np.empty(4)
np.multiply(tens, 0.1, out=target)
np.sqrt(target, out=target, where=target > 0)
clipped = np.clip(target, 0.5, 1.5)
inverse = np.divide(1, tens, out=np.zeros_like(tens), where=tens != 0)
left = np.arange(12).reshape(3, 4)
right = np.arange(20).reshape(4, 5)
contracted = np.einsum("ij,jk->ik", left, right)
trace = np.einsum("ii", right[:, :4])
row_sums = np.einsum("ij->i", left)
same_product = np.tensordot(left, right, axes=1)
full = np.tensordot(left, left, axes=([0, 1], [0, 1]))
inner = np.inner(left, left)
kron = np.kron([1, 10], [[1, 2], [3, 4]])
spread = np.apply_along_axis(lambda line: line.max() - line.min(), 1, left)
span = np.ptp(left, axis=0)


@np.vectorize
def middle(first, second):
    return first if first > second else second - first


between = middle([1, 5, 3], 3)
tiled = np.tile([[1, 2]], (2, 2))
repeated = np.repeat([1, 2, 3], [3, 0, 2])
rolled = np.roll(left, (1, -1), axis=(0, 1))
blocks = np.block([[np.eye(2), np.zeros((2, 1))], [np.ones((1, 3))]])
r = np.r_[1:4, 0, [7, 8]]
c = np.c_[[1, 2, 3], [4, 5, 6]]
along = np.take_along_axis(left, np.argsort(-left, axis=1), axis=1)
chosen = np.choose([0, 1, 0, 1], [tens, -tens])
selected = np.select([left < 3, left > 8], [left, left * 10], default=-1)
pieces = np.piecewise(tens, [tens < 15, tens >= 15], [-1, lambda v: v / 10])
for position, value in np.ndenumerate(left[:, :1]):
    counts[position[0]] += value
all_even = np.all(left % 2 == 0, axis=0)
quotient, remainder = np.divmod(left, 5)
