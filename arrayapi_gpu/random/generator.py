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
    """Random samples of many distributions: NumPy's methods and arguments, and ``dtype`` and ``device`` besides.

    Samples are lazy arrays: expressions of their places in the stream, which fuse with what is computed of them, and
    have the same bits on every device (of discrete distributions, every one with float64). Each method takes a fixed
    number of words a sample, so 10 samples and then 20 are the same as 30. `philox.STREAM_VERSION` is the version of
    what a seed gives. Threads may share a generator.

    ``bit_generator``: a `Philox`; ``device``: where samples are made if a call does not say, by default the default
    device of that time.

    >>> rng = xp.random.default_rng(1)
    >>> xp.mean(xp.sqrt(1 - rng.random(1_000_000) ** 2)) * 4  # about pi, without storing samples
    """

    def __init__(self, bit_generator: Philox, device: DeviceLike = None):
        if not isinstance(bit_generator, Philox):
            raise TypeError(
                f"Generator: got {type(bit_generator)}; allowed: arrayapi_gpu.random.Philox, whose `state` takes that "
                "of NumPy's Philox, too; default_rng makes a generator of any seed"
            )
        self._bits = bit_generator
        self._device = None if device is None else get_device(device)

    @property
    def bit_generator(self) -> Philox:
        """The stream and the place in it."""
        return self._bits

    def spawn(self, n_children: int) -> list[Generator]:
        """Generators of independent streams, on the same device. TypeError where the stream has no seed."""
        return [Generator(child, self._device) for child in self._bits.spawn(n_children)]

    def bytes(self, length: int) -> bytes:
        """Random bytes on the host, NumPy's: of half words, lowest byte first. ValueError for a negative length."""
        if length < 0:
            raise ValueError(f"bytes: length is {length}; allowed: 0 or more")
        count = (length - 1) // 4 + 1
        values = np.asarray(half_words(self._bits, (count,), get_device(self._device)))
        return values.astype("<u4").tobytes()[:length]

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: devices are known by their names."""
        return {"_bits": self._bits, "_device": None if self._device is None else str(self._device)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        name = state["_device"]
        vars(self).update(state, _device=None if name is None else get_device(name))

    def __repr__(self) -> str:
        return f"Generator(Philox) on {get_device(self._device)}"


def default_rng(seed: Any = None, device: DeviceLike = None) -> Generator:
    """A generator of what functions take as ``rng=`` (SPEC 7): a generator as it is, or a new one of a seed.

    ``seed``: None (the system's entropy), an integer, a sequence of integers, a NumPy SeedSequence, a `Philox`, or one
    of NumPy's generators, from which a key is drawn. ``device``: where samples are made if a call does not say.
    TypeError for a generator of ours with another ``device``.

    >>> default_rng(1).random(2)  # the numbers of numpy.random.Generator(numpy.random.Philox(1))
    """
    if isinstance(seed, Generator):
        if device is not None and get_device(seed._device) is not get_device(device):
            raise TypeError(f"default_rng: got a generator and device={device!r}; allowed: a seed, or no device")
        return seed
    if isinstance(seed, np.random.Generator):
        seed = seed.bit_generator
    if isinstance(seed, np.random.BitGenerator):
        seed = np.random.Generator(seed).integers(0, 2**64, 2, dtype=np.uint64).tolist()
    return Generator(seed if isinstance(seed, Philox) else Philox(seed), device)
