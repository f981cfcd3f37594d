from collections.abc import Callable, Sequence
from typing import Any

from .base import Buffer, Device

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
