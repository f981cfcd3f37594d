"""array-api-signal takes our namespace for one of the standard, and computes by its generic code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.consumers import Of, Program, check_program, rows

signal = pytest.importorskip("array_api_signal")

pytestmark = pytest.mark.usefixtures("device")

rng = np.random.default_rng(0)
A = rng.normal(size=(4, 9))
EVEN = A[:, :8]
T = np.sort(rng.uniform(0.0, 3.0, size=9))
Q = np.array([-1.0, 0.0, 0.5, 1.3, 2.9, 3.5])
LOW = np.where(A > 0.5, -np.inf, A)
FIR = np.array([0.25, 0.5, 0.25])


def space(of: Of) -> Any:
    """The namespace that the library makes around that of an array."""
    return signal.array_namespace(of(A))


PROGRAMS: dict[str, Program] = {
    "trapezoid": lambda of: signal.trapezoid(of(A)),
    "trapezoid, x": lambda of: signal.trapezoid(of(A), x=of(T)),
    "trapezoid, dx, axis": lambda of: signal.trapezoid(of(A), dx=0.5, axis=0),
    "simpson": lambda of: signal.simpson(of(A)),
    "simpson, even": lambda of: signal.simpson(of(EVEN), dx=0.1),
    "simpson, axis": lambda of: signal.simpson(of(A.T), axis=0),
    "simpson, x": lambda of: signal.simpson(of(A), x=of(T)),
    "simpson of two": lambda of: signal.simpson(of(A[:, :2])),
    "convolve": lambda of: signal.convolve(of(A), of(FIR), mode="constant"),
    "convolve, axis": lambda of: signal.convolve(of(A), of(FIR), axis=0, mode="constant"),
    "convolve, cval": lambda of: signal.convolve(of(A), of(FIR), mode="constant", cval=2.0),
    "gaussian_filter1d": lambda of: signal.gaussian_filter1d(of(A), 0.7, mode="constant"),
    "gaussian_filter1d, axis": lambda of: signal.gaussian_filter1d(of(A), 0.7, axis=0, mode="constant"),
    "gaussian_filter1d of no width": lambda of: signal.gaussian_filter1d(of(A), 0),
    "gaussian_filter1d, reflect": lambda of: signal.gaussian_filter1d(of(A), 0.7),
    "logsumexp": lambda of: signal.logsumexp(of(A)),
    "logsumexp, axis": lambda of: signal.logsumexp(of(A), axis=1),
    "logsumexp, keepdims": lambda of: signal.logsumexp(of(A), axis=0, keepdims=True),
    "logsumexp of -inf": lambda of: signal.logsumexp(of(LOW), axis=1),
    "interp": lambda of: signal.interp(of(Q), of(T), of(A[0])),
    "interp of -inf": lambda of: signal.interp(of(Q), of(T), of(LOW[0])),
    "i0e": lambda of: signal.i0e(of(A)),
    "ndtr": lambda of: signal.ndtr(of(A)),
    "hann": lambda of: space(of).hann(9),
    "hann, periodic": lambda of: space(of).hann(8, sym=False),
    "hann of one": lambda of: space(of).hann(1),
    "hann of none": lambda of: space(of).hann(0),
    "hann, float32": lambda of: space(of).hann(9, dtype=of(A.astype("float32")).dtype),
    "hamming": lambda of: space(of).hamming(9),
    "tukey": lambda of: space(of).tukey(9),
    "tukey, alpha": lambda of: space(of).tukey(20, 0.3, sym=False),
    "tukey of a rectangle": lambda of: space(of).tukey(5, 0.0),
    "window by device": lambda of: signal.hann(9, device=of(A).device),
    "simpson of the namespace": lambda of: space(of).simpson(of(A)),
    "cov of array-api-extra": lambda of: space(of).cov(of(A)),
    "sin of the namespace": lambda of: space(of).sin(of(A)),
    "mean by name": lambda of: signal.mean(of(A), axis=0),
}
FAILURES = {
    "gaussian_filter1d, reflect": "array_api_signal/signal.py has one mode for others than NumPy and PyTorch",
    "i0e": "array_api_signal/special.py has it for NumPy and PyTorch alone",
    "ndtr": "array_api_signal/special.py has it for NumPy and PyTorch alone",
    "window by device": "array_api_signal/windows.py takes a device that it does not know for NumPy's",
}
LOOSE = {"hann, float32": 1e-6}  # 0.5 - 0.5 * cos(...), a bit of whose cosine is more of the small difference


@pytest.mark.parametrize("name", rows(PROGRAMS, FAILURES))
def test_functions(name: str) -> None:
    check_program(PROGRAMS[name], rtol=LOOSE.get(name, 1e-9))
