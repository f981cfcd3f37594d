"""`from_dlpack`: what comes in is the same memory where a device computes in it, else a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import DTYPES, assert_same, no_launch, sample, to_host
from support.producers import CPU, OldProducer, Producer

import arrayapi_gpu as xp
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.memory.dlpack import IS_COPIED

pytestmark = pytest.mark.usefixtures("host_shared")

ELSEWHERE = (10, 0)  # a kind of device for which there is no back end


def test_who_reads_later_reads_before_a_producer_writes() -> None:
    a = np.zeros(3)
    y = xp.from_dlpack(a) + 1
    a[:] = 7
    assert to_host(y).tolist() == [1, 1, 1]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "key", [np.s_[:], np.s_[::2], np.s_[::-1, 1:], np.s_[:, 1], np.s_[1, 2, ...], np.s_[None, :0]], ids=str
)
def test_numpy_arrays_are_shared(key: Any, dtype: str) -> None:
    a = sample(dtype, (3, 4))
    view = a[key]
    x = xp.from_dlpack(view, copy=False)
    assert (x.dtype, x.shape) == (view.dtype, view.shape)
    assert_same(to_host(x), view)
    a[...] = sample(dtype, (3, 4), seed=1)
    assert_same(to_host(x), view)


def test_our_writes_are_seen_by_the_producer() -> None:
    a = np.zeros((2, 3))
    x = xp.from_dlpack(a)
    x[0, 1] = 5
    x += 1
    assert a.tolist() == [[1, 6, 1], [1, 1, 1]]


@pytest.mark.parametrize("shape", [(3,), (), (0, 2)])
def test_copies_are_apart(shape: tuple[int, ...]) -> None:
    a = np.zeros(shape)
    x = xp.from_dlpack(a, copy=True)
    a[...] = 1
    assert not to_host(x).any()


def test_read_only_arrays_stay_so() -> None:
    a = np.zeros(3)
    a.flags.writeable = False
    x = xp.from_dlpack(a)
    assert to_host(x + 1).tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match="read-only"):
        x += 1
    assert not a.any()


def test_copies_of_read_only_arrays_may_be_changed() -> None:
    a = np.zeros(3)
    a.flags.writeable = False
    x = xp.from_dlpack(a, copy=True)
    x += 1
    assert to_host(x).tolist() == [1, 1, 1]


def test_memory_that_kernels_cannot_take_is_copied() -> None:
    """Elements that lie across the boundaries of their size."""
    crooked = np.zeros(25, "uint8")[1:].view("float64")
    crooked[:] = [1, 2, 3]
    assert to_host(xp.from_dlpack(crooked)).tolist() == [1, 2, 3]
    with pytest.raises(BufferError):
        xp.from_dlpack(crooked, copy=False)


def test_other_devices_get_copies(apart: RecordingDevice) -> None:
    a = sample("float32", (3, 4))
    x = xp.from_dlpack(a[:, ::2], device=apart)
    assert x.device is apart
    assert_same(to_host(x), a[:, ::2])
    for error in (BufferError, ValueError):
        with pytest.raises(error, match="copy=False"):
            xp.from_dlpack(a, device=apart, copy=False)


def test_dtypes_that_a_device_lacks_are_refused(apart: RecordingDevice) -> None:
    apart.dtypes = apart.dtypes - {"f64"}
    with pytest.raises(TypeError, match="float64"):
        xp.from_dlpack(np.zeros(3), device=apart)


@pytest.mark.parametrize("dtype", [np.dtype("longdouble"), np.dtype("clongdouble")])
def test_dtypes_that_we_lack_are_refused(dtype: np.dtype[Any]) -> None:
    with pytest.raises((BufferError, TypeError)):
        xp.from_dlpack(np.zeros(3, dtype))


def test_asarray_takes_producers() -> None:
    producer = Producer()
    assert to_host(xp.asarray(producer)).tolist() == [[0, 1], [2, 3]]


def test_objects_without_the_methods_are_refused() -> None:
    with pytest.raises(AttributeError, match="__dlpack"):
        xp.from_dlpack([1, 2])


@pytest.mark.parametrize("copy", [None, False])
def test_our_own_arrays_are_shared(copy: bool | None) -> None:
    x = xp.asarray([1.0, 2.0])
    y = xp.from_dlpack(x, copy=copy)
    y += 1
    assert to_host(x).tolist() == [2, 3]
    x *= 2
    assert to_host(y).tolist() == [4, 6]


def test_our_own_arrays_stay_lazy() -> None:
    """The memory is known to nobody else."""
    x = xp.asarray([1.0, 2.0])
    y = xp.from_dlpack(x)
    with no_launch():
        x + y


def test_our_own_arrays_are_copied() -> None:
    x = xp.asarray([1.0, 2.0])
    y = xp.from_dlpack(x, copy=True)
    y += 1
    x *= 3
    assert (to_host(x).tolist(), to_host(y).tolist()) == ([3, 6], [2, 3])


def test_our_own_arrays_change_device(apart: RecordingDevice) -> None:
    x = xp.asarray([1.0, 2.0])
    y = xp.from_dlpack(x, device=apart)
    assert y.device is apart
    assert_same(to_host(y), to_host(x))
    with pytest.raises(BufferError, match="copy=False"):
        xp.from_dlpack(x, device=apart, copy=False)


def test_a_capsule_brings_our_memory_back() -> None:
    """Through another library's hands, such as NumPy's."""
    x = xp.asarray([1.0, 2.0])
    y = xp.from_dlpack(np.from_dlpack(x))
    y[0] = 7
    assert to_host(x).tolist() == [7, 2]


def test_producers_that_know_no_arguments_are_asked_without() -> None:
    assert to_host(xp.from_dlpack(OldProducer(versioned=False))).tolist() == [[0, 1], [2, 3]]


def test_unversioned_memory_is_read_only_since_nobody_can_say() -> None:
    x = xp.from_dlpack(Producer(versioned=False))
    with pytest.raises(ValueError, match="read-only"):
        x += 1


def test_copies_made_for_us_are_not_copied_again() -> None:
    producer = Producer(flags=IS_COPIED)
    x = xp.from_dlpack(producer, copy=True)
    producer.memory[0] = 9
    assert float(x[0, 0]) == 9
    with pytest.raises(BufferError, match="copy=False"):
        xp.from_dlpack(Producer(flags=IS_COPIED), copy=False)


class Refusing(Producer):
    """A producer that refuses, and one whose memory is elsewhere and may be asked to the host."""

    def __init__(self, error: Exception | None = None, device: Any = ELSEWHERE):
        super().__init__()
        self.error = error
        self.device = device
        self.asked: dict[str, Any] = {}

    def __dlpack__(self, **options: Any) -> Any:
        self.asked = options
        if self.error:
            raise self.error
        return super().__dlpack__()


@pytest.mark.parametrize("error", [BufferError, RuntimeError, MemoryError, TypeError])
def test_errors_of_producers_pass(error: type[Exception]) -> None:
    with pytest.raises(error, match="theirs"):
        xp.from_dlpack(Refusing(error("theirs"), CPU))


def test_memory_elsewhere_is_asked_to_the_host() -> None:
    producer = Refusing()
    assert to_host(xp.from_dlpack(producer)).tolist() == [[0, 1], [2, 3]]
    assert producer.asked["dl_device"] == CPU
    with pytest.raises(BufferError, match="copy=False"):
        xp.from_dlpack(producer, copy=False)


def test_memory_elsewhere_that_stays_there_is_refused() -> None:
    producer = OldProducer()
    producer.device = ELSEWHERE
    with pytest.raises(BufferError, match="host"):
        xp.from_dlpack(producer)


@pytest.mark.parametrize("place", [None, 1, (1,), (1, 0, 0), ("cpu", 0)])
def test_what_is_no_device_is_refused(place: Any) -> None:
    producer = Producer()
    producer.device = place
    with pytest.raises((BufferError, TypeError, ValueError)):
        xp.from_dlpack(producer)
