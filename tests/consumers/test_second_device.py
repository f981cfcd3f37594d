"""SciPy's programs with arrays on a device that is not the default one: results stay there."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support.consumers import Program, compare

import arrayapi_gpu as xp
from arrayapi_gpu.backends import devices
from arrayapi_gpu.backends.base import Device

pytest.importorskip("scipy")
scipys = pytest.importorskip("test_scipy")

OTHERS = devices()[1:]

pytestmark = pytest.mark.skipif(not OTHERS, reason="there is one device only")

# In these SciPy, from 1.17 on, makes arrays of its own, and does not say where: of results that it computed on the host
# (`asarray`), or for counting (`arange`, `zeros`, `ones`). They come to lie on the default device.
WITHOUT_SAYING_WHERE = [
    "expit", "erf", "erfc", "gammaln", "digamma", "entr", "ndtr", "ndtri", "logit", "gammainc", "fftfreq", "fht",
    "dct", "rankdata", "entropy", "normaltest", "jarque_bera", "chisquare", "power_divergence", "kruskal",
    "friedmanchisquare", "bartlett", "ttest_1samp", "ttest_ind", "pearsonr", "f_oneway", "levene", "brunnermunzel",
    "combine_pvalues", "mannwhitneyu", "wilcoxon", "permutation_test", "cumulative_simpson", "romb", "tanhsinh",
    "cubature", "freqz", "firwin", "hann", "minimum_phase", "lfilter", "sosfilt", "filtfilt", "savgol_filter",
    "convolve", "medfilt", "detrend", "find_root", "find_minimum", "derivative", "jacobian", "hessian",
    "RBFInterpolator", "make_interp_spline", "RegularGridInterpolator", "block_diag", "kmeans", "vq",
    "gaussian_filter", "label", "zoom",
    # From SciPy 1.18 on:
    "shapiro", "kendalltau", "ks_2samp", "fixed_quad",
]  # fmt: skip


def arrays_in(value: Any) -> Iterator[xp.Array]:
    """Our arrays among nested results."""
    if isinstance(value, xp.Array):
        yield value
    elif isinstance(value, dict):
        yield from arrays_in(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from arrays_in(item)


def check(name: str, other: Device, default: Device) -> None:
    """The program gives what it gives with NumPy's arrays, and gives it on the device of its operands."""
    program: Program = scipys.PROGRAMS[name]
    with np.errstate(all="ignore"), warnings.catch_warnings(), xp.config.set(device=str(default)):
        warnings.simplefilter("ignore")
        expected = program(np.array)
        got = program(lambda values: xp.asarray(values, copy=True, device=other))
    compare(got, expected, rtol=scipys.LOOSE.get(name, 1e-9), atol=1e-12, on_device=True)
    for array in arrays_in(got):
        assert array.device == other


def skip_where_impossible(name: str, other: Device) -> None:
    """Where this SciPy does not take other arrays, or writes to memory that the host does not see."""
    if name in scipys.IN_OUR_MEMORY and not other.host_shared:
        pytest.skip(f"SciPy's compiled code writes to host memory, which {other} does not share")
    installed, since = scipys.scipy.__version__, scipys.SINCE.get(name, "0.0")
    if scipys.version(installed) < scipys.version(since):
        pytest.skip(f"SciPy {installed} takes NumPy's arrays alone")


@pytest.mark.parametrize("name", [name for name in scipys.PROGRAMS if name not in WITHOUT_SAYING_WHERE])
@pytest.mark.parametrize("other", OTHERS, ids=str)
def test_results_stay_on_the_device_of_their_operands(other: Device, name: str) -> None:
    skip_where_impossible(name, other)
    check(name, other, devices()[0])


@pytest.mark.parametrize("name", WITHOUT_SAYING_WHERE)
@pytest.mark.parametrize("other", OTHERS, ids=str)
def test_the_device_is_named_around_what_does_not_say_where(other: Device, name: str) -> None:
    """As docs/how-to/scipy.md says."""
    skip_where_impossible(name, other)
    check(name, other, default=other)
