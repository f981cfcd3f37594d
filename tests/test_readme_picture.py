"""The picture of README is the array of its ten lines."""

from __future__ import annotations

import re
import subprocess
import sys
import zlib
from pathlib import Path

from support.processes import with_modules

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PICTURE = "docs/waves.png"
DRAWN = """
import bench.png, pathlib, sys
bench.png.write_png(pathlib.Path(sys.argv[1]), bench.png.to_bytes(np.asarray((waves + 1) / 2)))
"""


def rows(picture: bytes) -> bytes:
    """The rows of a picture that `bench.png` wrote. Versions of zlib pack them in different ways."""
    start = picture.index(b"IDAT")
    length = int.from_bytes(picture[start - 4 : start], "big")
    return zlib.decompress(picture[start + 4 : start + 4 + length])


def test_the_picture_is_the_array_of_the_ten_lines(tmp_path: Path) -> None:
    """The bits are the same on every device, and so are the pixels."""
    (program,) = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    made = tmp_path / "waves.png"
    command = [sys.executable, "-c", program + DRAWN, str(made)]
    subprocess.run(command, check=True, capture_output=True, env=with_modules(ROOT))
    assert f"]({PICTURE})" in README
    assert rows(made.read_bytes()) == rows((ROOT / PICTURE).read_bytes())


def test_the_picture_is_small() -> None:
    assert (ROOT / PICTURE).stat().st_size <= 200_000
