# Signals and their spectra, random walks with old and new generators, dice, a simulation by formulas.
# Compared by dtype and shape only: rng, state, walks, coins, dice, gauss, old_walk, pair, hands, arrivals, heights
import numpy as np

rate = 128
t = np.arange(0, 2, 1 / rate)
signal = 1.5 * np.sin(2 * np.pi * 5 * t + 0.3) + 0.5 * np.cos(2 * np.pi * 20 * t) + 0.25
spectrum = np.fft.rfft(signal)
frequencies = np.fft.rfftfreq(t.size, d=1 / rate)
amplitudes = 2 * np.abs(spectrum) / t.size
peaks = frequencies[amplitudes > 0.3]
print("frequencies:", peaks)
spectrum[frequencies > 10] = 0
smooth = np.fft.irfft(spectrum, n=t.size)
power = np.sum(np.abs(np.fft.fft(signal)) ** 2) / t.size
parseval = np.isclose(power, (signal**2).sum())
shifted = np.fft.fftshift(np.fft.fftfreq(8, 0.1))
window = np.hanning(t.size)
leakage = np.abs(np.fft.fft(signal * window)[:40])
running = np.convolve(signal, [0.25, 0.5, 0.25], "same")
crossings = np.where(np.diff(np.sign(smooth - smooth.mean())) != 0)[0]
envelope = np.maximum.accumulate(np.abs(signal))
resampled = np.interp(np.linspace(0, 1.9, 20), t, signal)
integral = np.cumsum(signal) / rate
slopes = np.gradient(smooth, 1 / rate)
lag = np.correlate(signal[:64], signal[:64], mode="full").argmax()
noisy = signal.copy()
noisy[::50] += 10
median, spread = np.median(noisy), np.subtract(*np.percentile(noisy, [75, 25]))
noisy[np.abs(noisy - median) > 3 * spread] = median
counts, edges = np.histogram(noisy, bins=6)
print(counts, edges.round(2))
density = np.histogram(noisy, bins=10, density=True)[0] * np.diff(edges).sum() / 10
hist2d, x_edges, y_edges = np.histogram2d(signal, smooth, bins=(3, 4))
lower, upper = np.quantile(signal, [0.1, 0.9])
frames = signal.reshape(8, -1)
energy = np.einsum("ij,ij->i", frames, frames)
loud = np.ptp(frames[energy.argsort()[-2:]], axis=1)
rng = np.random.default_rng(seed=0)
walks = rng.choice([-1, 1], size=(500, 100)).cumsum(axis=1)
parity = np.unique(walks[:, 1::2] % 2)
spread_is_near = bool(abs(walks[:, -1].std() - 10) < 2)
coins = rng.integers(0, 2, size=1000)
is_fair = 0.4 < coins.mean() < 0.6
heights = rng.standard_normal((3, 4), dtype=np.float32)
np.random.seed(7)
dice = np.random.randint(1, 7, size=(6000,))
faces = np.unique(dice)
state = np.random.RandomState(0)
gauss = state.randn(2000)
near_normal = [bool(abs(gauss.mean()) < 0.1), bool(abs(gauss.std() - 1) < 0.1)]
old_walk = np.cumsum(state.normal(size=50))
pair = np.random.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], size=2000)
related = np.corrcoef(pair, rowvar=False)[0, 1].round(1)
hands = np.arange(10)
np.random.shuffle(hands)
sorted_hands = np.sort(hands)
arrivals = rng.poisson(3.0, 400)
arrival_mean = np.rint(arrivals.mean())
pi_points = (np.arange(400) + 0.5)[:, None] * [1 / 400, (np.sqrt(5) - 1) / 2] % 1
pi_estimate = 4 * np.mean(np.hypot(pi_points[:, 0], pi_points[:, 1]) < 1)
print(f"pi is about {pi_estimate:.2f}")
transition = np.array([[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.0, 0.3, 0.7]])
weather = np.array([1.0, 0, 0])
for _ in range(200):
    weather = weather @ transition
position, velocity = np.zeros(2), np.array([1.0, 2.0])
track = np.empty((50, 2))
for i in range(50):
    velocity -= 0.05 * position
    position += 0.1 * velocity
    track[i] = position
farthest = np.linalg.norm(track, axis=1).max()
turning = np.flatnonzero((track[1:-1, 0] > track[:-2, 0]) & (track[1:-1, 0] > track[2:, 0])) + 1
heat = np.zeros((9, 9))
heat[0] = 100
for _ in range(50):
    heat[1:-1, 1:-1] = (heat[:-2, 1:-1] + heat[2:, 1:-1] + heat[1:-1, :-2] + heat[1:-1, 2:]) / 4
print(heat[::2, 4].round(3))
bisected = np.searchsorted(np.cumsum([0.2, 0.5, 0.3]), [0.1, 0.2, 0.65, 0.99], side="right")
