"""`config.nan`: which operation made NaN or an infinity, where, and by which line; and when nothing is reported."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest
from support import numpy_calls

import arrayapi_gpu as xp
import arrayapi_gpu.numpy
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config

pytestmark = pytest.mark.usefixtures("device")

X = [1.0, 2.0, 0.0, 4.0]
BAD = [np.nan, 0.0, np.inf, 1.0]
Table = dict[str, tuple[str, str, tuple[int, ...], str]]
# An expression of x and of bad, and what made the value: the operation, the index and the value.
MADE: Table = {
    "function": ("xp.log(x)", "log", (2,), "-inf"),
    "operator": ("x / x", "divide", (2,), "nan"),
    "number first": ("1 / x", "divide", (2,), "inf"),
    "inner operation": ("xp.exp(xp.sqrt(x - 3) + 1)", "sqrt", (0,), "nan"),
    "broadcast": ("x[:, None] / x", "divide", (0, 2), "inf"),
    "overflow": ("xp.exp(x * 1000)", "exp", (0,), "inf"),
    "infinite operand": ("x * xp.inf", "multiply", (2,), "nan"),
    "infinities": ("bad[2:] - bad[2:]", "subtract", (0,), "nan"),
    "beside bad ones": ("bad ** -1", "pow", (1,), "inf"),
    "inside of a function": ("xp.std(x[:1], correction=1)", "divide in std", (), "nan"),
    "of nothing": ("xp.mean(x[:0])", "divide in mean", (), "nan"),
    "sum": ("xp.sum(x * 4e307)", "sum", (), "inf"),
    "scan": ("xp.cumulative_sum(x * 4e307)", "cumulative_sum", (3,), "inf"),
    "cast": ("xp.astype(x * 1e300, xp.float32)", "astype", (0,), "inf"),
    "product": ("(x[:, None] * 1e200) @ (x[None] * 1e200)", "matmul", (0, 0), "inf"),
    "transform": ("xp.fft.fft(xp.ones(2) * 1e308)", "fft", (0,), r"\(.*\)"),
    "routine": ("xp.linalg.inv(xp.eye(2) * 1e-320)", "inv", (0, 0), "(inf|nan)"),
    "special function": ("xp.special.gammaln(x[2])", "gammaln", (), "inf"),
    "on the host": ("np.ldexp(xp.asarray([1.0, 2.0]), 1023)", "numpy.ldexp", (1,), "inf"),
    "user's kernel": (
        "xp.ElementwiseKernel('float64 a', 'float64 b', 'b = 1 / a', 'inverse')(x)",
        "inverse",
        (2,),
        "inf",
    ),
    "complex": ("(x + 0j) / (x + 0j)", "divide", (2,), r"\(.*\)"),
    "host operand": ("xp.from_host(np.asarray([1.0, 0.0])) / 0", "divide", (0,), "inf"),
    "view": ("(x / x)[1:]", "divide", (2,), "nan"),
    "namespace of NumPy": ("arrayapi_gpu.numpy.log(x)", "log", (2,), "-inf"),
}
FINE = (
    "bad * 2", "bad + bad", "bad[::-1]", "xp.sum(bad)", "xp.mean(bad)", "xp.sort(bad)", "xp.concat([bad, x])",
    "xp.roll(bad, 1)", "xp.asarray([xp.nan])", "xp.full((3,), xp.inf)", "xp.where(x > 0, x, xp.nan)", "bad @ bad",
    "xp.astype(bad, xp.float32)", "xp.linalg.inv(xp.full((2, 2), xp.nan))", "np.ldexp(bad, 1)", "xp.max(x / 4)",
    "x == 0",
    "xp.zeros((0,)) / 0", "xp.exp(-x * 1e300)", "xp.nextafter(bad, x)", "xp.cumulative_sum(bad)", "xp.fft.fft(bad)",
    "x[xp.asarray([2, 0])] + 1",
)  # fmt: skip


def evaluated(text: str) -> Any:
    x, bad = (xp.asarray(values, copy=True) for values in (X, BAD))
    return eval(text, {"xp": xp, "np": np, "arrayapi_gpu": arrayapi_gpu, "x": x, "bad": bad})


# Without fusion a value of host operands never has pending ones below it, so `explain` does not know such plans.
@pytest.mark.parametrize(
    ("case", "fusion"),
    [(case, fusion) for case in MADE for fusion in (True, False) if fusion or case != "host operand"],
)
def test_the_error_names_operation_index_and_value(case: str, fusion: bool, device: Device) -> None:
    text, name, index, value = MADE[case]
    if "f64" not in device.dtypes:
        pytest.skip("the numbers are those of float64")
    with config.set(nan="raise", fusion=fusion), pytest.raises(FloatingPointError) as error, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's, of what it computes
        evaluated(text)
    shown = str(error.value)
    assert re.match(rf"{name}: got {value} at index {re.escape(str(index))} of the result, ", shown), shown
    assert shown.endswith("; look at the operands there, or allow it by config.set(nan=None)")


@pytest.mark.parametrize("text", FINE)
def test_values_that_the_operands_explain_are_not_reported(text: str) -> None:
    with config.set(nan="raise"):
        evaluated(text)


def test_the_error_has_the_line_of_the_program_with_dtypes_and_shapes() -> None:
    x = xp.asarray([[1.0, 0.0]], dtype=xp.float32)
    with config.set(nan="raise"), pytest.raises(FloatingPointError) as error:
        1 / x  # this line
    expected = "the result, float32 (1, 2), from operands without such a value: 1.0, float32 (1, 2); line "
    shown = str(error.value)
    assert expected in shown and f"{__file__}:" in shown and ": 1 / x  # this line; " in shown


def test_a_write_that_fails_changes_nothing() -> None:
    x = xp.asarray([1.0, 0.0])
    view = x[:]
    for target in (x, view):
        with config.set(nan="raise"), pytest.raises(FloatingPointError, match=r"^divide"):
            target /= 0
    assert view.tolist() == x.tolist() == [1.0, 0.0]


def test_a_warning_has_the_line_too() -> None:
    x = xp.asarray([0.0])
    with config.set(nan="warn"), pytest.warns(RuntimeWarning, match="divide: got inf") as found:
        y = 1 / x
    assert found[0].filename == __file__ and y.tolist() == [np.inf]


KINDS = {"invalid": "x[2] / x[2]", "divide": "1 / x", "over": "x * 1e308"}
POLES = (
    "xp.log(x)", "xp.log2(x)", "xp.log10(x)", "xp.log1p(x[2] - 1)", "xp.atanh(x[:1])", "x / 0", "1 / x", "1 // x",
    "x[2] ** -1", "xp.pow(x[2], x[0] - 2)",
)  # fmt: skip
OVERFLOWS = ("x * 1e308", "x / 1e-320", "10.0 ** (x * 200)", "xp.exp(x * 1e3)", "x + x * 1e308")


@pytest.mark.parametrize("chosen", KINDS)
@pytest.mark.parametrize("made", KINDS)
def test_kinds_are_chosen(chosen: str, made: str) -> None:
    with config.set(nan={chosen: "raise"}):
        if chosen != made:
            evaluated(KINDS[made])
        else:
            with pytest.raises(FloatingPointError):
                evaluated(KINDS[made])


@pytest.mark.parametrize(("kind", "text"), [
    *[("divide", text) for text in POLES], *[("over", text) for text in OVERFLOWS],
])  # fmt: skip
def test_infinities_have_the_kind_that_numpy_gives_them(kind: str, text: str) -> None:
    other = {"divide": "over", "over": "divide"}[kind]
    host = {"xp": np, "x": np.asarray(X)}
    with np.errstate(**{kind: "raise", other: "ignore"}), pytest.raises(FloatingPointError):  # type: ignore[arg-type]
        eval(text.replace("atanh", "arctanh").replace("pow", "power"), host)
    with config.set(nan={other: "raise"}):
        evaluated(text)
    with config.set(nan={kind: "raise"}), pytest.raises(FloatingPointError):
        evaluated(text)


def test_what_was_pending_is_looked_at_when_it_is_used() -> None:
    x = xp.asarray([1.0, 0.0])
    inner = 1 / x
    with config.set(nan="raise"), pytest.raises(FloatingPointError, match="divide: got inf"):
        inner + 1


def finite(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(finite, value))
    host = np.asarray(value)
    return host.dtype.kind not in "fc" or bool(np.isfinite(host).all())


CALLS = [
    *[(name, call) for name, calls in numpy_calls.FUNCTIONS.items() for call in calls],
    *[(f"linalg.{name}", call) for name, calls in numpy_calls.LINALG.items() for call in calls],
    *[(f"fft.{name}", call) for name, calls in numpy_calls.FFT.items() for call in calls],
]


def called(name: str, call: str) -> Any:
    operands = {key: arrayapi_gpu.numpy.asarray(value.copy()) for key, value in numpy_calls.OPERANDS.items()}
    return eval(call.format(f"np.{name}"), {"np": arrayapi_gpu.numpy, **operands})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "call"), CALLS)
def test_no_function_with_a_finite_result_is_reported_and_every_other_is(name: str, call: str) -> None:
    """Whatever it computes inside."""
    try:
        is_finite = finite(called(name, call))
    except (TypeError, ValueError, AttributeError):
        pytest.skip("this NumPy or device has no such call")
    with config.set(nan="raise"):
        if is_finite or "N" in call.format(""):
            called(name, call)
        else:
            with pytest.raises(FloatingPointError):
                called(name, call)


SAMPLES = np.array([0.0, 1e-3, 0.5, 1.0, -1.0, 2.0, -2.5, 10.0, -30.0, 700.0, -700.0, 1e10, -1e10, 1e-300])
SPECIAL = [name for name in xp.special.__all__ if callable(getattr(xp.special, name))]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SPECIAL)
def test_special_functions_are_reported_unless_all_results_are_finite(name: str) -> None:
    function = getattr(xp.special, name)
    for count in (1, 2, 3):
        operands = [np.roll(SAMPLES, 5 * k) for k in range(count)]
        try:
            found = function(*map(xp.asarray, operands))
        except (ImportError, TypeError, ValueError):  # it takes more operands, fewer, or other ones
            continue
        results = [np.asarray(one) for one in (found if isinstance(found, tuple) else (found,))]
        well = np.logical_and.reduce([np.isfinite(one) for one in results])
        with config.set(nan="raise"):
            if well.shape == SAMPLES.shape:
                function(*[xp.asarray(operand[well]) for operand in operands])
            if not well.all():
                with pytest.raises(FloatingPointError):
                    function(*map(xp.asarray, operands))
