"""Devices that no longer work: each verb raises `DeviceError` with the reason."""

from __future__ import annotations

from typing import Any, NoReturn

from .base import Device, DeviceError


def _refuse(device: Device, *_: Any) -> NoReturn:
    raise DeviceError(f"{device}: {device.refusal}")


_verb: Any = _refuse
_fact: Any = property(_refuse)

FORKED = (
    "initialised before fork, it does not work in the child process; start processes by the method 'spawn' "
    "(multiprocessing.set_start_method)"
)


class RefusingDevice(Device):
    """The class of a device that no longer works: one with a driver in the child of a fork, where drivers fail, and one
    on which a kernel has failed while it ran, because its memory may be wrong from then on.

    The class of the device is changed in place, so that each verb raises there and none pays for a check. The child
    should end by os._exit, as those of multiprocessing do, because NVIDIA's driver crashes in a normal end.
    """

    adopt = borrow = hand_out = upload = download = begin_fetch = compile = prepare = launch = bind = wait = _verb
    timer = rests = facts = take_context = use_compiler = _verb
    host_view = address = fix = host_alloc = to_host = from_host = _verb
    page_lock = begin_upload = begin_download = _verb
    pool = exchange = library = collectives = _fact


def refuse_from_now_on(device: Device, refusal: str) -> None:
    """Let every verb of a device raise DeviceError with this text."""
    device.refusal = refusal
    device.__class__ = RefusingDevice
