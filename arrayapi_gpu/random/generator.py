"""The generator: NumPy's ``Generator`` on devices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..api.standard.creation_functions import DeviceLike
from ..backends import get_device
from .arrangements import Arrangements
from .philox import Philox
from .streams import half_words


class Generator(Arrangements):
    """A generator of random samples of many distributions, with NumPy's methods and arguments, and with ``dtype`` and
    ``device``.

    Samples are lazy arrays: expressions of their positions in the stream. They fuse with operations on them, and have
    the same bits on every device (samples of discrete distributions, on every device with float64). Each method takes a
    fixed number of words for each sample, so 10 samples and then 20 are the same as 30. `philox.STREAM_VERSION` changes
    if a seed gives other samples. Threads may share a generator.

    ``bit_generator``: a `Philox`; ``device``: the device of samples if a call does not name one, by default the default
    device at the time of the call. TypeError for another bit generator.

    >>> rng = xp.random.default_rng(1)
    >>> xp.mean(xp.sqrt(1 - rng.random(1_000_000) ** 2)) * 4  # about pi, without storing samples
    """

    def __init__(self, bit_generator: Philox, device: DeviceLike = None):
        if not isinstance(bit_generator, Philox):
            raise TypeError(
                f"Generator: got {type(bit_generator)}; allowed: arrayapi_gpu.random.Philox, whose `state` also "
                "accepts the state of NumPy's Philox; use default_rng for any seed"
            )
        self._bits = bit_generator
        self._device = None if device is None else get_device(device)

    @property
    def bit_generator(self) -> Philox:
        """The `Philox` of this generator: the stream and the position in it."""
        return self._bits

    def spawn(self, n_children: int) -> list[Generator]:
        """A list of ``n_children`` generators with independent streams, on the same device. TypeError if the stream was
        not made from a seed."""
        return [Generator(child, self._device) for child in self._bits.spawn(n_children)]

    def bytes(self, length: int) -> bytes:
        """``length`` random bytes on the host, the same as NumPy's: half words, lowest byte first. ValueError for a
        negative length."""
        if length < 0:
            raise ValueError(f"bytes: length is {length}; allowed: 0 or more")
        count = (length - 1) // 4 + 1
        values = np.asarray(half_words(self._bits, (count,), get_device(self._device)))
        return values.astype("<u4").tobytes()[:length]

    def __getstate__(self) -> dict[str, Any]:
        """The state for pickle, with the device's name in place of the device."""
        return {"_bits": self._bits, "_device": None if self._device is None else str(self._device)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        name = state["_device"]
        vars(self).update(state, _device=None if name is None else get_device(name))

    def __repr__(self) -> str:
        return f"Generator(Philox) on {get_device(self._device)}"


def default_rng(seed: Any = None, device: DeviceLike = None) -> Generator:
    """A `Generator` for the argument ``rng=`` of a function (SPEC 7): a new one from a seed, or the given generator
    itself.

    ``seed``: None (the system's entropy), an integer, a sequence of integers, a NumPy SeedSequence, a `Philox`, a
    `Generator`, or a NumPy generator, from which a key is drawn. ``device``: the device of samples if a call does not
    name one. TypeError for a `Generator` together with another ``device``.

    >>> default_rng(1).random(2)  # the numbers of numpy.random.Generator(numpy.random.Philox(1))
    """
    if isinstance(seed, Generator):
        if device is not None and get_device(seed._device) is not get_device(device):
            raise TypeError(f"default_rng: got a generator and device={device!r}; allowed: one of them; drop device=")
        return seed
    if isinstance(seed, np.random.Generator):
        seed = seed.bit_generator
    if isinstance(seed, np.random.BitGenerator):
        seed = np.random.Generator(seed).integers(0, 2**64, 2, dtype=np.uint64).tolist()
    return Generator(seed if isinstance(seed, Philox) else Philox(seed), device)
