"""Launches through CUDA's C interface. This module exists in the compiled form alone: `cuda.CudaDevice.bind` does the
same in Python."""

from libc.stdint cimport uint64_t, uintptr_t


ctypedef int (*LaunchKernel)(
    void* function, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
    void* stream, void** parameters, void** extra
) noexcept
ctypedef int (*CurrentContext)(void** context) noexcept

direct = True  # tests of the driver's errors set it to False


cdef class CudaLaunch:
    """A function that repeats a launch on other buffers.

    ``launch_kernel``, ``current_context``: the addresses of cuLaunchKernel and cuCtxGetCurrent. ``function``,
    ``context``, ``stream``: handles. ``otherwise``: a function that makes the launch where this one cannot: in another
    context, and after an error.
    """

    cdef LaunchKernel _launch
    cdef CurrentContext _current
    cdef void* _function
    cdef void* _context
    cdef void* _stream
    cdef unsigned int _groups, _group
    cdef Py_ssize_t _buffers
    cdef size_t _size
    cdef void* _extra[5]
    cdef bytearray _arguments
    cdef object _otherwise

    def __init__(
        self, uintptr_t launch_kernel, uintptr_t current_context, uintptr_t function, uintptr_t context,
        uintptr_t stream, unsigned int groups, unsigned int group, Py_ssize_t buffers, bytes parameters, otherwise
    ):
        cdef char* start
        self._launch, self._current = <LaunchKernel>launch_kernel, <CurrentContext>current_context
        self._function, self._context, self._stream = <void*>function, <void*>context, <void*>stream
        self._groups, self._group, self._buffers, self._otherwise = groups, group, buffers, otherwise
        self._arguments = bytearray(8 * buffers) + parameters
        self._size = len(self._arguments)
        start = self._arguments
        # CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE, CU_LAUNCH_PARAM_END
        self._extra[0], self._extra[1], self._extra[2] = <void*>1, start, <void*>2
        self._extra[3], self._extra[4] = &self._size, <void*>0

    def __call__(self, list others):
        cdef void* current = NULL
        cdef uint64_t* addresses = <uint64_t*><char*>self._arguments
        cdef Py_ssize_t number = 0
        if direct and len(others) == self._buffers:
            for buffer in others:
                addresses[number] = buffer.handle  # brings back memory that has moved
                number += 1
            if self._current(&current) == 0 and current == self._context and self._launch(
                self._function, self._groups, 1, 1, self._group, 1, 1, 0, self._stream, NULL, self._extra
            ) == 0:
                return
        self._otherwise(others)
