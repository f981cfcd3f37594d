"""What a piece of code did to the device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import arrayapi_gpu as xp
from arrayapi_gpu.backends.events import Event

launches = xp.record


@contextmanager
def no_launch() -> Iterator[None]:
    """Fail if the ``with`` block launches a kernel."""
    made: list[Event]
    with xp.record() as made:
        yield
    assert not made, f"no launch was expected, there were {made}"
