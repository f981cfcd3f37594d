"""The class of `GpuArray.flags`: NumPy's flags of an array, read-only."""

from __future__ import annotations

from typing import Any

C_CONTIGUOUS, F_CONTIGUOUS, OWNDATA, ALIGNED, WRITEABLE = 0x001, 0x002, 0x004, 0x100, 0x400
BEHAVED = ALIGNED | WRITEABLE

# The letters and words that are keys of flags.
_KEYS = {
    "C": "c_contiguous", "F": "f_contiguous", "W": "writeable", "B": "behaved", "O": "owndata", "A": "aligned",
    "U": "updateifcopy", "CA": "carray", "FA": "farray", "FNC": "fnc", "FORC": "forc", "CARRAY": "carray",
    "FARRAY": "farray", "FORTRAN": "fortran", "BEHAVED": "behaved", "OWNDATA": "owndata", "ALIGNED": "aligned",
    "WRITEABLE": "writeable", "CONTIGUOUS": "contiguous", "UPDATEIFCOPY": "updateifcopy",
    "C_CONTIGUOUS": "c_contiguous", "F_CONTIGUOUS": "f_contiguous",
}  # fmt: skip


class flags:
    """The flags of an array, by key (``flags["C_CONTIGUOUS"]``, ``flags["C"]``) and by name (``flags.c_contiguous``).

    OWNDATA is always True, because memory lives as long as it is used; UPDATEIFCOPY is always False. KeyError for an
    unknown key. Source: pygpu, ``gpuarray.flags``.
    """

    def __init__(self, fl: int):
        self.num = fl

    def __reduce__(self) -> tuple[Any, ...]:
        return flags, (self.num,)

    def __getitem__(self, key: str | bytes) -> bool:
        word = key.decode("utf-8", "replace") if isinstance(key, bytes) else key
        if not isinstance(word, str) or word not in _KEYS:
            raise KeyError(f"Unknown flag {key!r}; allowed: {', '.join(_KEYS)}")
        value: bool = getattr(self, _KEYS[word])
        return value

    def __eq__(self, other: object) -> bool:
        return self.num == other.num if isinstance(other, flags) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.num)

    def __repr__(self) -> str:
        names = "c_contiguous", "f_contiguous", "owndata", "writeable", "aligned", "updateifcopy"
        return "\n".join(f" {name.upper()} : {getattr(self, name)}" for name in names)

    @property
    def c_contiguous(self) -> bool:
        """Whether the array is C-contiguous."""
        return bool(self.num & C_CONTIGUOUS)

    contiguous = c_contiguous

    @property
    def f_contiguous(self) -> bool:
        """Whether the array is Fortran-contiguous."""
        return bool(self.num & F_CONTIGUOUS)

    fortran = f_contiguous

    @property
    def updateifcopy(self) -> bool:
        """Always False."""
        return False

    @property
    def owndata(self) -> bool:
        """Always True."""
        return True

    @property
    def aligned(self) -> bool:
        """Whether elements are aligned to their size."""
        return bool(self.num & ALIGNED)

    @property
    def writeable(self) -> bool:
        """Whether the array is writeable."""
        return bool(self.num & WRITEABLE)

    @property
    def behaved(self) -> bool:
        """Whether the array is aligned and writeable."""
        return self.num & BEHAVED == BEHAVED

    @property
    def carray(self) -> bool:
        """Whether the array is behaved and C-contiguous."""
        return self.behaved and self.c_contiguous

    @property
    def forc(self) -> bool:
        """Whether the array is C- or Fortran-contiguous."""
        return self.f_contiguous or self.c_contiguous

    @property
    def fnc(self) -> bool:
        """Whether the array is Fortran-contiguous and not C-contiguous."""
        return self.f_contiguous and not self.c_contiguous

    @property
    def farray(self) -> bool:
        """Whether the array is behaved, Fortran-contiguous and not C-contiguous."""
        return self.behaved and self.fnc
