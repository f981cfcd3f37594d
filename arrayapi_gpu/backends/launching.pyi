from collections.abc import Callable, Sequence
from typing import Any

from .base import Buffer, Device
from .events import Report

direct: bool

class CudaLaunch:
    def __init__(
        self,
        launch_kernel: int,
        current_context: int,
        function: int,
        context: int,
        stream: int,
        groups: int,
        group: int,
        buffers: int,
        parameters: bytes,
        otherwise: Callable[[Sequence[Buffer]], None],
    ) -> None: ...
    def __call__(self, others: Sequence[Buffer]) -> None: ...

class CudaWait:
    def __init__(self, synchronize: int, current_context: int, context: int, stream: int) -> None: ...
    def __call__(self) -> bool: ...

class CudaProduct:
    def __init__(
        self,
        multiply: int,
        current_context: int,
        handle: int,
        context: int,
        numbers: tuple[int, ...],
        scalars: tuple[int, int],
        itemsize: int,
        offsets: tuple[int, ...],
        otherwise: Callable[[list[Buffer], Sequence[int] | None], None],
    ) -> None: ...
    def __call__(self, buffers: list[Buffer], offsets: Sequence[int] | None, /) -> None: ...

class OpenCLLaunch:
    def __init__(
        self,
        set_kernel_arg: int,
        enqueue: int,
        device: Device,
        kernel: Any,
        items: int,
        group: int,
        buffers: int,
        depth: int,
        few: bool,
        parameters: bytes,
        event: Callable[[int, bool], object],
        otherwise: Callable[[Sequence[Buffer]], None],
    ) -> None: ...
    def __call__(self, others: Sequence[Buffer]) -> None: ...

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
