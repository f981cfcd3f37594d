"""
A spectrogram
=============

Which tones are in a sound, and when? The sound is cut into overlapping windows, and each of them is transformed.
"""

import matplotlib.pyplot as plt

import arrayapi_gpu as xp

RATE = 8000  # samples a second


def windows(sound, size=512, step=64):
    """Return overlapping windows of the sound, which fade in and out (Hann)."""
    fade = 0.5 - 0.5 * xp.cos(2 * xp.pi / size * xp.arange(size, dtype=sound.dtype))
    return xp.lib.stride_tricks.sliding_window_view(sound, size)[::step] * fade


def spectrogram(sound):
    """Return the power in decibels, of shape (frequencies, windows)."""
    tones = xp.fft.rfft(windows(sound), axis=1)
    return 10 * xp.log10(xp.real(tones) ** 2 + xp.imag(tones) ** 2 + 1e-6).T


# %%
# Three seconds: a tone that rises, one that trembles, clicks, and a little noise.

t = xp.arange(3 * RATE, dtype=xp.float32) / RATE
rising = xp.sin(2 * xp.pi * (300 * t + 400 * t * t))
trembling = 0.6 * xp.sin(2 * xp.pi * 2200 * t + 25 * xp.sin(2 * xp.pi * 3 * t))
clicks = 3.0 * (t % 0.5 < 0.001)
noise = 0.05 * xp.random.default_rng(0).standard_normal(t.shape, dtype=xp.float32)
sound = rising + trembling + clicks + noise

power = spectrogram(sound)

plt.figure(figsize=(7, 4.2))
plt.imshow(power, origin="lower", aspect="auto", extent=(0, 3, 0, RATE / 2), cmap="magma", vmin=5)
plt.xlabel("time in seconds")
plt.ylabel("frequency in hertz")
plt.colorbar(label="power in decibels")
plt.tight_layout()
plt.show()

# %%
# The windows are a view of the sound. One launch multiplies them, and a library's routine transforms the result.

print(xp.explain(windows(sound)))

# %%
print(xp.benchmark(spectrogram, sound))
