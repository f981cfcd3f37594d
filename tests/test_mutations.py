"""The test of the tests: every public function, made wrong, fails a value test of this repository.

`GUARDS` says which tests hold a function's values. Of each function one element of the result is put wrong, and
`MUTATIONS` are mistakes that somebody might make: a factor, a lost conjugate, the wrong axis, a sign of zero, what an
argument asks for. The wrong function stands in the namespace while its guards run, as they are, with the arguments that
pytest gives them. At least one call must fail by an assertion, and pass once the mistake is gone.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import random
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import test_fft
import test_linalg
import test_linalg_extras
import test_random
import test_values
from api import test_special_cases as special_cases
from api.core import test_array_object as array_object
from api.exchange import test_gpudata_functions as gpudata
from api.numpy import (
    test_cosine_transforms as cosines,
    test_einsum_functions as einsums,
    test_extra_functions as extra,
    test_host_functions as host_functions,
    test_nan_functions as nans,
    test_resizing_functions as resizing,
    test_scatter_functions as scatters,
    test_view_functions as views,
)
from api.standard import (
    test_creation_functions as creation,
    test_data_type_functions as data_type,
    test_elementwise_functions as elementwise,
    test_indexing_functions as indexing_functions,
    test_linear_algebra_functions as products,
    test_manipulation_functions as manipulation,
    test_searching_functions as searching,
    test_set_functions as sets,
    test_sorting_functions as sorting,
    test_statistical_functions as statistical,
    test_utility_functions as utility,
)
from special import (
    test_gamma_functions as gammas,
    test_integral_functions as integrals,
    test_softmax_functions as softmaxes,
    test_through_scipy as through_scipy,
    test_wrappers as wrappers,
    test_zeta_functions as zetas,
)

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.special.wrappers import SERVES

pytestmark = pytest.mark.usefixtures("device")

Function = Callable[..., Any]
Change = Callable[[Any], Any]
was = SimpleNamespace(**vars(xp))  # the right functions, whatever stands in the namespace


# --- running a test of pytest's as it stands -----------------------------------------------------


class Guard:
    """A test, or those of its calls that have some arguments."""

    def __init__(self, test: Function, **fixed: Any):
        self.test, self.fixed = test, fixed

    def calls(self, device: Device) -> list[dict[str, Any]]:
        """The arguments of every call that pytest makes: the product of the `parametrize` marks, shuffled."""
        columns = []
        for mark in getattr(self.test, "pytestmark", ()):
            if mark.name == "parametrize":
                names, rows = mark.args
                keys = names.split(",") if isinstance(names, str) else list(names)
                columns.append([dict(zip(keys, row if len(keys) > 1 else (row,), strict=True)) for row in rows])
        rows = [{key: value for part in parts for key, value in part.items()} for parts in itertools.product(*columns)]
        rows = [row for row in rows if all(row[key] == value for key, value in self.fixed.items())]
        assert rows, f"{self.test.__name__} has no calls with {self.fixed}"
        if "device" in inspect.signature(self.test).parameters:
            rows = [row | {"device": device} for row in rows]
        return random.Random(0).sample(rows, len(rows))

    def fails(self, arguments: dict[str, Any]) -> bool:
        """Whether a call fails by an assertion; another exception is no verdict about values and passes through."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                self.test(**arguments)
            except (AssertionError, pytest.fail.Exception):
                return True
        return False


def caught(guards: list[Guard], device: Device) -> tuple[Guard, dict[str, Any]] | None:
    """The first call that fails, of the guards in turn."""
    for turn in itertools.zip_longest(*(guard.calls(device) for guard in guards)):
        for guard, arguments in zip(guards, turn, strict=True):
            if arguments is not None and guard.fails(arguments):
                return guard, arguments
    return None


def place(path: str) -> tuple[Any, str]:
    """Where a function stands: ``matmul``, ``linalg.inv``, ``Array.__add__``, ``random.Generator.normal``."""
    *owner, name = path.split(".")
    return functools.reduce(getattr, owner, xp), name


def check_caught(path: str, wrong: Callable[[Function], Function], device: Device) -> None:
    owner, name = place(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, wrong(getattr(owner, name)))
        failure = caught(GUARDS[path], device)
    assert failure, f"no test of {[guard.test.__name__ for guard in GUARDS[path]]} fails"
    guard, arguments = failure
    assert not guard.fails(arguments), f"{guard.test.__name__}({arguments}) fails without the mutation, too"


# --- who guards what -----------------------------------------------------------------------------

GUARDS: dict[str, list[Guard]] = {}


def guards(test: Function, *functions: str, by: str | None = None, **fixed: Any) -> None:
    """A test holds the values of these functions; ``by`` is the argument that chooses among them."""
    for path in functions:
        chosen = {by: path.rpartition(".")[2]} if by else {}
        GUARDS.setdefault(path, []).append(Guard(test, **chosen, **fixed))


guards(elementwise.test_exact_unary_functions_are_numpys_bit_by_bit, *elementwise.EXACT_UNARY, by="name")
guards(elementwise.test_rounding_unary_functions_keep_their_ulps, *elementwise.ROUNDED_UNARY, by="name")
guards(elementwise.test_exact_binary_functions_are_numpys_bit_by_bit, *elementwise.EXACT_BINARY, by="name")
guards(elementwise.test_rounding_binary_functions_keep_their_ulps, *elementwise.ROUNDED_BINARY, by="name")
guards(elementwise.test_extremes_of_two_are_numpys, "maximum", "minimum", by="name")
guards(elementwise.test_integer_floor_divide_is_numpys_and_zero_for_zero, "floor_divide")
guards(elementwise.test_float_floor_divide_is_numpys_for_finite_numbers, "floor_divide")
guards(elementwise.test_float_floor_divide_of_infinities_is_the_floor_of_the_quotient, "floor_divide")
guards(elementwise.test_logaddexp_keeps_its_ulps_of_the_larger_number, "logaddexp")
guards(elementwise.test_clip_limits_to_scalars_and_arrays, "clip")
guards(elementwise.test_clip_keeps_nan_and_the_maximum_wins, "clip")
guards(elementwise.test_where_picks_from_either_array, "where")
guards(elementwise.test_the_modulus_of_complex_numbers_does_not_overflow_early, "abs")
guards(special_cases.test_complex_operands, "abs", by="name")
guards(special_cases.test_the_sign_bit_of_copysign_is_seen_on_nan_too, "copysign")
for method in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "lshift", "gt", "eq"):
    guards(elementwise.test_an_operator_takes_a_python_scalar_on_the_right, f"Array.__{method}__", name=method)
for method in ("sub", "truediv", "pow", "floordiv", "rshift"):
    guards(elementwise.test_an_operator_takes_a_python_scalar_on_the_left, f"Array.__r{method}__", name=method)
for method in ("add", "mul", "or"):
    guards(elementwise.test_an_operator_takes_a_python_scalar_in_place, f"Array.__i{method}__", name=method)
guards(products.test_products_take_numpy_arrays_and_write_in_place, "Array.__matmul__")

guards(creation.test_arange_is_numpys, "arange")
guards(creation.test_asarray_brings_every_value_over_and_back, "asarray")
guards(gpudata.test_memory_is_seen_on_both_sides, "from_gpudata")
guards(host_functions.test_values_are_those_of_the_host_array, "from_host")
guards(creation.test_eye_is_numpys, "eye")
guards(creation.test_filled_arrays_have_the_shape_asked_for, "zeros", "ones", by="name")
guards(creation.test_full_takes_the_default_dtype_of_its_value, "full")
guards(creation.test_full_like_has_shape_and_dtype_of_the_other, "full_like")
guards(creation.test_filled_arrays_like_others_have_their_values, "zeros_like", "ones_like", by="name")
guards(creation.test_linspace_is_numpys, "linspace")
guards(creation.test_meshgrid_is_numpys_and_a_tuple, "meshgrid")
guards(creation.test_triangles_are_numpys, "tril", "triu", by="name")

guards(data_type.test_casts_to_every_dtype, "astype")
guards(data_type.test_result_type_and_can_cast_are_numpys_promotion, "result_type", "can_cast")
guards(data_type.test_finfo_has_numpys_limits_as_python_floats, "finfo")
guards(data_type.test_iinfo_has_numpys_limits_as_python_ints, "iinfo")
guards(data_type.test_isdtype_is_numpys, "isdtype")

guards(indexing_functions.test_take_is_numpys, "take")
guards(indexing_functions.test_take_along_axis_is_numpys, "take_along_axis")
for program in manipulation.PROGRAMS:
    guards(manipulation.test_manipulations_are_numpys_in_every_layout, program.split()[0], name=program)
guards(manipulation.test_broadcast_arrays_gives_a_tuple_of_one_shape, "broadcast_arrays")
guards(manipulation.test_broadcast_shapes_is_arithmetic, "broadcast_shapes")

guards(products.test_matmul_of_every_pair_of_shapes, "matmul")
guards(products.test_matmul_of_every_dtype, "matmul", "Array.__rmatmul__")
guards(products.test_tensordot_over_every_kind_of_axes, "tensordot")
guards(products.test_tensordot_of_every_dtype, "tensordot")
guards(products.test_vecdot_conjugates_its_first_operand, "vecdot")

guards(statistical.test_sum_of_every_dtype, "sum")
guards(statistical.test_small_integers_add_up_in_64_bits_and_these_wrap, "sum")
guards(statistical.test_prod_of_every_dtype, "prod")
guards(statistical.test_extremes_of_every_dtype, "min", "max", by="name")
guards(statistical.test_a_nan_anywhere_decides, "min", "max", by="name")
guards(statistical.test_positions_of_extremes_of_every_dtype, "argmin", "argmax", by="name")
guards(statistical.test_the_first_of_equal_extremes_is_found, "argmin", "argmax", by="name")
guards(statistical.test_truth_of_every_dtype, "any", "all", "count_nonzero", by="name")
guards(statistical.test_means_and_spreads_are_numpys_in_a_wider_dtype, "mean", "std", "var", by="name")
guards(statistical.test_correction_lowers_the_degrees_of_freedom, "std", "var")
guards(statistical.test_a_variance_far_from_zero_does_not_cancel, "var")
guards(statistical.test_cumulative_results_of_every_dtype, "cumulative_sum", "cumulative_prod", by="name")
guards(statistical.test_cumulative_sums_along_axes, "cumulative_sum")
guards(statistical.test_cumulative_products_of_any_numbers, "cumulative_prod")

guards(searching.test_nonzero_of_every_shape_and_layout, "nonzero")
guards(searching.test_searchsorted_finds_places_in_every_dtype, "searchsorted")
guards(searching.test_searchsorted_takes_scalars_sorters_and_nothing, "searchsorted")
guards(sets.test_unique_values_of_every_dtype, "unique_all", "unique_values", "unique_counts", "unique_inverse")
guards(sets.test_isin_of_every_dtype, "isin")
guards(sets.test_nan_is_in_nothing, "isin")
guards(sorting.test_sort_of_every_dtype, "sort")
guards(sorting.test_sort_along_every_axis_of_every_layout, "sort", "argsort")
guards(sorting.test_equal_elements_keep_their_order, "argsort")
guards(utility.test_diff_of_every_dtype, "diff")
guards(utility.test_diff_along_axes_and_of_orders, "diff")
guards(utility.test_diff_joins_what_comes_before_and_after, "diff")
guards(test_values.test_random_arrays, "from_dlpack", "Array.__array__", name="numpy_and_back")
guards(array_object.test_methods_are_numpys, "Array.astype", name="astype")

guards(test_linalg.test_cholesky, "linalg.cholesky")
guards(test_linalg.test_determinants_are_those_of_exact_arithmetic, "linalg.det")
guards(test_linalg.test_slogdet_is_the_logarithm_of_the_determinant, "linalg.slogdet")
guards(test_linalg.test_inv, "linalg.inv")
guards(test_linalg.test_solve, "linalg.solve")
guards(test_linalg.test_qr, "linalg.qr")
guards(test_linalg.test_svd, "linalg.svd")
guards(test_linalg.test_svdvals, "linalg.svdvals")
guards(test_linalg.test_eigh, "linalg.eigh")
guards(test_linalg.test_eigvalsh, "linalg.eigvalsh")
guards(test_linalg.test_eig, "linalg.eig")
guards(test_linalg.test_eigvals, "linalg.eigvals")
guards(test_linalg.test_pinv, "linalg.pinv")
guards(test_linalg.test_pinv_drops_what_is_below_rtol, "linalg.pinv")
guards(test_linalg.test_matrix_rank, "linalg.matrix_rank")
guards(test_linalg.test_matrix_rank_counts_what_is_above_rtol, "linalg.matrix_rank")
guards(test_linalg.test_cross, "linalg.cross")
guards(test_linalg.test_diagonal_is_a_view, "linalg.diagonal")
guards(test_linalg.test_trace, "linalg.trace")
guards(test_linalg.test_outer, "linalg.outer")
guards(test_linalg.test_powers_of_integers_are_exact, "linalg.matrix_power")
guards(test_linalg.test_matrix_power, "linalg.matrix_power")
guards(test_linalg.test_matrix_norm, "linalg.matrix_norm")
guards(test_linalg.test_vector_norm, "linalg.vector_norm")
guards(test_fft.test_lines, *(f"fft.{name}" for name in test_fft.LINES), by="name")
guards(test_fft.test_spaces, *(f"fft.{name}" for name in test_fft.SPACES), by="name")
guards(cosines.test_lines, *(f"fft.{name}" for name in cosines.LINES), by="name")
guards(cosines.test_spaces, *(f"fft.{name}" for name in cosines.SPACES), by="name")
guards(test_fft.test_frequencies, "fft.fftfreq", "fft.rfftfreq", by="name")
guards(test_fft.test_shifts_of_every_dtype, "fft.fftshift", "fft.ifftshift", by="name")
guards(test_fft.test_shifts_along_axes, "fft.fftshift", "fft.ifftshift", by="name")

for program in extra.CALLS:
    guards(extra.test_they_give_what_numpy_gives, program.split()[0].rstrip(","), name=program)
for program in views.CALLS:
    guards(views.test_they_give_what_numpy_gives_and_stay_on_the_device, program.split()[0], name=program, lib=xp)
guards(extra.test_partitions_are_sorted, "partition", "argpartition", by="name")
guards(extra.test_topk, "topk")
guards(scatters.test_add_at, "add_at", host=False)
guards(scatters.test_put_along_axis, "put_along_axis")
guards(scatters.test_bincount, "bincount")
guards(resizing.test_strides_do_not_matter, "delete", "insert", "resize")
guards(test_linalg.test_norm_is_numpys, "linalg.norm")
guards(test_linalg.test_lstsq_is_numpys, "linalg.lstsq")
guards(test_linalg.test_expm, "linalg.expm")
guards(test_linalg.test_cond, "linalg.cond")
guards(test_linalg.test_multi_dot, "linalg.multi_dot")
guards(test_linalg.test_tensors, "linalg.tensorinv", "linalg.tensorsolve")
guards(test_linalg_extras.test_solve_triangular, "linalg.solve_triangular")
guards(test_linalg_extras.test_lu, "linalg.lu")
guards(test_linalg_extras.test_lu_factor_has_both_triangles, "linalg.lu_factor")
guards(test_linalg_extras.test_lu_solve, "linalg.lu_solve")
guards(test_linalg_extras.test_cho_solve, "linalg.cho_factor", "linalg.cho_solve")
guards(einsums.test_they_are_numpys, "einsum")
guards(nans.test_along_any_axes, *nans.SIMPLE, by="name")
guards(nans.test_along_one_axis, "nancumsum", "nancumprod", "nanargmax", "nanargmin", by="name")
guards(nans.test_quantiles, "quantile", "nanquantile", by="name")

guards(
    wrappers.test_values_are_mpmaths, *(f"special.{name}" for name in wrappers.NAMES if name not in SERVES), by="name"
)
guards(integrals.test_sici_is_both_of_its_integrals, "special.sici")
guards(zetas.test_polygamma, "special.polygamma")
guards(through_scipy.test_values_are_scipys, *(f"special.{name}" for name in through_scipy.CALLS), by="name")
guards(gammas.test_digamma_is_psi, "special.digamma")
guards(softmaxes.test_logsumexp, "special.logsumexp")
guards(softmaxes.test_softmax, "special.softmax")
guards(softmaxes.test_log_softmax, "special.log_softmax")
guards(softmaxes.test_multigammaln, "special.multigammaln")
# They give no array: tests/random has them.
NO_ARRAYS = {"random.Generator.bytes", "random.Generator.shuffle", "random.Generator.spawn"}
RECORDED = sorted({f"random.Generator.{name}" for name in test_random.NAMES} - NO_ARRAYS)
guards(test_random.test_samples_are_those_recorded, *RECORDED, by="name")
guards(test_random.test_default_rng_takes_numpys_seeds, "random.default_rng")
guards(test_random.test_normal_vectors_are_made_of_normal_samples, "random.Generator.multivariate_normal")

# Whose values nobody has settled, or which have none.
UNSETTLED = {
    "benchmark",
    "load_ipython_extension",
    "empty",
    "empty_like",
    "compute",
    "sync",
    "explain",
    "record",
    "save",
    "load",
    "memory",
}


def test_every_public_function_is_guarded() -> None:
    public = {name for name, value in vars(xp).items() if inspect.isfunction(value) and name[0] != "_"}
    for short, module in (("linalg", xp.linalg), ("fft", xp.fft), ("special", xp.special)):
        for name, value in vars(module).items():
            if inspect.isfunction(value) and value.__module__ == module.__name__ and name[0] != "_":
                public.add(f"{short}.{name}")
    public.add("random.default_rng")
    methods = inspect.getmembers(xp.random.Generator, inspect.isfunction)
    public |= {f"random.Generator.{name}" for name, _ in methods if name[0] != "_"}
    public -= UNSETTLED | NO_ARRAYS
    assert public <= set(GUARDS), sorted(public - set(GUARDS))


# --- one element off -----------------------------------------------------------------------------


def off(result: Any) -> Any:
    """A result with its last element wrong: truth inverted, an integer off by one, another number by one per cent."""
    if isinstance(result, xp.Array):
        host = result.to_numpy()
        if not host.size:
            return result
        last = host[(-1,) * host.ndim]
        if host.dtype.kind == "b":
            last = not last
        elif host.dtype.kind in "iu":
            last = last ^ 1
        else:
            last = last * 1.01 if last and np.isfinite(last) else 1
        host[(-1,) * host.ndim] = last
        return was.asarray(host, device=result.device)
    if isinstance(result, np.ndarray):
        return np.where(result == result, result + 1, 0).astype(result.dtype)
    if isinstance(result, bool):
        return not result
    if isinstance(result, int):
        return result + 1
    if isinstance(result, (list, tuple)):
        items = [off(result[0]), *result[1:]] if result else []
        return result._make(items) if hasattr(result, "_make") else tuple(items)
    if isinstance(result, np.dtype):
        return np.dtype("int8" if result != "int8" else "int16")
    return SimpleNamespace(**{name: getattr(result, name) for name in dir(result) if name[0] != "_"} | {"max": 0.0})


IN_PLACE = {"add_at", "put_along_axis"}  # functions that write into their first argument


# An in-place operator gives the array itself, so its result cannot be exchanged; `MUTATIONS` has its mistakes.
@pytest.mark.parametrize("path", [path for path in GUARDS if not path.startswith("Array.__i")])
def test_one_wrong_element_is_caught(path: str, device: Device) -> None:
    check_caught(path, first_off if path in IN_PLACE else after(off), device)


def first_off(right: Function) -> Function:
    """The right function, after which the last element of its first argument is wrong."""

    def wrong(target: Any, *args: Any, **options: Any) -> None:
        right(target, *args, **options)
        target[...] = off(target)

    return wrong


# --- mistakes ------------------------------------------------------------------------------------


def after(change: Change) -> Callable[[Function], Function]:
    """The right result, changed."""
    return lambda right: lambda *args, **options: change(right(*args, **options))


def each(change: Change) -> Callable[[Function], Function]:
    """The right result, each of its arrays changed."""

    def all_of(result: Any) -> Any:
        if isinstance(result, xp.Array):
            return change(result)
        items = [change(item) for item in result]
        return result._make(items) if hasattr(result, "_make") else tuple(items)

    return after(all_of)


def floating(x: xp.Array) -> bool:
    return x.dtype.kind in "fc"


zeros = each(lambda x: was.zeros_like(x))
inverted = each(lambda x: was.logical_not(x))
negative_zeros_lost = each(lambda x: was.add(x, 0))
backwards = each(lambda x: was.flip(x, axis=-1))


def times(factor: float) -> Callable[[Function], Function]:
    """Multiplied, where the result is no integer."""
    return each(lambda x: was.multiply(x, factor) if floating(x) else x)


def plus(number: float) -> Callable[[Function], Function]:
    return each(lambda x: was.astype(was.add(x, number), x.dtype))


def without(*names: str) -> Callable[[Function], Function]:
    """Arguments that are ignored."""

    def wrong(right: Function) -> Function:
        return lambda *args, **options: right(*args, **{k: v for k, v in options.items() if k not in names})

    return wrong


def instead(function: Function) -> Callable[[Function], Function]:
    """Another function."""
    return lambda right: function


def with_scalar(change: Function) -> Callable[[Function], Function]:
    """An operator that is wrong for scalars only: ``change(right, array, scalar)``."""

    def wrong(right: Function) -> Function:
        return lambda x, y: right(x, y) if isinstance(y, xp.Array) else change(right, x, y)

    return wrong


def swapped(right: Function) -> Function:
    return lambda one, other, /, **options: right(other, one, **options)


def axis_after(right: Function) -> Function:
    """The axis after the one asked for."""

    def wrong(x: Any, *args: Any, axis: Any = -1, **options: Any) -> Any:
        return right(x, *args, axis=(axis + 1) % x.ndim if isinstance(axis, int) else axis, **options)

    return wrong


OPPOSITE: Any = {"backward": "forward", "forward": "backward", "ortho": "ortho"}

MUTATIONS: list[tuple[str, str, Callable[[Function], Function]]] = [
    # What array-api-strict may do without the official suite noticing.
    *((f"linalg.{name}", "zeros", zeros) for name in (
        "det", "inv", "solve", "cholesky", "svd", "svdvals", "eigh", "eigvalsh", "eig", "eigvals", "qr", "pinv",
        "slogdet", "vector_norm", "matrix_norm", "matrix_power", "matrix_rank",
    )),
    ("matmul", "doubled for floats", times(2)),
    ("matmul", "doubled for integers", each(lambda x: x if floating(x) else was.multiply(x, 2))),
    *((name, "doubled for floats", times(2)) for name in (
        "tensordot", "vecdot", "linalg.cross", "linalg.trace", "linalg.outer", "std", "var",
    )),
    *((f"fft.{name}", "zeros", zeros) for name in ("fft", "ifft", "rfft", "fftfreq")),
    ("fft.fftshift", "its input", instead(lambda x, /, axes=None: x)),
    ("mean", "times 1.2", times(1.2)),
    ("cumulative_prod", "zeros", zeros),
    ("sum", "times 1.01", times(1.01)),
    ("prod", "times 1.01", times(1.01)),
    ("searchsorted", "zeros", zeros),
    ("isin", "inverted", inverted),
    ("Array.__add__", "off by 7 for scalars", with_scalar(lambda right, x, y: was.astype(
        was.add(right(x, y), 7), x.dtype) if x.dtype.kind != "b" else right(x, y))),
    ("Array.__mul__", "tripled for scalars", with_scalar(lambda right, x, y: was.multiply(right(x, y), 3))),
    ("Array.__gt__", "inverted for scalars", with_scalar(lambda right, x, y: was.logical_not(right(x, y)))),
    ("hypot", "times 1.2", times(1.2)),
    ("logaddexp", "times 1.2", times(1.2)),
    ("sin", "plus 0.9", plus(0.9)),
    ("floor_divide", "plus 0.9 for floats", each(lambda x: was.add(x, 0.9) if floating(x) else x)),
    ("log", "times 1.2", times(1.2)),
    ("sqrt", "times 1.2", times(1.2)),
    ("diff", "zeros", zeros),
    # Operators and scalars.
    ("Array.__sub__", "the scalar is ignored", with_scalar(lambda right, x, y: x)),
    ("Array.__rsub__", "the wrong way round", lambda right: lambda x, y: was.subtract(x, y)),
    ("Array.__rtruediv__", "the wrong way round", lambda right: lambda x, y: was.divide(x, y)),
    ("Array.__rpow__", "the wrong way round", lambda right: lambda x, y: was.pow(x, y)),
    ("Array.__rrshift__", "the wrong way round", lambda right: lambda x, y: was.bitwise_right_shift(x, y)),
    ("Array.__mod__", "the sign of the dividend", with_scalar(lambda right, x, y: was.subtract(
        x, was.multiply(y, was.trunc(was.divide(x, y)))) if floating(x) else right(x, y))),
    ("Array.__floordiv__", "towards zero", with_scalar(lambda right, x, y: was.astype(
        was.trunc(was.divide(x, y)), x.dtype))),
    ("Array.__pow__", "a square whatever the exponent", with_scalar(lambda right, x, y: was.square(x))),
    ("Array.__eq__", "greater or equal", with_scalar(lambda right, x, y: was.greater_equal(x, y)
        if x.dtype.kind in "iuf" else right(x, y))),
    ("Array.__iadd__", "not in place", lambda right: lambda x, y: was.add(x, y)),
    ("Array.__imul__", "nothing happens", lambda right: lambda x, y: x),
    ("Array.__ior__", "xor", lambda right: lambda x, y: x.__ixor__(y)),
    ("Array.__matmul__", "the wrong way round", lambda right: lambda x, y: was.matmul(was.asarray(y), x)),
    # Signs of zero, NaN, infinity.
    ("multiply", "negative zeros lost", negative_zeros_lost),
    ("negative", "zero minus the number", instead(lambda x, /: was.subtract(0, x))),
    ("round", "negative zeros lost", negative_zeros_lost),
    ("round", "halves away from zero", instead(lambda x, /: was.astype(
        was.multiply(was.sign(x), was.floor(was.add(was.abs(x), 0.5))), x.dtype) if x.dtype.kind == "f" else x)),
    ("copysign", "the sign bit of zero not seen", instead(lambda x, y, /: was.where(y < 0, -was.abs(x), was.abs(x)))),
    ("signbit", "less than zero", instead(lambda x, /: was.less(x, 0))),
    ("asarray", "negative zeros lost", lambda right: lambda x, **options: was.add(right(x, **options), 0)
        if getattr(x, "dtype", np.dtype(int)).kind == "f" else right(x, **options)),
    ("maximum", "NaN ignored", instead(lambda x, y, /: was.where(x > y, x, y))),
    ("max", "NaN becomes infinity", each(lambda x: was.where(was.isnan(x), np.inf, x) if floating(x) else x)),
    ("floor_divide", "infinities give NaN", instead(lambda x, y, /: was.where(
        was.isinf(x), np.nan, was.floor_divide(x, y)) if x.dtype.kind == "f" else was.floor_divide(x, y))),
    ("isfinite", "not infinite", instead(lambda x, /: was.logical_not(was.isinf(x)))),
    # Accuracy, overflow, cancellation.
    ("expm1", "exp - 1", instead(lambda x, /: was.exp(x) - 1)),
    ("log1p", "log of the sum", instead(lambda x, /: was.log(x + 1))),
    ("hypot", "root of the sum of squares", instead(lambda x, y, /: was.sqrt(x * x + y * y))),
    ("logaddexp", "log of the sum of exp", instead(lambda x, y, /: was.log(was.exp(x) + was.exp(y)))),
    ("abs", "root of the sum of squares", instead(lambda x, /: was.sqrt(was.real(x) ** 2 + was.imag(x) ** 2)
        if x.dtype.kind == "c" else was.abs(x))),
    ("pow", "exp of the logarithm", instead(lambda x, y, /: was.exp(y * was.log(x)))),
    ("var", "mean of squares less square of mean", instead(lambda x, /, *, axis=None, correction=0.0, keepdims=False:
        was.mean(x * x, axis=axis, keepdims=keepdims) - was.mean(x, axis=axis, keepdims=keepdims) ** 2)),
    # Complex numbers.
    ("conj", "its operand", instead(lambda x, /: x)),
    ("vecdot", "not conjugated", lambda right: lambda x, y, /, axis=-1: right(was.conj(x), y, axis=axis)),
    ("vecdot", "the second operand conjugated", swapped),
    ("tensordot", "conjugated", lambda right: lambda x, y, /, axes=2: right(was.conj(x), y, axes=axes)),
    ("imag", "of the conjugate", instead(lambda x, /: was.imag(was.conj(x)) if x.dtype.kind == "c" else was.imag(x))),
    ("linalg.vector_norm", "the real part only", lambda right: lambda x, /, **options: right(was.real(x), **options)),
    ("linalg.cholesky", "transposed, not adjoint", lambda right: lambda x, /, upper=False: right(x, upper=True).mT
        if not upper else right(x, upper=False).mT),
    ("fft.ifft", "not conjugated", lambda right: lambda x, /, *, n=None, axis=-1, norm="backward":
        xp.fft.fft(x, n=n, axis=axis, norm=OPPOSITE[norm])),
    # Axes, sides, orders, arguments.
    *((name, "the next axis", axis_after) for name in (
        "sort", "argsort", "cumulative_sum", "take", "take_along_axis", "diff",
    )),
    ("matrix_transpose", "all axes", instead(lambda x, /: was.permute_dims(x, tuple(reversed(range(x.ndim)))))),
    ("permute_dims", "the inverse order", lambda right: lambda x, /, axes: right(x, tuple(
        sorted(range(x.ndim), key=[a % x.ndim for a in axes].__getitem__)))),
    ("flip", "nothing", instead(lambda x, /, *, axis=None: x)),
    ("roll", "the other way", lambda right: lambda x, /, shift, *, axis=None: right(
        x, tuple(-s for s in shift) if isinstance(shift, tuple) else -shift, axis=axis)),
    ("concat", "in reverse", lambda right: lambda arrays, /, *, axis=0: right(arrays[::-1], axis=axis)),
    ("stack", "the first axis", without("axis")),
    ("unstack", "in reverse", after(lambda result: result[::-1])),
    ("repeat", "tiled", lambda right: lambda x, repeats, /, *, axis=None: was.concat([x] * repeats, axis=axis)
        if isinstance(repeats, int) and repeats else right(x, repeats, axis=axis)),
    ("tile", "repeated", lambda right: lambda x, reps, /: was.reshape(
        was.repeat(was.reshape(x, (-1,)), int(np.prod(reps))), right(x, reps).shape)),
    ("where", "the other way round", lambda right: lambda condition, x, y, /: right(condition, y, x)),
    ("clip", "the maximum is ignored", lambda right: lambda x, /, min=None, max=None: right(x, min, None)),
    ("clip", "the minimum wins", instead(lambda x, /, min=None, max=None: was.maximum(
        x if max is None else was.minimum(x, max), min) if min is not None else was.clip(x, None, max))),
    ("std", "the correction is dropped", without("correction")),
    ("var", "the correction is dropped", without("correction")),
    ("var", "n + correction", lambda right: lambda x, /, *, correction=0.0, **options: right(
        x, correction=-correction, **options)),
    ("cumulative_sum", "no initial zero", without("include_initial")),
    ("cumulative_sum", "exclusive", lambda right: lambda x, /, **options: right(x, **options) - x
        if not options.get("include_initial") and "dtype" not in options else right(x, **options)),
    ("cumulative_prod", "a sum", instead(lambda x, /, **options: was.cumulative_sum(x, **options))),
    ("sum", "in the operand's dtype", lambda right: lambda x, /, **options: right(x, **{"dtype": x.dtype} | options)),
    ("argmax", "the last of equal ones", lambda right: lambda x, /, *, axis=None, keepdims=False:
        x.size - 1 - right(was.flip(was.reshape(x, (-1,)))) if axis is None and not keepdims
        else right(x, axis=axis, keepdims=keepdims)),
    ("argmin", "of the largest", instead(lambda x, /, **options: was.argmax(x, **options))),
    ("count_nonzero", "zeros counted", lambda right: lambda x, /, **options: right(was.equal(x, 0), **options)),
    ("all", "any", instead(lambda x, /, **options: was.any(x, **options))),
    ("any", "all", instead(lambda x, /, **options: was.all(x, **options))),
    ("searchsorted", "always left", without("side")),
    ("searchsorted", "the sorter is ignored", without("sorter")),
    ("searchsorted", "the other side", lambda right: lambda x, y, /, *, side="left", sorter=None: right(
        x, y, side="left" if side == "right" else "right", sorter=sorter)),
    ("sort", "downwards", lambda right: lambda x, /, *, descending=False, **options: right(
        x, descending=not descending, **options)),
    ("sort", "not sorted", instead(lambda x, /, **options: x)),
    ("argsort", "equal ones reversed when descending", lambda right: lambda x, /, *, axis=-1, descending=False:
        was.flip(right(x, axis=axis), axis=axis) if descending else right(x, axis=axis)),
    ("unique_values", "not sorted", backwards),
    ("unique_counts", "one each", after(lambda result: result._make((result[0], was.ones_like(result[1]))))),
    ("unique_inverse", "places of the sorted", after(lambda result: result._make((result[0], was.sort(result[1]))))),
    ("unique_all", "the last of equal ones", after(lambda result: result._make(
        (result[0], result[1] + (result[3] > 1), *result[2:])))),
    ("isin", "invert is ignored", without("invert")),
    ("isin", "NaN is in itself", lambda right: lambda x, y, /, **options: right(
        was.where(was.isnan(x), 0.0, x), was.where(was.isnan(y), 0.0, y), **options) if x.dtype.kind == "f"
        else right(x, y, **options)),
    ("nonzero", "axes in reverse", after(lambda result: result[::-1])),
    ("take", "the place after", lambda right: lambda x, places, /, *, axis=None: right(x, places - 1, axis=axis)),
    ("diff", "of the first order", without("n")),
    ("diff", "nothing is joined", without("prepend", "append")),
    ("diff", "first less second", each(lambda x: x if x.dtype.kind == "b" else was.negative(x))),
    ("astype", "rounded", lambda right: lambda x, dtype, /, **options: right(
        was.round(x) if x.dtype.kind == "f" and np.dtype(dtype).kind in "iu" else x, dtype, **options)),
    ("astype", "wrapped, not saturated", lambda right: lambda x, dtype, /, **options: right(
        right(x, "int64") if x.dtype.kind == "f" and np.dtype(dtype).kind in "iu" else x, dtype, **options)),
    ("astype", "truth is the lowest bit", lambda right: lambda x, dtype, /, **options: right(
        x % 2 if x.dtype.kind in "iu" and np.dtype(dtype).kind == "b" else x, dtype, **options)),
    ("bitwise_left_shift", "the count is masked", instead(lambda x, y, /: was.bitwise_left_shift(
        x, was.bitwise_and(y, 8 * x.itemsize - 1)))),
    ("bitwise_right_shift", "logical, not arithmetic", instead(lambda x, y, /: was.bitwise_right_shift(
        was.abs(x), y))),
    ("remainder", "the sign of the dividend", instead(lambda x, y, /: was.where(
        was.remainder(x, y) * x < 0, was.remainder(x, y) - y, was.remainder(x, y)))),
    ("nextafter", "stays", instead(lambda x, y, /: x)),
    ("linspace", "the end point left out", lambda right: lambda *args, **options: right(
        *args, **options | {"endpoint": False})),
    ("arange", "one step on", lambda right: lambda *args, **options: right(*args, **options) + 1),
    ("eye", "the other side", lambda right: lambda *args, k=0, **options: right(*args, k=-k, **options)),
    ("tril", "the diagonal is ignored", without("k")),
    ("triu", "the lower one", instead(lambda x, /, *, k=0: was.tril(x, k=k))),
    ("meshgrid", "indexing is ignored", without("indexing")),
    ("broadcast_arrays", "in reverse", after(lambda result: result[::-1])),
    ("from_dlpack", "negated", each(lambda x: was.multiply(x, 2) if x.dtype.kind != "b" else was.logical_not(x))),
    # Linear algebra and transforms.
    ("linalg.cholesky", "always lower", without("upper")),
    ("linalg.inv", "transposed", each(lambda x: x.mT)),
    ("linalg.solve", "the product", instead(lambda x, y, /: was.matmul(x, y))),
    ("linalg.det", "the sign is lost", each(lambda x: was.abs(x))),
    ("linalg.slogdet", "the sign is one", after(lambda result: result._make((was.ones_like(result[0]), result[1])))),
    ("linalg.qr", "always reduced", without("mode")),
    ("linalg.svd", "never full", lambda right: lambda x, /, *, full_matrices=True: right(x, full_matrices=False)),
    ("linalg.svd", "V instead of its adjoint", after(lambda result: result._make((*result[:2], result[2].mT)))),
    ("linalg.svdvals", "ascending", backwards),
    ("linalg.eigh", "descending", backwards),
    ("linalg.eigh", "rows for columns", after(lambda result: result._make((result[0], result[1].mT)))),
    ("linalg.eigvalsh", "magnitudes", each(lambda x: was.abs(x))),
    ("linalg.eig", "rows for columns", after(lambda result: result._make((result[0], result[1].mT)))),
    ("linalg.pinv", "rtol is ignored", without("rtol")),
    ("linalg.matrix_rank", "rtol is ignored", without("rtol")),
    ("linalg.matrix_power", "one more", lambda right: lambda x, n, /: right(x, n + 1)),
    ("linalg.matrix_norm", "always Frobenius", without("ord")),
    ("linalg.vector_norm", "always Euclidean", without("ord")),
    ("linalg.vector_norm", "not rooted", lambda right: lambda x, /, **options: right(x, **options) ** 2),
    ("linalg.cross", "the wrong way round", swapped),
    ("linalg.outer", "the wrong way round", swapped),
    ("linalg.diagonal", "the other side", lambda right: lambda x, /, *, offset=0: right(x, offset=-offset)),
    ("linalg.trace", "the offset is ignored", without("offset")),
    ("fft.fft", "unscaled", without("norm")),
    ("fft.rfft", "of its own length", without("n")),
    ("fft.irfft", "of its own length", without("n")),
    ("fft.hfft", "conjugated", lambda right: lambda x, /, **options: right(was.conj(x), **options)),
    ("fft.ihfft", "not conjugated", each(lambda x: was.conj(x))),
    ("fft.fftn", "the last axis only", lambda right: lambda x, /, *, s=None, axes=None, norm="backward": right(
        x, s=s[-1:] if s else s, axes=axes[-1:] if axes else (-1,), norm=norm)),
    ("fft.irfftn", "axes in reverse", lambda right: lambda x, /, *, s=None, axes=None, norm="backward": right(
        x, s=s[::-1] if s else s, axes=axes[::-1] if axes else axes, norm=norm)),
    *((f"fft.{name}", "never orthogonal", without("orthogonalize", "norm")) for name in cosines.LINES),
    *((f"fft.{name}", "of type 2", lambda right: lambda x, kind, **options: right(x, **options))
        for name in cosines.SPACES),
    ("fft.fftfreq", "the spacing is ignored", without("d")),
    ("fft.rfftfreq", "the spacing is ignored", without("d")),
    ("fft.fftshift", "the other way", instead(lambda x, /, *, axes=None: xp.fft.ifftshift(x, axes=axes))),
    ("fft.ifftshift", "all axes", without("axes")),
]  # fmt: skip


@pytest.mark.parametrize(("path", "wrong"), [pytest.param(m[0], m[2], id=f"{m[0]}: {m[1]}") for m in MUTATIONS])
def test_a_mistake_is_caught(path: str, wrong: Callable[[Function], Function], device: Device) -> None:
    check_caught(path, wrong, device)


def test_what_is_right_is_not_caught(device: Device) -> None:
    """The guards pass as long as nothing is wrong: a few of their calls each, with the function wrapped but right."""
    for path in ("matmul", "linalg.inv", "fft.fft", "searchsorted", "Array.__add__"):
        owner, name = place(path)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(owner, name, after(lambda result: result)(getattr(owner, name)))
            for guard in GUARDS[path]:
                assert not any(guard.fails(arguments) for arguments in guard.calls(device)[:3])
