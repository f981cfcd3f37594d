from collections.abc import Callable, Sequence
from typing import Any

from .base import Buffer, Device
from .events import Report

direct: bool

class Queue:
    def launch(self, kernel: int, groups: int, group: int, buffers: Sequence[Buffer], parameters: bytes) -> bool: ...

class DirectLaunch:
    def __init__(
        self,
        queue: Queue,
        owner: object,
        kernel: int,
        groups: int,
        group: int,
        buffers: int,
        parameters: bytes,
        otherwise: Callable[[Sequence[Buffer]], None],
    ) -> None: ...
    def __call__(self, others: Sequence[Buffer]) -> None: ...

class CudaQueue(Queue):
    def __init__(
        self, launch_kernel: int, current_context: int, synchronize: int, context: int, stream: int
    ) -> None: ...
    def wait(self) -> bool: ...

class CudaProduct:
    def __init__(
        self,
        queue: CudaQueue,
        multiply: int,
        handle: int,
        numbers: tuple[int, ...],
        scalars: tuple[int, int],
        itemsize: int,
        offsets: tuple[int, ...],
        otherwise: Callable[[list[Buffer], Sequence[int] | None], None],
    ) -> None: ...
    def __call__(self, buffers: list[Buffer], offsets: Sequence[int] | None, /) -> None: ...

class OpenCLQueue(Queue):
    def __init__(
        self,
        set_kernel_arg: int,
        enqueue: int,
        device: Device,
        depth: int,
        few: int,
        event: Callable[[int, bool], object] | None,
    ) -> None: ...

class NativeLaunch:
    def __init__(
        self,
        launch: int,
        blocks: int,
        words: bytes,
        places: list[tuple[int, int]],
        numbers: list[tuple[int, type | None, int]],
        packed: Callable[[int, Any], bytes],
        groups: int,
        threads: int,
        alone: bool,
        listeners: dict[int, Any],
        unusual: set[str],
        report: Report,
    ) -> None: ...
    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None: ...

def copy_elements(
    target: Buffer,
    target_offset: int,
    target_strides: tuple[int, ...],
    source: Buffer,
    source_offset: int,
    source_strides: tuple[int, ...],
    shape: tuple[int, ...],
    itemsize: int,
) -> None: ...
def all_differ(buffer: Any, n: int, itemsize: int) -> bool: ...
