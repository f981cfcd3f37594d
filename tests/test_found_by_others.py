"""What strangers found wrong at 3683593, by the number of the finding: A wrong values, B lost writes, B2 valid programs
that raised, C doors of libraries, D errors, F the rest.

`SAME` are programs that give what NumPy gives. Each runs twice: ``m`` is this package, or NumPy, and ``A`` is its
`asarray`; it leaves its results in ``r``. `REFUSED` are programs that must raise, whether NumPy does or not. Tables
with all that a rule covers stand beside the functions; here is what was reported. The rest of the findings is
elsewhere: A13 in test_user_kernel_bodies.py, B3 in test_foreign_writes.py, B7 in test_scopes.py, B8 and B2.5 in
test_sources.py, xarray and dask in consumers/.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

pytestmark = pytest.mark.filterwarnings("ignore")
ROOT = Path(__file__).parents[1]

COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
BIG = "x, y = A([[-1], [0], [2**53], [2**63 - 1], [-2**63]]), A([2**53 + 1, 2**63, 2**64 - 1, 0], dtype=m.uint64)"
HARD = "A([-inf, -1, 0, 0.5, 1, 1.5, 2, 3, inf, nan])"

# A program by the finding; of several with a text in common a table, whose "?" stands for each of some words.
SAME: dict[str, str | tuple[str, tuple[str, ...]]] = {
    # A: wrong values
    "A1 both orders": (f"{BIG}; r = [x ? y, y ? x]", ("==", "!=", "<", "<=", ">", ">=")),
    "A1 NumPy's scalars": (
        f"{BIG}; r = [x ? n.uint64(2**63), n.uint64(2**53 + 1) ? x, y ? n.int64(-1), n.int64(2**53) ? y]",
        ("==", "!=", "<", "<=", ">", ">="),
    ),
    "A1 Python's integers": (
        f"{BIG}; r = [x ? 2**63, x ? -(2**70), y ? -1, y ? 2**64, A([0, 5], dtype=m.uint8) ? -1]",
        ("==", "!=", "<", "<=", ">", ">="),
    ),
    "A1 ufuncs": (f"{BIG}; r = [n.?(x, y), n.?(y, x)]", COMPARISONS),
    "A1 isin": "r = m.isin(A([2**53, 5]), A([2**53, 5], dtype=m.uint64))",
    "A2 at a point": "r = m.interp(A([1.0]), A([0.0, 1, 2]), A([0.0, 1.0, nan]))",
    "A2 infinite points": "r = m.interp(A([0.0]), A([-inf, 0, inf]), A([-inf, 0, inf]))",
    **{
        f"A2 {points}": (
            f"r = m.interp({HARD}, A({points}), A([?]))",
            tuple(f"{low}, 1.0, {high}" for low in ("-inf", "0.0", "nan") for high in ("inf", "1.0", "nan")),
        )
        for points in ("[0.0, 1, 2]", "[-inf, 1, inf]", "[0.0, 1, inf]")
    },
    "A3 median": (
        "r = [f(A([[1, inf], [-inf, -inf]], dtype=m.?), axis=1) for f in (n.median, n.nanmedian)]",
        ("float16", "float32", "float64"),
    ),
    "A4 searchsorted": ("r = m.searchsorted(A([1, 2, 3, 4]), ?)", ("2.5", "nan")),
    "A4 searchsorted of uint8": ("r = m.searchsorted(A([1, 7, 250], dtype=m.uint8), ?)", ("300", "-1")),
    "A4 diff": "r = [n.diff(A([1, 2, 4]), prepend=0.5), m.diff(A([1, 2, 4]), append=0.5)]",
    "A5 a column of no rows": "t = A(n.ones((50, 20))); t = t[t[:, 0] > 2]; r = t[:, 15] + 1",
    "A8 get": "r = A(n.arange(24).reshape(2, 3, 4))[:, [0, 1, 2], ..., [0, 1, 2]]",
    "A8 set": "r = m.zeros((3, 3, 3)); r[:, [0, 1, 2], ..., [0, 1, 2]] = A(n.arange(9.0).reshape(3, 3))",
    "A8 add": "r = m.zeros((3, 3, 3)); r[:, [0, 1, 2], ..., [0, 1, 2]] += A(n.arange(9.0).reshape(3, 3))",
    "A8 an integer and a mask": "r = A(n.arange(27).reshape(3, 3, 3))[0, ..., A([True, False, True])]",
    "A9 diff of uint8": "x = A([3, 1], dtype=m.uint8); r = [n.diff(x, prepend=0), m.diff(x, prepend=300)]",
    "A11 ravel": ("r = n.ravel(A(n.arange(6).reshape(2, 3)).T, order='?')", ("K", "A", "C", "F")),
    "A11 reshape": ("r = n.reshape(A(n.arange(6).reshape(2, 3)).T, (6,), order='?')", ("A", "C", "F")),
    "A11 tobytes": ("r = n.frombuffer(A(n.arange(6).reshape(2, 3)).T.tobytes('?'), n.int64)", ("K", "A", "C", "F")),
    "A12 round of integers": "r = [n.round(A([2**53 + 1, 15]), -1), n.round(A([2**53 + 1, 15]), 2)]",
    "A12 histogram of nothing": "r = n.histogram(A(n.zeros(0)), range=(2, 3))[1]",
    "A12 a list": "r = [A([0, 1, 3]) == [0, 1, 2], [1, 2, 3] * A([0, 1, 3]), A([1, 2]) + (3, 4)]",
    "A12 unique": "r = n.unique(A([nan, 1.0, nan]))",
    # B: writes that are lost, values that change
    "B1 a swap": "r = A([1, 2, 3]); r[0], r[1] = r[1], r[0]",
    "B1 an element, then a write": "x = m.arange(5); t = x[3]; u = x[n.int64(2)]; x[:] = 99; r = [int(t), int(u)]",
    "B1 of a pending value": "x = m.arange(5) * 2; t = x[3]; x[3] = 99; r = int(t)",
    "B1 iteration": "x = m.arange(5); t = list(x); x[:] = 0; r = [int(v) for v in t]",
    "B1 x[()]": "x = A(3.0); t = x[()]; x[...] = 5; r = [float(x), float(t)]",
    "B1 a shuffle": "import random; x = m.arange(50); random.seed(1); random.shuffle(x); r = n.sort(n.asarray(x))",
    "B1 a running maximum": """
x = A([3, 1, 2, 5, 4]); t = x[0]
for i in range(5):
    t = max(t, x[i]); x[i] = 0
r = int(t)
""",
    "B1 an insertion sort": """
r = A([3, 1, 2])
for i in range(1, 3):
    v, j = r[i], i
    while j and r[j - 1] > v:
        r[j] = r[j - 1]; j -= 1
    r[j] = v
""",
    "B1 x[3, ...] is a view": "x = m.arange(5); t = x[3, ...]; x[3] = 99; r = int(t)",
    "B2 views": (
        "r = m.zeros((4, 4)); v = n.?; v[...] = 7",
        (
            "split(r, 2)[0]",
            "array_split(r, 3)[1]",
            "hsplit(r, 2)[1]",
            "vsplit(r, 2)[1]",
            "rollaxis(r, 1)[1]",
            "fliplr(r)[:, 1:]",
            "flipud(r)[1:]",
            "rot90(r)[1:]",
            "atleast_3d(r)[1:]",
            "real(r)[1:]",
            "einsum('ij->ji', r)[1:]",
            "einsum('ii->i', r)",
        ),
    ),
    "B2 real and imag": "r = m.zeros(3, dtype=m.complex128); n.real(r)[...] = 1; n.imag(r)[1:] = 2; r.imag[0] = 5",
    "B5 a view of one element": "x = m.ones(1); y = n.broadcast_to(x, (3,)); x[0] = 5; r = y + 0",
    # B2: valid programs that raised
    "B2.3 an empty view": "x = A(n.ones((4, 0, 8)))[::-1, :, ::-1]; r = x[A([0])]",
    "B2.4 1,500 views": """
x = m.arange(100_000)
for _ in range(1500):
    x = x[1:]
r = int(x[0])
""",
    "B2.6 full of a NumPy boolean": "r = m.full((2,), n.bool_(True), dtype=m.uint64)",
    "B2.6 clip": "r = [n.clip(A([-100, 5, 100], dtype=m.int8), -1000, 1000), n.clip(A([0], dtype=m.uint8), -1, None)]",
    # C, D: doors of libraries, errors
    "C format": "r = f'{A(1.5):.2f}' == '1.50'",
    "C DLPack of a reversed array": "r = n.from_dlpack(n.flip(m.arange(5)), device='cpu')",
    "D edges": "r = m.histogram(A([0.1, 0.7]), bins=[0, 0.5, 1])[0]",
    "D weights": "r = n.histogram(A([0.1, 0.7]), bins=2, weights=A([1.0, 2.0]))[0]",
    "D auto": "r = list(n.histogram(A([0.1, 0.7]), bins='auto'))",
    "D pad": "r = m.pad(A([1.0, 2.0]), 1, constant_values=(7, 8))",
    "D nan_to_num": "r = A([nan, 1.0]); n.nan_to_num(r, copy=False)",
    "D median": "r = n.median(A([3.0, 1.0, 2.0]), overwrite_input=True)",
    # F
    "F spaces of float32": ("r = n.?(A(n.float32(0)), A(n.float32(1)), 3)", ("linspace", "logspace")),
    "F conj of booleans": "r = n.conj(A([True, False]))",
    "F asarray of nothing": "r = m.asarray(n.zeros(0), copy=False)",
}

NUMBERS = {
    "float('nan')": ValueError, "inf": OverflowError, "-inf": OverflowError, "1e30": OverflowError,
    "n.float64(nan)": ValueError, "n.float32(inf)": OverflowError, "2**70": OverflowError,
    "n.uint64(2**63)": OverflowError,
}  # fmt: skip
DOORS = (
    "x[0] = ?", "x[:] = ?", "x[x > 1] = ?", "x[[0, 1]] = ?", "x[A([0, 1])] = ?", "x.fill(?)",
    "m.full((2,), ?, dtype=m.int64)", "m.full_like(x, ?)", "m.pad(x, 1, constant_values=?)", "n.full_like(x, ?)",
    "n.put(x, [1], ?)", "n.putmask(x, x > 1, ?)",
)  # fmt: skip

REFUSED: dict[str, tuple[type[Exception], str]] = {
    **{
        f"A7 {door.replace('?', number)}": (error, f"x = A([1, 2, 3]); {door.replace('?', number)}")
        for number, error in NUMBERS.items()
        for door in DOORS
    },
    **{
        f"A6 {text}": (ValueError, f"x = A([2, 3]); {text}")
        for text in ("x ** -1", "m.pow(x, -1)", "n.power(x, -1)", "x **= -1", "pow(x, -1)", "x ** n.int64(-2)")
    },
    "A4 a float as the number of bins": (TypeError, "m.histogram(A([1.0, 2.0]), bins=2.5)"),
    "A4 a float for int": (TypeError, "m.ElementwiseKernel('T x, int k', 'T z', 'z = x + k')(A([1.0]), 2.5)"),
    "A10 irfft": (ValueError, "m.fft.irfft(A(n.zeros((2, 0), complex)), n=4)"),
    "A10 irfftn": (ValueError, "m.fft.irfftn(A(n.zeros((2, 0), complex)), s=(2, 4))"),
    "A10 hfft": (ValueError, "m.fft.hfft(A(n.zeros((2, 0), complex)), n=4)"),
    "B4 masks in ufuncs": (ValueError, "n.add(n.ma.array([1.0, 2.0], mask=[1, 0]), m.ones(2))"),
    "B4 np.matrix": (TypeError, "n.matrix([[1.0, 2]]) * m.ones((2, 1))"),
    "B5 broadcast_to": (ValueError, "m.broadcast_to(m.ones(1), (3,))[0] = 5"),
    "B5 of what is held": (ValueError, "x = m.ones(1); m.broadcast_to(x, (3,))[0] = 5"),
    **{
        f"B6 a mask of {count}": (TypeError, f"x = m.zeros({count}); x[x == 0] = A(n.arange({count}.0))[None, :]")
        for count in (4, 5000)
    },
    "A1, F select": (OverflowError, "n.select([A([True])], [A([1], dtype=m.uint8)], 300)"),
    "A1, F where": (OverflowError, "n.where(A([True]), A([1], dtype=m.uint8), 300)"),
    "C format": (TypeError, "f'{m.ones(2):.2f}'"),
    "C matmul of NumPy's": (TypeError, "m.matmul(n.ones((2, 2)), n.ones((2, 2)))"),
    "D tensordot of NumPy's": (TypeError, "m.tensordot(n.ones((2, 2)), n.ones((2, 2)))"),
    "D bins='auto' of ours": (TypeError, "m.histogram(A([0.1, 0.7]), bins='auto')"),
    "D hash": (TypeError, "hash(m.ones(3)[0])"),
    "D an output without a size": (TypeError, "m.ElementwiseKernel('T x', 'raw T out', 'out[i] = x')(A([1.0]))"),
    "F random out=": (TypeError, "m.random.default_rng(0).random(out=m.zeros(3, dtype=m.float32))"),
}


PROGRAMS = {
    f"{finding} {word}".strip(): text.replace("?", word)
    for finding, given in SAME.items()
    for text, words in [(given, ("",)) if isinstance(given, str) else given]
    for word in words
}


@pytest.fixture(params=[True, False], ids=["by NumPy", "by kernels"])
def small_on_host(request: pytest.FixtureRequest, device: Device) -> Iterator[None]:
    with xp.config.set(small_on_host=request.param):
        yield


def run(program: str, module: Any) -> list[np.ndarray[Any, Any]]:
    """What a program leaves in ``r``, as host arrays."""
    names = {"m": module, "A": module.asarray, "n": np, "nan": np.nan, "inf": np.inf}
    exec(program, names)
    found = names.get("r")
    return [np.asarray(one) for one in (found if isinstance(found, (list, tuple)) else [found])]


@pytest.mark.usefixtures("small_on_host")
@pytest.mark.parametrize("finding", PROGRAMS)
def test_what_numpy_gives(finding: str) -> None:
    got, expected = run(PROGRAMS[finding], xp), run(PROGRAMS[finding], np)
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        assert np.array_equal(one, other, equal_nan=other.dtype.kind in "fc"), f"{one} is not {other}"


@pytest.mark.usefixtures("small_on_host")
@pytest.mark.parametrize("finding", REFUSED)
def test_what_is_refused(finding: str) -> None:
    error, program = REFUSED[finding]
    with pytest.raises(error):
        run(program, xp)


def test_round_of_an_element(device: Device) -> None:
    """D: NumPy's arrays have no ``__round__``, its scalars do."""
    x: Any = xp.asarray([1.2345, 2.5])
    assert float(round(x[0], 2)) == 1.23 and round(x[1]) == 2


FROM_HOST = (
    "m = xp.sum(x, axis=0); assert np.all(np.asarray(m[1:3]) == 400_000)",
    "m = xp.sum(x, axis=0); assert float(m[2]) == 400_000",
    "m = xp.cumulative_sum(x, axis=0); assert np.asarray(m[1:3]).shape == (2, 100) and float(m[5, 5]) == 6",
    "m = xp.sort(x, axis=0); assert np.asarray(xp.flip(m)[1:3]).shape == (2, 100)",
    "m = x.T @ x; assert np.all(np.asarray(m[1]) == 400_000)",
    "m = xp.sum(x, axis=0); assert [float(v) for v in m][:2] == [400_000] * 2",
    "m = xp.sum(x, axis=0); assert np.asarray(m.reshape((10, 10))[1]).sum() == 4_000_000",
    "m = xp.astype(xp.from_host(np.zeros((5, 0))), xp.float32); assert np.asarray(m @ m.T).tolist() == [[0.0] * 5] * 5",
)


@pytest.mark.parametrize("program", FROM_HOST)
def test_a_view_of_a_large_result_in_a_fresh_process(program: str, device: Device) -> None:
    """B2.1, B2.2: the first read raised."""
    head = f"import numpy as np, arrayapi_gpu as xp; xp.config.device = '{device}'"
    source = "x = xp.from_host(np.ones((400_000, 100)))"
    done = subprocess.run(
        [sys.executable, "-c", f"{head}\n{source}\n{program}"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_subclasses_with_a_say_in_ufuncs_keep_what_they_are(device: Device) -> None:
    """B4: a quantity beside an array of ours lost its unit."""

    class Quantity(np.ndarray[Any, Any]):
        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
            return "metres"

    q, x = np.ones(2).view(Quantity), xp.ones(2)
    assert [q * x, x * q, np.multiply(x, q), np.add(q, x)] == ["metres"] * 4


def test_errors_name_what_was_called(device: Device) -> None:
    """D: errors of functions further down, and hash without the cure."""
    said = {
        "m.matmul(n.ones((2, 2)), n.ones((2, 2)))": "matmul",
        "m.tensordot(n.ones((2, 2)), n.ones((2, 2)))": "tensordot",
        "hash(m.ones(3)[0])": "float(",
        "m.histogram(A([0.1, 0.7]), bins='auto')": "histogram",
    }
    for program, word in said.items():
        with pytest.raises(TypeError) as caught:
            run(program, xp)
        assert word in str(caught.value)
