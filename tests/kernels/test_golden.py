"""Generated kernels, as text that is reviewed like any other code.

``pytest tests/kernels/test_golden.py --update-golden`` writes them anew; do so in the commit that changes their
generator, and read the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import sample

import arrayapi_gpu as xp
from arrayapi_gpu.backends.recording import RecordingDevice

FOLDER = Path(__file__).with_name("golden")


def kept(x: Any, y: Any) -> tuple[Any, ...]:
    total = x + y
    return total * 2, total


def written(x: Any, y: Any) -> Any:
    view = x[:, ::2]
    view += y[:, ::2]
    return view


def scattered(x: Any, y: Any) -> Any:
    x[np.array([3, 1, 3])] = 0
    return x


def rows_in_common(x: Any, y: Any) -> Any:
    row, column = y[:1, :], y[:, :1]
    for number in range(4):
        x = xp.minimum(x, (row - number) ** 2 * (row + number) + (column - number) ** 2)
    return x


def softmax(x: Any, y: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return e / xp.sum(e, axis=1, keepdims=True)


def random(x: Any, y: Any) -> Any:
    return xp.random.default_rng(1).random((64, 64), dtype=xp.float32, device=x.device) * 2


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "contiguous": lambda x, y: xp.sqrt(x * x + y * y),
    "scalars": lambda x, y: 2 * x + 0.5,
    "cast": lambda x, y: xp.astype(x, xp.int16) + 1,
    "where": lambda x, y: xp.where(x > y, x, 0),
    "rows": lambda x, y: x[:, 1:40] + y[:, 1:40],
    "strided": lambda x, y: x[:, ::2] - y[:, ::-2],
    "transposed": lambda x, y: x + y.T,
    "broadcast": lambda x, y: x * y[0] + y[:, :1],
    "rows_in_common": rows_in_common,
    "packed": lambda x, y: xp.broadcast_to(x[:, :4], (32, 64, 4)) * y[:, :1],
    "index": lambda x, y: xp.tril(x),
    "two_results": kept,
    "in_place": written,
    "gather": lambda x, y: x[np.array([3, 1])] * 2,
    "scatter": scattered,
    "sum": lambda x, y: xp.sum(x * y + 1),
    "sum_rows": lambda x, y: xp.sum(x, axis=1),
    "sum_columns": lambda x, y: xp.sum(x, axis=0),
    "argmax": lambda x, y: xp.argmax(x, axis=1),
    "sum_gpu": lambda x, y: xp.sum(x * y + 1),
    "sum_in_segments_gpu": lambda x, y: xp.sum(xp.broadcast_to(x, (8, 64, 64)), dtype=xp.float64),
    "sum_columns_gpu": lambda x, y: xp.sum(x, axis=0),
    "argmax_of_two_axes_gpu": lambda x, y: xp.argmax(x[:, 1:]),
    "all_of_two_axes": lambda x, y: xp.all(xp.reshape(x, (8, 8, 64))[:, :, ::2] > 0, axis=(1, 2)),
    "softmax": softmax,
    "softmax_gpu": softmax,
    "softmax_of_segments_gpu": lambda x, y: softmax(xp.reshape(xp.tile(x, (10, 1))[:600], (1, 600, 64)) + y[:1], y),
    "softmax_of_short_rows_gpu": lambda x, y: softmax(xp.reshape(xp.reshape(x, (-1,))[:4095], (819, 5)), y),
    "softmax_across": lambda x, y: softmax(xp.reshape(x, (2, 32, 64)), y),
    "contiguous_gpu": lambda x, y: xp.sqrt(x * x + y * y),
    "rows_gpu": lambda x, y: x[:, 1:40] + y[:1, :39],
    "packed_gpu": lambda x, y: xp.repeat(x, 3),
    "strided_gpu": lambda x, y: xp.reshape(x, (-1,))[::2] + 1,
    "transposed_gpu": lambda x, y: x + y.T,
    "rolled": lambda x, y: xp.roll(x, (1, 2), axis=(0, 1)) + y,
    "random": random,
    "random_gpu": random,
    "random_sum_gpu": lambda x, y: xp.sum(random(x, y)),
    "rolled_gpu": lambda x, y: xp.roll(x, (1, 2), axis=(0, 1)) + y,
}


def kernels(program: Callable[[Any, Any], Any], gpu: bool) -> str:
    """What a program compiles, without the device functions, which are text already."""
    device = RecordingDevice(f"recording:{program.__name__}:{id(program)}:{gpu}", host_shared=not gpu)
    x, y = (xp.asarray(sample("float32", (64, 64), seed), device=device) for seed in (1, 2))
    result = program(x, y)
    xp.compute(*(result if isinstance(result, tuple) else (result,)))
    sources = [arguments[0] for verb, arguments in device.calls if verb == "compile"]
    return "\n".join(source[source.index("typedef struct {") :].rstrip() + "\n" for source in sources)


@pytest.mark.parametrize("name", PROGRAMS)
def test_generated_kernels_are_those_that_were_reviewed(name: str, pytestconfig: pytest.Config) -> None:
    path = FOLDER / f"{name}.c"
    text = kernels(PROGRAMS[name], gpu=name.endswith("_gpu"))
    if pytestconfig.getoption("--update-golden"):
        path.write_text(text, encoding="utf-8")
    assert text, "the program compiled nothing"
    assert text == path.read_text(encoding="utf-8"), f"{path.name} differs: see the top of {Path(__file__).name}"


def test_every_golden_kernel_has_its_program() -> None:
    assert {path.stem for path in FOLDER.glob("*.c")} == set(PROGRAMS)
