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
    """A generator of random samples of many distributions, on devices.

    It has the methods and arguments of NumPy's ``Generator``, and ``dtype`` and ``device``. Samples are lazy arrays,
    which fuse with operations on them. They have the same bits on every device; those of discrete distributions on
    every device with float64. To draw 10 samples and then 20 gives the same numbers as to draw 30. Threads may share a
    generator.

    Parameters
    ----------
    bit_generator : Philox
        The stream of random bits.
    device : Device or str, optional
        The device of samples if a call does not name one; by default the default device at the time of the call.

    Raises
    ------
    TypeError
        For another bit generator.

    See Also
    --------
    default_rng : Make a generator from a seed.

    References
    ----------
    NumPy, ``random.Generator``.

    Examples
    --------
    >>> rng = xp.random.default_rng(1)
    >>> pi = 4 * xp.mean(xp.sqrt(1 - rng.random(1_000_000) ** 2))  # stores no samples
    >>> round(float(pi), 2)
    3.14
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
        """The `Philox` of this generator: the stream, and the position in it.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> state = rng.bit_generator.state
        >>> x = rng.random(2)
        >>> rng.bit_generator.state = state
        >>> xp.all(x == rng.random(2)).item()
        True
        """
        return self._bits

    def spawn(self, n_children: int) -> list[Generator]:
        """Make generators with independent streams, on the same device.

        Parameters
        ----------
        n_children : int
            The number of generators.

        Returns
        -------
        list of Generator
            The generators.

        Raises
        ------
        TypeError
            If this generator was not made from a seed.

        References
        ----------
        NumPy, ``random.Generator.spawn``.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> [child.integers(100).item() for child in rng.spawn(3)]
        [21, 18, 12]
        """
        return [Generator(child, self._device) for child in self._bits.spawn(n_children)]

    def bytes(self, length: int) -> bytes:
        """Draw random bytes on the host.

        They equal those of ``numpy.random.Generator(numpy.random.Philox(seed))``.

        Parameters
        ----------
        length : int
            The number of bytes.

        Returns
        -------
        bytes
            The bytes.

        Raises
        ------
        ValueError
            For a negative length.

        References
        ----------
        NumPy, ``random.Generator.bytes``.

        Examples
        --------
        >>> xp.random.default_rng(1).bytes(4).hex()
        '3acec06b'
        """
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
    """Make a generator of random samples from a seed.

    Functions can call it with their argument ``rng``, because it returns a given generator unchanged.

    Parameters
    ----------
    seed : int, sequence of int, SeedSequence, Philox, Generator or numpy.random.Generator, optional
        The seed; by default the system's entropy. From a generator of NumPy a key is drawn.
    device : Device or str, optional
        The device of samples if a call does not name one; by default the default device at the time of the call.

    Returns
    -------
    Generator
        A new generator, or ``seed`` itself if it is one.

    Raises
    ------
    TypeError
        For a `Generator` together with another ``device``.

    References
    ----------
    NumPy, ``random.default_rng``; Scientific Python, SPEC 7.

    Examples
    --------
    >>> print(xp.random.default_rng(1).random(2))
    [0.06680201 0.07901298]
    >>> import numpy
    >>> numpy.random.Generator(numpy.random.Philox(1)).random(2)
    array([0.06680201, 0.07901298])
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
