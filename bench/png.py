"""Write PNG pictures with the standard library alone."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def to_bytes(picture: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Map brightness 0..1 to 0..255; what lies outside is clipped."""
    return np.rint(np.clip(picture, 0, 1) * 255).astype(np.uint8)


def write_png(path: Path, pixels: NDArray[np.uint8]) -> None:
    """Write pixels of shape (height, width) as grey or (height, width, 3) as RGB, 8 bits each.

    Chunks as in the PNG specification: header, the zlib stream of rows (each led by its filter's
    number, 0 for none), end.
    """
    height, width = pixels.shape[:2]
    colour = {2: 0, 3: 2}[pixels.ndim]
    rows = pixels.reshape(height, -1)
    data = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(data)) + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    """Return one chunk: length, kind, data, checksum of kind and data."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
