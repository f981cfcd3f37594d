# A picture of bones made by formulas: montage, filters by slices, edges, masks, thresholds.
import numpy as np

height, width = 48, 40
yy, xx = np.indices((height, width))
body = np.exp(-(((yy - 24) / 18.0) ** 2) - ((xx - 20) / 14.0) ** 2)
ribs = 0.4 * (np.sin(yy / 2.5) > 0.5) * (np.abs(xx - 20) < 12)
xray = np.round(255 * np.minimum(body + ribs, 1)).astype(np.uint8)
print(xray.shape, xray.dtype, xray.min(), xray.max())
bright = xray.astype(np.int32) + 40
saturated = np.clip(bright, 0, 255).astype(np.uint8)
wrapped = xray + np.uint8(40)
negative = 255 - xray
mirrored = xray[:, ::-1]
upright = np.rot90(xray, 3)
series = np.stack([xray, negative, mirrored])
montage = np.concatenate(list(series), axis=1)
print("montage", montage.shape)
f = xray.astype(np.float32) / 255
padded = np.pad(f, 1, mode="edge")
mean_filter = np.zeros_like(f)
for dy in range(3):
    for dx in range(3):
        mean_filter += padded[dy : dy + height, dx : dx + width]
mean_filter /= 9
laplace = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:] - 4 * f
sharpened = np.clip(f - 0.5 * laplace, 0, 1)
gx = padded[1:-1, 2:] - padded[1:-1, :-2]
gy = padded[2:, 1:-1] - padded[:-2, 1:-1]
edges = np.hypot(gx, gy)
orientation = np.rad2deg(np.arctan2(gy, gx))
grad_y, grad_x = np.gradient(f)
magnitude = np.sqrt(grad_x**2 + grad_y**2)
kernel = np.array([1, 4, 6, 4, 1]) / 16
blurred = np.apply_along_axis(np.convolve, 0, f, kernel, mode="same")
windows = np.lib.stride_tricks.sliding_window_view(f, (3, 3))
median = np.median(windows, axis=(-2, -1))
local_maximum = windows.max(axis=(2, 3))
bones = np.where(xray > 150, xray, 0)
soft = np.where((xray > 50) & (xray <= 150), 1, 0).astype(bool)
fraction = soft.mean()
outside = ~(soft | (bones > 0))
print(f"soft tissue: {100 * fraction:.1f} %, outside: {np.count_nonzero(outside)} pixels")
histogram, bin_edges = np.histogram(xray, bins=8, range=(0, 256))
counts = np.bincount(xray.ravel(), minlength=256)
cdf = counts.cumsum() / counts.sum()
equalised = (cdf * 255).astype(np.uint8)[xray]
threshold = np.percentile(xray, 75)
levels = np.digitize(xray, [64, 128, 192])
profile = xray[height // 2].astype(int)
steepest = np.argmax(np.abs(np.diff(profile)))
inside = np.argwhere(bones > 0)
box_low, box_high = inside.min(axis=0), inside.max(axis=0) + 1
cropped = xray[box_low[0] : box_high[0], box_low[1] : box_high[1]]
quarter = f.reshape(height // 2, 2, width // 2, 2).mean(axis=(1, 3))
doubled = quarter.repeat(2, axis=0).repeat(2, axis=1)
loss = float(np.mean((f - doubled) ** 2))
weights = f / f.sum()
centre = (np.sum(weights * yy), np.sum(weights * xx))
print("centre of mass: (%.2f, %.2f)" % centre)
lut = np.interp(np.arange(256), [0, 128, 255], [0, 200, 255])
toned = lut[xray].round().astype("uint8")
disk = (yy - 24) ** 2 + (xx - 20) ** 2 < 15**2
toned[~disk] = 0
masked_mean = xray[disk].mean()
spectrum = np.fft.fftshift(np.abs(np.fft.fft2(f)))
peak = np.unravel_index(spectrum.argmax(), spectrum.shape)
