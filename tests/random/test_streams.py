"""Samples as expressions of their places: the same whatever is computed of them, and however they are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from support import assert_same, no_launch, scalar_twin, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core import store, tuning
from arrayapi_gpu.memory.dtypes import SHORT
from arrayapi_gpu.random import streams
from arrayapi_gpu.random.philox import PHILOX4X32, Philox, philox_block

SIZES = [(), (1,), (7,), (1000,), (33, 47), (4099,), (0,), (3, 0)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("before", range(9))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_uniform_numbers_are_numpys(twin: Device, dtype: Any, before: int, size: tuple[int, ...]) -> None:
    if dtype == "float64" and "f64" not in twin.dtypes:
        pytest.skip(f"{twin} has no {dtype}")
    theirs, ours = np.random.Generator(np.random.Philox(3)), xp.random.default_rng(3)
    theirs.random(before, dtype=np.float32), ours.random(before, dtype=xp.float32, device=twin)
    got = ours.random(size, dtype=dtype, device=twin)
    assert got.dtype == dtype and got.shape == size
    assert (to_host(got) == theirs.random(size, dtype=dtype)).all()
    assert (to_host(ours.random(3, dtype="float32", device=twin)) == theirs.random(3, dtype=np.float32)).all()


@pytest.mark.parametrize("size", [(1000,), (33, 47), (4099,), (70001,)])
@pytest.mark.parametrize("before", [0, 1, 4, 7])
@pytest.mark.parametrize("method", ["random", "standard_normal"])
def test_samples_are_the_same_in_every_kernel(
    twin: Device, method: str, before: int, size: tuple[int, ...]
) -> None:  # fmt: skip
    """Whether neighbours share blocks or each makes its own."""
    ours = xp.random.default_rng(3)
    ours.random(before, dtype="float32", device=twin)
    stored = to_host(x := getattr(ours, method)(size, dtype="float32", device=twin))
    ours = xp.random.default_rng(3)
    ours.random(before, dtype="float32", device=twin)
    state = ours.bit_generator.state

    def again() -> Any:
        ours.bit_generator.state = state
        return getattr(ours, method)(size, dtype="float32", device=twin)

    assert (to_host(xp.max(again())) == stored.max()).all()
    assert (to_host(xp.max(again(), axis=0)) == stored.max(axis=0)).all()
    assert (to_host(xp.min(again(), axis=-1)) == stored.min(axis=-1)).all()
    assert (to_host(again()[::3]) == stored[::3]).all()
    assert (to_host(xp.flip(again())) == np.flip(stored)).all()
    assert (to_host(xp.permute_dims(again(), tuple(range(len(size)))[::-1])) == stored.T).all()
    assert (to_host(again() - x) == 0).all()
    longer = xp.zeros((stored.size + 3,), dtype="float32", device=twin)
    longer[3:] = xp.reshape(again(), (-1,))
    assert (to_host(longer)[3:] == stored.ravel()).all()


@pytest.fixture
def few_items(device: Device, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    """A device of one lane, as GPUs have, and few work-items: on GPUs these are so many that no test would let them go
    on."""
    monkeypatch.setattr(tuning, "LOOPING_ITEMS", 2 * tuning.VECTOR_GROUP)
    store.clear()
    yield scalar_twin(device)
    store.clear()


@pytest.mark.parametrize("before", [0, 3, 8])
def test_work_items_that_go_on_draw_the_same(few_items: Device, before: int) -> None:
    theirs, ours = np.random.Generator(np.random.Philox(3)), xp.random.default_rng(3)
    theirs.random(before, dtype="float32"), ours.random(before, dtype="float32", device=few_items)
    for size in (70_000, 65_536, 8, 1):
        got = to_host(ours.random(size, dtype="float32", device=few_items))
        assert (got == theirs.random(size, dtype="float32")).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("between", [8, 5])
def test_draws_that_begin_at_different_places_of_blocks_go_on_together(
    few_items: Device, dtype: str, between: int
) -> None:  # fmt: skip
    if dtype == "float64" and "f64" not in few_items.dtypes:
        pytest.skip(f"{few_items} has no {dtype}")
    for before in range(8):
        ours = xp.random.default_rng(3)
        ours.random(before, dtype="float32", device=few_items)
        state = ours.bit_generator.state

        def drawn(ours: xp.random.Generator = ours) -> list[xp.Array]:
            first = ours.standard_exponential(20_003, dtype=dtype, device=few_items)
            ours.random(between, dtype="float32", device=few_items)
            return [first, ours.uniform(size=20_003, dtype=dtype, device=few_items)]

        one, other = map(to_host, drawn())
        ours.bit_generator.state = state
        with xp.record() as launches:
            together = to_host(xp.add(*drawn()))
        assert list(launches)[-1].kernel.count("philox") == 2
        assert (together == one + other).all()


def short_words(bits: Philox, halves: list[int]) -> list[int]:
    """The short words at places that are counted in half words, one by one on the host."""
    words = []
    for half in halves:
        number, word = divmod(half, 4)  # of a block of Philox4x32, of which a block of the stream has two
        above, block = divmod(number, 2**64)
        key, upper, *_ = philox_block(above % 2**193 | 2**255, bits.key)
        words.append(philox_block(upper << 64 | block, (key % 2**32, key >> 32), PHILOX4X32)[word])
    return words


@pytest.mark.parametrize("size", [(), (1,), (7,), (1003,), (33, 47), (3, 0)])
@pytest.mark.parametrize("before", range(9))
def test_short_words_are_philox4x32s(twin: Device, before: int, size: tuple[int, ...]) -> None:
    bits = Philox(5)
    begin = 2 * bits.place
    bits.take_halves(before)
    got = to_host(streams.short_words(bits, size, twin))
    expected = short_words(bits, [begin + before + k for k in range(got.size)])
    assert got.shape == size and got.ravel().tolist() == expected


@pytest.mark.parametrize("before", [1, 3])
@pytest.mark.parametrize("between", [0, 1, 2, 6])
def test_short_words_that_lie_apart(device: Device, before: int, between: int) -> None:
    """A half that was left over comes first, wherever words were drawn in between."""
    bits = Philox(5)
    begin = 2 * bits.place
    bits.take_halves(before)
    bits.take(between)
    got = to_host(streams.short_words(bits, (5,), device)).tolist()
    after = begin + before + 1 + 2 * between
    assert got == short_words(bits, [begin + before, *range(after, after + 4)])


@pytest.mark.parametrize("counter", [2**63 - 3, 2**64 - 3, 2**255 - 3, 2**256 - 3])
def test_short_words_go_on_where_the_key_changes(twin: Device, counter: int) -> None:
    bits = Philox(key=9, counter=counter)
    begin = 2 * bits.place
    bits.take_halves(3)
    got = to_host(streams.short_words(bits, (40,), twin)).tolist()
    assert got == short_words(bits, [begin + 3 + k for k in range(40)])


@pytest.mark.parametrize("before", [0, 3])
def test_uniform_samples_of_float32_are_the_first_bits_of_short_words(twin: Device, before: int) -> None:
    bits = Philox(3)
    begin = 2 * bits.place
    ours = xp.random.Generator(bits)
    ours.random(before, dtype="float32", device=twin)
    got = to_host(ours.uniform(size=50, dtype="float32", device=twin))
    assert got.tolist() == [
        (word >> 8) * 2.0**-24 for word in short_words(bits, [begin + before + k for k in range(50)])
    ]


def test_short_words_differ_from_stream_to_stream(device: Device) -> None:
    """Of other keys, jumps and children; and none has the half words at its place."""
    bits = Philox(5)
    found = [bits.jumped(), bits.jumped(2), Philox(6), *bits.spawn(2), Philox(key=1), Philox(key=2**64), bits]
    words = [to_host(streams.short_words(one, (64,), device)).tolist() for one in found]
    words.append(to_host(streams.half_words(Philox(5), (64,), device)).tolist())
    assert len({word for some in words for word in some}) == 64 * len(words)


def test_half_words_that_lie_apart(device: Device) -> None:
    """A half word that was left over comes first, wherever words were drawn in between."""
    theirs, ours = np.random.Generator(np.random.Philox(3)), xp.random.default_rng(3)
    for _ in range(3):
        assert (to_host(ours.random(3, dtype="float32")) == theirs.random(3, dtype=np.float32)).all()
        assert (ours.bit_generator.random_raw(2) == theirs.bit_generator.random_raw(2)).all()


def test_samples_are_not_stored(device: Device) -> None:
    rng = xp.random.default_rng(1)
    xp.compute(xp.sum(rng.random(10**6)))  # so that the kernels have their scratch memory
    with no_launch():
        y = xp.sum(xp.sqrt(1 - rng.random(10**6) ** 2))
    with xp.record() as made:
        xp.compute(y)
    assert sum(launch.bytes for launch in made) < 10**5
    assert len(made) == 1 or not device.is_gpu
    assert abs(float(y) * 4e-6 - np.pi) < 0.01


TAILS = [2.0**-33, 1e-9, 1e-5, 0.0045, 0.0047, 0.02, 0.0756, 0.2, 0.3, 0.4999, 0.5]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["standard_normal", "standard_exponential"])
def test_quantiles_are_those_of_mpmath(device: Device, name: str, dtype: str) -> None:
    if dtype == "float64" and "f64" not in device.dtypes:
        pytest.skip(f"{device} has no float64")
    rng = np.random.default_rng(1)
    sizes = np.concatenate(
        [TAILS, 2.0 ** -rng.uniform(1, 33 if dtype == "float32" else 65, 200), rng.uniform(0, 0.5, 200)]
    )
    tails = np.concatenate([sizes, -sizes[sizes < 0.5]]).astype(dtype)
    got = to_host(streams.operation(name, dtype, xp.asarray(tails)))
    with mpmath.workdps(40):
        for tail, value in zip(tails.tolist(), got.tolist(), strict=True):
            if name == "standard_normal":
                exact = -mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * mpmath.mpf(abs(tail))) * (1 if tail > 0 else -1)
            else:
                exact = -mpmath.log1p(-mpmath.mpf(tail)) if tail > 0 else -mpmath.log(-mpmath.mpf(tail))
            bound = 4 * np.finfo(dtype).eps * abs(float(exact))
            assert abs(value - exact) <= bound, tail


@pytest.mark.parametrize("bits", [32, 64])
def test_tails_are_fractions_in_the_middle_between_two(device: Device, bits: int) -> None:
    if bits == 64 and "f64" not in device.dtypes:
        pytest.skip(f"{device} has no float64")
    half, top = 2 ** (bits - 1), 2**bits - 1
    words = np.array([0, 1, 5, half - 1, half, top - 1, top], dtype=f"u{bits // 8}")
    got = to_host(streams.operation("tail", f"f{bits // 8}", xp.asarray(words)))
    with mpmath.workdps(40):
        exact = [mpmath.mpf(2 * int(word) + 1) / 2 ** (bits + 1) for word in words]
        expected = [np.dtype(f"f{bits // 8}").type(x if x < 0.5 else x - 1) for x in exact]
    assert got.tolist() == [float(x) for x in expected]


def test_parameters_say_what_the_samples_are(device: Device) -> None:
    rng = xp.random.default_rng(1)
    loc, scale = xp.asarray([0.0, 100.0]), xp.ones((3, 1))
    assert rng.normal(loc, scale).shape == (3, 2)
    assert rng.normal(loc, scale, size=(4, 3, 2)).shape == (4, 3, 2)
    with pytest.raises(ValueError, match="normal: size is"):
        rng.normal(loc, scale, size=(2,))
    with pytest.raises(TypeError, match="normal: dtype is"):
        rng.normal(dtype=xp.int32)


OUTSIDE: list[tuple[str, tuple[Any, ...]]] = [
    ("normal", (0, -1)), ("exponential", (-1,)), ("gamma", (-1, 1)), ("beta", (0, 1)), ("standard_t", (0,)),
    ("poisson", (-1,)), ("poisson", (1e20,)), ("binomial", (3, 1.5)), ("binomial", (-1, 0.5)), ("geometric", (0,)),
    ("wald", (0, 1)), ("triangular", (0, 2, 1)), ("negative_binomial", (0, 0.5)), ("vonmises", (0, -1)),
    ("pareto", (0,)), ("multinomial", (3, [0.5, -0.5])), ("dirichlet", ([1, -1],)), ("integers", (3, 3)),
]  # fmt: skip
HOSTS: dict[str, Any] = {
    "numbers": lambda x: x,
    "lists": lambda x: [x, x],
    "NumPy's numbers": lambda x: np.asarray(x)[()],
    "NumPy's arrays": lambda x: np.stack([np.asarray(x)] * 2),
}


@pytest.mark.parametrize("given", HOSTS)
@pytest.mark.parametrize(("name", "arguments"), OUTSIDE)
def test_what_is_outside_its_domain_is_refused_and_no_words_are_taken(
    device: Device, name: str, arguments: tuple[Any, ...], given: str
) -> None:
    rng = xp.random.default_rng(1)
    place = rng.bit_generator.place
    with pytest.raises(ValueError, match=rf"{name}: .*allowed"):
        getattr(rng, name)(*map(HOSTS[given], arguments))
    assert rng.bit_generator.place == place


@pytest.mark.parametrize("value", ["a", None, object()])
def test_what_is_no_number_is_refused(device: Device, value: Any) -> None:
    with pytest.raises(TypeError, match=r"normal: .*allowed: real numbers"):
        xp.random.default_rng(1).normal(0, value)


def test_arrays_outside_their_domain_give_nan(device: Device) -> None:
    rng = xp.random.default_rng(1)
    for name in ("standard_gamma", "chisquare"):
        assert np.isnan(to_host(getattr(rng, name)(xp.asarray([-1.0, 2.0])))).tolist() == [True, False]


def test_samples_can_be_explained(device: Device) -> None:
    """And what explains them gives the same numbers."""
    x = xp.random.default_rng(1).normal(size=5)
    scope: dict[str, Any] = {"xp": xp}
    exec(xp.explain(x), scope)
    last = max((name for name in scope if name[0] == "v"), key=lambda name: int(name[1:]))
    assert (to_host(scope[last]) == to_host(x)).all()


def test_words_are_random_raw(device: Device) -> None:
    with config.set(specialise="always"):
        stream = Philox(4)
        assert (to_host(streams.words(stream, (37,), device)) == Philox(4).random_raw(37)).all()
        assert stream.place == 37 + 4


@pytest.mark.parametrize("behind", [0, 1, 5, 40, 3000])
@pytest.mark.parametrize("upper", [0, 7, 2**64 - 1, 2**128 - 1, 2**192 - 1])
def test_a_stream_goes_on_where_the_lowest_word_of_its_counter_overflows(twin: Device, behind: int, upper: int) -> None:
    options: dict[str, Any] = {"key": 5, "counter": (upper << 64) + 2**64 - 1 - behind}
    own, theirs = xp.random.Generator(xp.random.Philox(**options)), np.random.Generator(np.random.Philox(**options))
    for dtype in ("float32", "float64"):
        if SHORT[np.dtype(dtype)] in twin.dtypes:
            assert_same(to_host(own.random(4099, dtype=dtype, device=twin)), theirs.random(4099, dtype=dtype))
    x, y = own.random((40, 3), dtype="float32", device=twin), theirs.random((40, 3), dtype="float32")
    assert_same(to_host(x[::7]), y[::7])
