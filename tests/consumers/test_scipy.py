"""SciPy's functions for arrays of any library give with ours what they give with NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from support import run_on
from support.consumers import Program, check_program

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

scipy = pytest.importorskip("scipy")
cluster = pytest.importorskip("scipy.cluster")
differentiate = pytest.importorskip("scipy.differentiate")
fft = pytest.importorskip("scipy.fft")
integrate = pytest.importorskip("scipy.integrate")
interpolate = pytest.importorskip("scipy.interpolate")
linalg = pytest.importorskip("scipy.linalg")
ndimage = pytest.importorskip("scipy.ndimage")
optimize = pytest.importorskip("scipy.optimize")
elementwise = pytest.importorskip("scipy.optimize.elementwise")
signal = pytest.importorskip("scipy.signal")
trees = pytest.importorskip("scipy.spatial")
distance = pytest.importorskip("scipy.spatial.distance")
spatial = pytest.importorskip("scipy.spatial.transform")
special = pytest.importorskip("scipy.special")
stats = pytest.importorskip("scipy.stats")

pytestmark = pytest.mark.usefixtures("device")

rng = np.random.default_rng(0)
A = rng.normal(size=(40, 3))
B = rng.normal(size=40)
P = rng.random(40) + 0.1
K = np.array([12.0, 15.0, 9.0, 14.0])  # counts
Q = rng.random((12, 10))  # a picture
X = np.linspace(0.0, 2.0, 17)
Z = np.exp(-X)

SPECIAL: dict[str, Program] = {
    "expit": lambda of: special.expit(of(A)),
    "logsumexp": lambda of: special.logsumexp(of(A), axis=0),
    "softmax": lambda of: special.softmax(of(A), axis=1),
    "log_softmax": lambda of: special.log_softmax(of(A), axis=1),
    "erf": lambda of: special.erf(of(A)),
    "erfc": lambda of: special.erfc(of(A)),
    "gammaln": lambda of: special.gammaln(of(P)),
    "digamma": lambda of: special.digamma(of(P)),
    "xlogy": lambda of: special.xlogy(of(P), of(P)),
    "entr": lambda of: special.entr(of(P)),
    "ndtr": lambda of: special.ndtr(of(A)),
    "ndtri": lambda of: special.ndtri(of(P / 2)),
    "logit": lambda of: special.logit(of(P / 2)),
    "gammainc": lambda of: special.gammainc(of(P), of(P)),
}
FFT: dict[str, Program] = {
    "fft": lambda of: fft.fft(of(B)),
    "ifft": lambda of: fft.ifft(of(B + 1j * P)),
    "rfft": lambda of: fft.rfft(of(A), axis=0),
    "irfft": lambda of: fft.irfft(of(B + 0j)),
    "fft2": lambda of: fft.fft2(of(Q)),
    "fftshift": lambda of: fft.fftshift(of(B)),
    "fftfreq": lambda of: of(X) * fft.fftfreq(17, xp=of(X).__array_namespace__()),
    "fht": lambda of: fft.fht(of(P), 0.1, 0.5),
    "dct": lambda of: fft.dct(of(B)),
}
STATS: dict[str, Program] = {
    "zscore": lambda of: stats.zscore(of(A)),
    "skew": lambda of: stats.skew(of(A), axis=0),
    "kurtosis": lambda of: stats.kurtosis(of(A), axis=0),
    "moment": lambda of: stats.moment(of(A), 3),
    "describe": lambda of: stats.describe(of(A)),
    "sem": lambda of: stats.sem(of(A)),
    "iqr": lambda of: stats.iqr(of(B)),
    "mode": lambda of: stats.mode(of(np.array([1.0, 2.0, 2.0, 3.0]))),
    "rankdata": lambda of: stats.rankdata(of(B)),
    "gmean": lambda of: stats.gmean(of(P)),
    "hmean": lambda of: stats.hmean(of(P)),
    "entropy": lambda of: stats.entropy(of(P)),
    "trim_mean": lambda of: stats.trim_mean(of(B), 0.1),
    "normaltest": lambda of: stats.normaltest(of(B)),
    "shapiro": lambda of: stats.shapiro(of(B)),
    "jarque_bera": lambda of: stats.jarque_bera(of(B)),
    "chisquare": lambda of: stats.chisquare(of(K)),
    "power_divergence": lambda of: stats.power_divergence(of(K), lambda_="log-likelihood"),
    "kruskal": lambda of: stats.kruskal(of(B), of(P)),
    "friedmanchisquare": lambda of: stats.friedmanchisquare(of(B), of(P), of(B[::-1])),
    "bartlett": lambda of: stats.bartlett(of(B), of(P)),
    "circmean": lambda of: stats.circmean(of(P)),
    "ttest_1samp": lambda of: stats.ttest_1samp(of(B), 0.1),
    "ttest_ind": lambda of: stats.ttest_ind(of(B), of(P)),
    "pearsonr": lambda of: stats.pearsonr(of(B), of(P)).statistic,
    "linregress": lambda of: stats.linregress(of(X), of(Z)).slope,
    "f_oneway": lambda of: stats.f_oneway(of(B), of(P)),
    "levene": lambda of: stats.levene(of(B), of(P)),
    "brunnermunzel": lambda of: stats.brunnermunzel(of(B), of(P)),
    "combine_pvalues": lambda of: stats.combine_pvalues(of(P / 2)),
    "mannwhitneyu": lambda of: stats.mannwhitneyu(of(B), of(P)),
    "kendalltau": lambda of: stats.kendalltau(of(B), of(P)).statistic,
    "ks_2samp": lambda of: stats.ks_2samp(of(B), of(P)).statistic,
    "wilcoxon": lambda of: stats.wilcoxon(of(B)),
    "quantile": lambda of: stats.quantile(of(B), of(np.array([0.25, 0.5]))),
    "bootstrap": lambda of: (
        stats.bootstrap(
            (of(B),),
            lambda x, axis: x.mean(axis=axis),
            n_resamples=19,
            method="percentile",
            rng=np.random.default_rng(1),
        ).standard_error
    ),
    "permutation_test": lambda of: (
        stats.permutation_test(
            (of(B), of(P)),
            lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
            vectorized=True,
            n_resamples=19,
            rng=np.random.default_rng(1),
        ).pvalue
    ),
    "monte_carlo_test": lambda of: (
        stats.monte_carlo_test(
            of(B),
            lambda size: of(np.random.default_rng(1).normal(size=size)),
            lambda x, axis: x.mean(axis=axis),
            vectorized=True,
            n_resamples=19,
        ).pvalue
    ),
}
INTEGRATE: dict[str, Program] = {
    "trapezoid": lambda of: integrate.trapezoid(of(Z), x=of(X)),
    "simpson": lambda of: integrate.simpson(of(Z), x=of(X)),
    "cumulative_trapezoid": lambda of: integrate.cumulative_trapezoid(of(Z), dx=0.1),
    "cumulative_simpson": lambda of: integrate.cumulative_simpson(of(Z), dx=0.1),
    "romb": lambda of: integrate.romb(of(Z)),
    "fixed_quad": lambda of: integrate.fixed_quad(lambda x: x * x, of(np.array(0.0)), of(np.array(1.0)))[0],
    "tanhsinh": lambda of: integrate.tanhsinh(lambda x: x * x, of(np.zeros(2)), of(np.array([1.0, 2.0]))).integral,
    "cubature": lambda of: integrate.cubature(lambda x: x[:, 0] * x[:, 1], of(np.zeros(2)), of(np.ones(2))).estimate,
}
SIGNAL: dict[str, Program] = {
    "fftconvolve": lambda of: signal.fftconvolve(of(B), of(P)),
    "oaconvolve": lambda of: signal.oaconvolve(of(B), of(P[:7])),
    "hilbert": lambda of: signal.hilbert(of(B)),
    "envelope": lambda of: signal.envelope(of(B)),
    "freqz": lambda of: signal.freqz(of(P[:4])),
    "firwin": lambda of: signal.firwin(9, of(np.array([0.2, 0.4])), pass_zero=False),
    "hann": lambda of: signal.windows.hann(9, xp=of(B).__array_namespace__()),
    "minimum_phase": lambda of: signal.minimum_phase(of(np.array([0.1, 0.3, 1.0, 0.3, 0.1]))),
    "vectorstrength": lambda of: signal.vectorstrength(of(P), of(np.array(0.7))),
    "lfilter": lambda of: signal.lfilter(of(P[:3]), of(np.array([1.0])), of(B)),
    "sosfilt": lambda of: signal.sosfilt(of(signal.butter(3, 0.3, output="sos")), of(B)),
    "filtfilt": lambda of: signal.filtfilt(of(np.array([0.5, 0.5])), of(np.array([1.0])), of(B)),
    "savgol_filter": lambda of: signal.savgol_filter(of(B), 5, 2),
    "resample": lambda of: signal.resample(of(B), 20),
    "convolve": lambda of: signal.convolve(of(B), of(P[:5])),
    "medfilt": lambda of: signal.medfilt(of(B), 3),
    "detrend": lambda of: signal.detrend(of(B)),
}
OTHERS: dict[str, Program] = {
    "find_root": lambda of: elementwise.find_root(lambda x: x * x - 2.0, (of(np.zeros(2)), of(np.array([2.0, 3.0])))).x,
    "find_minimum": lambda of: (
        elementwise.find_minimum(
            lambda x: (x - 0.3) ** 2, (of(np.array([-1.0])), of(np.array([0.0])), of(np.array([1.0])))
        ).x
    ),
    "derivative": lambda of: differentiate.derivative(lambda x: x * x, of(X)).df,
    "jacobian": lambda of: differentiate.jacobian(lambda x: x * x, of(X[:3])).df,
    "hessian": lambda of: differentiate.hessian(lambda x: x[0] * x[1], of(X[1:3])).ddf,
    "Rotation": lambda of: spatial.Rotation.from_rotvec(of(A)).apply(of(A)),
    "RigidTransform": lambda of: spatial.RigidTransform.from_translation(of(A)).apply(of(A)),
    "Slerp": lambda of: spatial.Slerp(of(X[:3]), spatial.Rotation.from_rotvec(of(A[:3])))(of(X[:2])).as_matrix(),
    "RBFInterpolator": lambda of: interpolate.RBFInterpolator(of(A), of(B))(of(A[:5] + 0.1)),
    "make_interp_spline": lambda of: interpolate.make_interp_spline(of(X), of(Z))(of(X[:4] + 0.01)),
    "RegularGridInterpolator": lambda of: interpolate.RegularGridInterpolator((of(X),), of(Z))(of(X[:4, None] + 0.01)),
    "block_diag": lambda of: linalg.block_diag(of(A), of(Q)),
    "orthogonal_procrustes": lambda of: linalg.orthogonal_procrustes(of(A), of(A[::-1])),
    "whiten": lambda of: cluster.vq.whiten(of(A)),
    "kmeans": lambda of: cluster.vq.kmeans(of(A), of(A[:2])),
    "vq": lambda of: cluster.vq.vq(of(A), of(A[:2])),
    "linkage": lambda of: cluster.hierarchy.linkage(of(A)),
    "gaussian_filter": lambda of: ndimage.gaussian_filter(of(Q), 1.0),
    "label": lambda of: ndimage.label(of(np.array([[1, 0, 1], [1, 0, 0]]))),
    "zoom": lambda of: ndimage.zoom(of(Q), 0.5),
    "output of ndimage": lambda of: ndimage.uniform_filter(of(Q), 3, output=(out := of(0 * Q))) is None or out,
}
PROGRAMS = SPECIAL | FFT | STATS | INTEGRATE | SIGNAL | OTHERS
IN_OUR_MEMORY = ("sosfilt", "output of ndimage")  # what SciPy asks to be able to write to
LOOSE = {"minimum_phase": 1e-6, "find_minimum": 1e-5, "jacobian": 1e-7, "hessian": 1e-6, "derivative": 1e-7}
SINCE = {"shapiro": "1.18"}  # the first release in which these take arrays of any library

WITHOUT_DISPATCH = """
import os
os.environ.pop("SCIPY_ARRAY_API", None)
import numpy as np
import arrayapi_gpu as xp
from scipy import cluster, fft, linalg, ndimage, signal, special, stats

a = np.random.default_rng(0).random((6, 5))
for function in (
    stats.zscore, stats.skew, special.softmax, fft.fft, signal.detrend, ndimage.label, linalg.pinv, cluster.vq.whiten
):
    results = [function(of(a)) for of in (xp.asarray, np.asarray)]
    got, expected = (result[0] if isinstance(result, tuple) else result for result in results)
    assert isinstance(got, np.ndarray), function
    np.testing.assert_allclose(got, expected, rtol=1e-9)
assert isinstance(special.expit(xp.asarray(a)), xp.Array)  # a ufunc
"""


def version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2])


@pytest.mark.parametrize("name", PROGRAMS)
def test_functions(device: Device, name: str) -> None:
    if name in IN_OUR_MEMORY and not device.host_shared:
        pytest.skip(f"SciPy's compiled code writes to host memory, which {device} does not share")
    if version(scipy.__version__) < version(SINCE.get(name, "0.0")):
        pytest.skip(f"SciPy {scipy.__version__} takes NumPy's arrays alone")
    check_program(PROGRAMS[name], rtol=LOOSE.get(name, 1e-9))


# Functions that the page docs/how-to/scipy.md lists: they give NumPy's arrays or numbers.
NUMPY_ALONE: dict[str, Program] = {
    "comb": lambda of: special.comb(of(K), 2.0),
    "factorial": lambda of: special.factorial(of(K)),
    "spherical_jn": lambda of: special.spherical_jn(1, of(P)),
    "sph_harm_y": lambda of: special.sph_harm_y(1, 0, of(P), of(P)),
    "find_peaks": lambda of: signal.find_peaks(of(B))[0],
    "argrelmax": lambda of: signal.argrelmax(of(B))[0],
    "decimate": lambda of: signal.decimate(of(B), 4),
    "czt": lambda of: signal.czt(of(B)),
    "periodogram": lambda of: signal.periodogram(of(B))[1],
    "spectrogram": lambda of: signal.spectrogram(of(B), nperseg=8)[2],
    "welch": lambda of: signal.welch(of(B), nperseg=8)[1],
    "stft": lambda of: signal.stft(of(B), nperseg=8)[2],
    "ShortTimeFFT": lambda of: signal.ShortTimeFFT(np.hanning(8), 4, 1.0).stft(of(B)),
    "norm.pdf": lambda of: stats.norm.pdf(of(B)),
    "Normal": lambda of: stats.Normal(mu=0.0, sigma=1.0).pdf(of(B)),
    "gaussian_kde": lambda of: stats.gaussian_kde(of(B))(of(X)),
    "kendalltau": lambda of: stats.kendalltau(of(B), of(P)).statistic,
    "interp1d": lambda of: interpolate.interp1d(of(X), of(Z))(of(X)),
    "UnivariateSpline": lambda of: interpolate.UnivariateSpline(of(X), of(Z))(of(X)),
    "odeint": lambda of: integrate.odeint(lambda y, t: -y, 1.0, of(X)),
    "curve_fit": lambda of: optimize.curve_fit(lambda x, a: a * x, of(X), of(Z))[0],
    "cdist": lambda of: distance.cdist(of(A), of(A)),
    "KDTree": lambda of: trees.KDTree(of(A)).query(of(A))[0],
    "pinv": lambda of: linalg.pinv(of(A)),
}


UNTIL = {"kendalltau": "1.18"}  # the versions of SciPy that take other arrays, too


@pytest.mark.parametrize("name", NUMPY_ALONE)
def test_functions_for_numpy_alone_give_numpys_arrays(name: str) -> None:
    if name in UNTIL and version(scipy.__version__) >= version(UNTIL[name]):
        pytest.skip(f"SciPy {scipy.__version__} gives arrays of this library")
    got, expected = (NUMPY_ALONE[name](of) for of in (xp.asarray, np.asarray))
    assert isinstance(got, np.ndarray | np.floating)
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-15)


# SciPy's own ufuncs, which no switch changes.
UFUNCS: dict[str, Program] = {
    "one operand": lambda of: special.ellipe(of(P / 2)),
    "two operands": lambda of: special.jv(0, of(B)),
    "an array of NumPy's": lambda of: special.jv(of(K), K),
    "a list": lambda of: special.jv([0, 1, 2], of(A)),
    "several results": lambda of: special.sici(of(P)),
    "integers": lambda of: special.jv(0, of(np.arange(4))),
    "float32": lambda of: special.jv(of(P.astype("float32")), 1),
    "out": lambda of: special.ellipe(of(P / 2), out=of(np.zeros(40))),
    "several out": lambda of: special.sici(of(P), out=(of(np.zeros(40)), of(np.zeros(40)))),
    # Others of SciPy 1.17 crash with ``where=``, on arrays of NumPy alone.
    "out and where": lambda of: special.hyp0f1(of(P), of(P), out=of(np.zeros(40)), where=of(P > 0.5)),
    "dtype": lambda of: special.jv(0, of(B), dtype="float32", casting="same_kind"),
    "outer": lambda of: special.beta.outer(of(P[:3]), of(P[:4])),
    "reduce": lambda of: special.hyp0f1.reduce(of(P[:4]), axis=0),
    "accumulate": lambda of: special.hyp0f1.accumulate(of(P[:4])),
    "reduceat": lambda of: special.hyp0f1.reduceat(of(P), [0, 3]),
    "NumPy's out": lambda of: special.ellipe(of(P / 2), out=np.zeros(40)).tolist(),
}


@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs_go_through_the_host(name: str) -> None:
    check_program(UFUNCS[name], rtol=1e-12)


def test_ufuncs_write_into_their_operand() -> None:
    x, host = xp.asarray(P[:4], copy=True), P[:4].copy()
    special.ellipe.at(x, xp.asarray([0, 1]))
    special.ellipe.at(host, [0, 1])
    np.testing.assert_allclose(x.to_numpy(), host, rtol=1e-15)


def test_ufuncs_are_recorded_and_refused_on_demand() -> None:
    x = xp.asarray(B)
    with xp.record() as launches:
        special.jv(0, x)
    assert [entry.kernel for entry in launches if entry.library == "NumPy"] == ["ufunc jv"]
    with xp.config.set(host_transfers="error"), pytest.raises(TypeError, match=r"ufunc jv.*host_transfers"):
        special.jv(0, x)
    with pytest.raises(TypeError, match="No loop matching"):
        special.jv(0, x + 0j, dtype="int8")


@pytest.mark.parametrize("function", ["fftconvolve", "oaconvolve"])
def test_convolutions_stay_on_the_device(function: str) -> None:
    """Of arrays of several axes, too."""
    for one, other in ((B, P[:7]), (A, A[:4]), (Q, Q[:3, :2])):
        x, y = xp.asarray(one), xp.asarray(other)
        with xp.record() as made:
            found = getattr(signal, function)(x, y, mode="same")
            xp.sync(found)
        assert not [entry.kernel for entry in made if entry.copied or entry.kind in ("read", "function")]
        expected = getattr(signal, function)(one, other, mode="same")
        np.testing.assert_allclose(np.asarray(found), expected, atol=1e-12)


def test_without_dispatch_results_are_numpys(device: Device) -> None:
    done = run_on(device, WITHOUT_DISPATCH)
    assert done.returncode == 0, done.stderr
