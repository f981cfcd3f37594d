"""Launches through the drivers' C interfaces. This module exists in the compiled form alone: the devices' `bind` and
`launch` do the same in Python."""

from cpython.complex cimport PyComplex_ImagAsDouble, PyComplex_RealAsDouble
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.long cimport PyLong_AsLongLongAndOverflow
from libc.stdint cimport UINT32_MAX, int64_t, uint32_t, uint64_t, uintptr_t
from libc.string cimport memcpy

from arrayapi_gpu.backends.buffers cimport Memory

from .buffers import Buffer

cdef enum:
    MOST = 512  # buffers of a launch of OpenCL: joins have many
    PARAMETER_WORDS = 512  # of eight bytes: a launch of CUDA has at most so many for its buffers and its parameters
    FEW = 32  # buffers for which no memory is taken
    FEW_WORDS = 512  # of a program
    AXES = 64  # of an array

ctypedef int (*LaunchKernel)(
    void* function, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
    void* stream, void** parameters, void** extra
) noexcept
ctypedef int (*CurrentContext)(void** context) noexcept
ctypedef int (*Multiply)(
    void* handle, int, int, int m, int n, int k, const void* one,
    const void* a, int, int, long long, const void* b, int, int, long long, const void* zero,
    void* out, int, int, long long, int stack, int sums, int algorithm
) noexcept

ctypedef int (*Synchronize)(void* stream) noexcept nogil

ctypedef int (*SetKernelArg)(void* kernel, unsigned int number, size_t size, const void* value) noexcept
ctypedef int (*EnqueueKernel)(
    void* queue, void* kernel, unsigned int dimensions, const size_t* offsets, const size_t* items, const size_t* group,
    unsigned int waits, const void** wait_for, void** event
) noexcept


ctypedef int (*RunGroups)(
    void* function, const uint64_t* buffers, const char* program, int64_t groups, int size, int waits, int threads
) noexcept nogil


direct = True  # tests of the driver's errors set it to False

cdef type _plain = Buffer


cdef inline object handle_of(buffer):
    """The driver's object of a buffer, whose memory is brought back first if it has moved."""
    return (<Memory>buffer).handle if type(buffer) is _plain else buffer.handle


cdef class Queue:
    """A queue of launches."""

    cpdef bint launch(
        self, uintptr_t kernel, size_t groups, size_t group, buffers, bytes parameters
    ) except -1:
        """Queue a launch of ``kernel``, a handle, on buffers; return False where it could not."""
        return False


cdef class DirectLaunch:
    """A function that repeats a launch on other buffers.

    ``kernel``: a handle, which ``owner`` keeps alive. ``otherwise``: a function that makes the launch where the queue
    cannot.
    """

    cdef Queue _queue
    cdef uintptr_t _kernel
    cdef size_t _groups, _group
    cdef Py_ssize_t _buffers
    cdef bytes _parameters
    cdef object _owner, _otherwise

    def __init__(
        self, Queue queue, owner, uintptr_t kernel, size_t groups, size_t group, Py_ssize_t buffers, bytes parameters,
        otherwise
    ):
        self._queue, self._owner, self._kernel, self._groups, self._group = queue, owner, kernel, groups, group
        self._buffers, self._parameters, self._otherwise = buffers, parameters, otherwise

    def __call__(self, others):
        if not (
            len(others) == self._buffers
            and self._queue.launch(self._kernel, self._groups, self._group, others, self._parameters)
        ):
            self._otherwise(others)


cdef class CudaQueue(Queue):
    """The launches in a stream, and the wait for it.

    ``launch_kernel``, ``current_context``, ``synchronize``: the addresses of cuLaunchKernel, cuCtxGetCurrent and
    cuStreamSynchronize. ``context``, ``stream``: handles. Each method returns False where it could not do its work: in
    another context, and after an error.
    """

    cdef LaunchKernel _launch
    cdef CurrentContext _current
    cdef Synchronize _synchronize
    cdef void* _context
    cdef void* _stream

    def __init__(
        self, uintptr_t launch_kernel, uintptr_t current_context, uintptr_t synchronize, uintptr_t context,
        uintptr_t stream
    ):
        self._launch, self._current = <LaunchKernel>launch_kernel, <CurrentContext>current_context
        self._synchronize = <Synchronize>synchronize
        self._context, self._stream = <void*>context, <void*>stream

    cdef inline bint works(self):
        """Whether the queue's context is the current one of this thread."""
        cdef void* found = NULL
        return direct and self._current(&found) == 0 and found == self._context

    cpdef bint launch(
        self, uintptr_t kernel, size_t groups, size_t group, buffers, bytes parameters
    ) except -1:
        cdef uint64_t arguments[PARAMETER_WORDS]
        cdef void* extra[5]
        cdef Py_ssize_t count = len(buffers), number = 0
        cdef size_t size = 8 * count + len(parameters)
        if size > sizeof(arguments) or groups > UINT32_MAX or group > UINT32_MAX:
            return False
        for buffer in buffers:
            arguments[number] = handle_of(buffer)
            number += 1
        memcpy(&arguments[count], <const char*>parameters, len(parameters))
        # CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE, CU_LAUNCH_PARAM_END
        extra[0], extra[1], extra[2] = <void*>1, arguments, <void*>2
        extra[3], extra[4] = &size, NULL
        return self.works() and self._launch(
            <void*>kernel, groups, 1, 1, group, 1, 1, 0, self._stream, NULL, extra
        ) == 0

    def wait(self):
        """Wait until the work in the stream is done."""
        cdef int status
        if not self.works():
            return False
        with nogil:
            status = self._synchronize(self._stream)
        return status == 0


cdef class CudaProduct:
    """A function that repeats a matrix product of cuBLAS on other buffers, and with other offsets in elements if it gets
    some: of the result and of both operands.

    ``queue``: the device's, for its context. ``multiply``: the address of cublasGemmStridedBatchedEx. ``handle``:
    cuBLAS's handle. ``numbers``: how the first and the second matrix of cuBLAS lie, m, n and k; for each of these
    matrices its leading dimension and the distance to the next one; the same of the result; the number of products, the
    dtype of elements and that of sums, and the algorithm. ``scalars``: the addresses of 1 and 0. ``offsets``: those of
    the first product. ``otherwise``: a function that computes the product where this one cannot: in another context,
    and after an error.
    """

    cdef CudaQueue _queue
    cdef Multiply _multiply
    cdef void* _handle
    cdef void* _one
    cdef void* _zero
    cdef int _first, _second, _m, _n, _k, _first_lies, _second_lies, _out_lies, _stack, _kind, _sums, _algorithm
    cdef long long _first_next, _second_next, _out_next
    cdef uint64_t _itemsize
    cdef tuple _offsets
    cdef object _otherwise

    def __init__(
        self, CudaQueue queue, uintptr_t multiply, uintptr_t handle, tuple numbers, tuple scalars, uint64_t itemsize,
        tuple offsets, otherwise
    ):
        self._queue, self._multiply, self._handle = queue, <Multiply>multiply, <void*>handle
        (
            self._first, self._second, self._m, self._n, self._k, self._first_lies, self._first_next,
            self._second_lies, self._second_next, self._out_lies, self._out_next, self._stack, self._kind, self._sums,
            self._algorithm,
        ) = numbers
        self._one, self._zero = <void*><uintptr_t>scalars[0], <void*><uintptr_t>scalars[1]
        self._itemsize, self._offsets, self._otherwise = itemsize, offsets, otherwise

    def __call__(self, list buffers, offsets):
        cdef uint64_t addresses[3]
        cdef int number
        its = self._offsets if offsets is None else offsets
        for number in range(3):
            addresses[number] = <uint64_t>handle_of(buffers[number]) + <uint64_t>its[number] * self._itemsize
        if not self._queue.works() or self._multiply(
            self._handle, self._first, self._second, self._m, self._n, self._k, self._one,
            <void*>addresses[2], self._kind, self._first_lies, self._first_next,
            <void*>addresses[1], self._kind, self._second_lies, self._second_next, self._zero,
            <void*>addresses[0], self._kind, self._out_lies, self._out_next, self._stack, self._sums,
            self._algorithm
        ) != 0:
            self._otherwise(buffers, offsets)


cdef class OpenCLQueue(Queue):
    """The launches in the queue of an `OpenCLDevice` that is open.

    ``set_kernel_arg``, ``enqueue``: the addresses of clSetKernelArg and clEnqueueNDRangeKernel. ``depth``: the number
    of things in the queue from which the device waits. ``few``: the number of groups up to which they are few, see
    `OpenCLDevice`. ``event``: a function that makes pyopencl's event of a handle; its second argument, False, lets the
    event own the handle. None: launches have no events, with which NVIDIA's driver takes a third longer.

    `launch` returns False on memory that others use, before a wait, while launches are timed, on a device that no
    longer works, and after an error.
    """

    cdef SetKernelArg _set
    cdef EnqueueKernel _enqueue
    cdef object _device, _class, _depth, _event
    cdef size_t _few
    cdef void* _queue

    def __init__(self, uintptr_t set_kernel_arg, uintptr_t enqueue, device, depth, size_t few, event):
        self._set, self._enqueue = <SetKernelArg>set_kernel_arg, <EnqueueKernel>enqueue
        self._device, self._class, self._depth, self._few, self._event = device, type(device), depth, few, event
        self._queue = <void*><uintptr_t>device._queue.int_ptr

    cpdef bint launch(
        self, uintptr_t kernel, size_t groups, size_t group, buffers, bytes parameters
    ) except -1:
        cdef void* handles[MOST]
        cdef void* event = NULL
        cdef unsigned int number = 0, argument
        cdef size_t items = groups * group
        device = self._device
        with device._lock:
            if not (
                direct
                and type(device) is self._class  # which changes when the device stops working
                and not device.exposed
                and device._timer is None
                and len(buffers) <= MOST
                and device._queued - device._done < self._depth
            ):
                return False
            used = 0
            counted = device.computes_on_host
            for buffer in buffers:
                handles[number] = <void*><uintptr_t>handle_of(buffer).int_ptr
                if counted:
                    used += buffer.nbytes
                number += 1
            device._queued += 1  # after the handles, which may wait for the queue
            if groups > self._few:
                device._few = False
            if counted:
                device._used += used
            # From here to the launch no Python code runs, so no other launch changes the arguments of the kernel.
            for argument in range(number):
                if self._set(<void*>kernel, argument, sizeof(void*), &handles[argument]) != 0:
                    return False
            if parameters and self._set(<void*>kernel, number, len(parameters), <const char*>parameters) != 0:
                return False
            if self._enqueue(
                self._queue, <void*>kernel, 1, NULL, &items, &group, 0, NULL, NULL if self._event is None else &event
            ) != 0:
                return False
            device._last = None if self._event is None else self._event(<uintptr_t>event, False)
        return True


cdef class NativeLaunch:
    """A launch of a program of loops (kernels/loops/blocks.c), which can be repeated on other buffers.

    ``launch``, ``blocks``: the addresses of native_launch and native_blocks. ``words``: the program. ``places``: the word
    of each offset, and the bytes of an element. ``numbers``: the word of each scalar, its kind (one of float, complex and
    int, which holds integers and booleans; None for others), and the bytes of one. ``packed``: a function that gives the
    bytes of a scalar, by its number, where its type is not that kind. ``alone``: the program is so short that other
    threads of Python wait meanwhile. ``listeners``: there are none while this and ``unusual`` are empty; otherwise
    a run begins with the ``start`` of ``report`` and ends with its ``note``.
    """

    cdef RunGroups _launch
    cdef void* _blocks
    cdef bytes _words
    cdef list _places, _numbers
    cdef int64_t _groups
    cdef int _threads
    cdef bint _alone
    cdef dict _listeners
    cdef set _unusual
    cdef object _packed, _report

    def __init__(
        self, uintptr_t launch, uintptr_t blocks, bytes words, list places, list numbers, packed, int64_t groups,
        int threads, bint alone, dict listeners, set unusual, report
    ):
        self._launch, self._blocks = <RunGroups>launch, <void*>blocks
        self._words, self._places, self._numbers, self._packed = words, places, numbers, packed
        self._groups, self._threads, self._alone = groups, threads, alone
        self._listeners, self._unusual, self._report = listeners, unusual, report

    def run(self, list buffers, scalars, list offsets=None):
        """Run; ``offsets``: of the arrays, if they are not those in the words."""
        cdef uint64_t few_addresses[FEW]
        cdef int64_t few_words[FEW_WORDS]
        cdef uint64_t* addresses = few_addresses
        cdef int64_t* words = few_words
        cdef bytearray many, long
        cdef Py_ssize_t number, size = len(self._words), count = len(scalars)
        cdef tuple place
        cdef int failed
        started = self._report.start() if self._listeners or self._unusual else None
        if len(buffers) > FEW:
            many = bytearray(8 * len(buffers))
            addresses = <uint64_t*><char*>many
        if count != len(self._numbers):
            raise ValueError(f"got {count} scalars; allowed: {len(self._numbers)}")
        if count == 0 and offsets is None:
            words = <int64_t*><const char*>self._words  # which are only read
        else:
            if size > <Py_ssize_t>sizeof(few_words):
                long = bytearray(size)
                words = <int64_t*><char*>long
            memcpy(words, <const char*>self._words, size)
            for number in range(count):
                self._put(words, number, scalars[number])
            if offsets is not None:
                if len(offsets) != len(self._places):
                    raise ValueError(f"got {len(offsets)} offsets; allowed: {len(self._places)}")
                for number in range(len(offsets)):
                    place = self._places[number]
                    words[<Py_ssize_t>place[0]] = <int64_t>offsets[number] * <int64_t>place[1]
        for number in range(len(buffers)):
            buffer = buffers[number]
            addresses[number] = handle_of(buffer)
        if self._alone:
            failed = self._launch(self._blocks, addresses, <const char*>words, self._groups, 1, 0, 1)
        else:
            with nogil:
                failed = self._launch(self._blocks, addresses, <const char*>words, self._groups, 1, 0, self._threads)
        if failed:
            raise MemoryError("native: no memory for the values of a block; free some of the host's memory")
        if started is not None:
            self._report.note(started)

    cdef int _put(self, int64_t* words, Py_ssize_t number, scalar) except -1:
        """Write a scalar into the words."""
        cdef tuple facts = self._numbers[number]
        cdef int64_t* place = words + <Py_ssize_t>facts[0]
        cdef Py_ssize_t size = facts[2]
        cdef int overflow = 0
        cdef bytes packed
        if facts[1] is type(scalar) or (facts[1] is int and type(scalar) is bool):
            if facts[1] is float:
                if size == 4:
                    (<float*>place)[0] = <float>PyFloat_AS_DOUBLE(scalar)
                else:
                    (<double*>place)[0] = PyFloat_AS_DOUBLE(scalar)
                return 0
            if facts[1] is complex:
                if size == 8:
                    (<float*>place)[0] = <float>PyComplex_RealAsDouble(scalar)
                    (<float*>place)[1] = <float>PyComplex_ImagAsDouble(scalar)
                else:
                    (<double*>place)[0] = PyComplex_RealAsDouble(scalar)
                    (<double*>place)[1] = PyComplex_ImagAsDouble(scalar)
                return 0
            place[0] = PyLong_AsLongLongAndOverflow(scalar, &overflow)
            if not overflow:
                return 0
        packed = self._packed(number, scalar)
        memcpy(place, <const char*>packed, len(packed))
        return 0


cdef void _copy_row(char* target, const char* source, Py_ssize_t n, Py_ssize_t to, Py_ssize_t step, Py_ssize_t size) noexcept:
    """Copy n pieces of ``size`` bytes, ``to`` and ``step`` bytes apart."""
    cdef Py_ssize_t k
    if size == 4:
        for k in range(n):
            (<uint32_t*>(target + k * to))[0] = (<const uint32_t*>(source + k * step))[0]
    elif size == 8:
        for k in range(n):
            (<uint64_t*>(target + k * to))[0] = (<const uint64_t*>(source + k * step))[0]
    else:
        for k in range(n):
            memcpy(target + k * to, source + k * step, size)


def copy_elements(
    target, Py_ssize_t target_offset, tuple target_strides, source, Py_ssize_t source_offset, tuple source_strides,
    tuple shape, Py_ssize_t itemsize
):
    """Copy the elements of an array in the host's memory to another one: buffers whose handles are addresses, which are
    two, and offsets and strides in elements. Other threads of Python wait meanwhile."""
    cdef Py_ssize_t extents[AXES]
    cdef Py_ssize_t to[AXES]
    cdef Py_ssize_t steps[AXES]
    cdef Py_ssize_t places[AXES]
    cdef Py_ssize_t axis, n, rank = 0, piece = itemsize
    cdef char* into = <char*><uintptr_t>target.handle
    cdef const char* given = <const char*><uintptr_t>source.handle
    if len(shape) > AXES:
        raise ValueError(f"got {len(shape)} axes; allowed: {AXES}")
    into += target_offset * itemsize
    given += source_offset * itemsize
    for axis in reversed(range(len(shape))):  # the last axis first
        n = shape[axis]
        if n == 0:
            return
        if n == 1:
            continue
        to[rank] = <Py_ssize_t>target_strides[axis] * itemsize
        steps[rank] = <Py_ssize_t>source_strides[axis] * itemsize
        if rank == 0 and to[0] == piece and steps[0] == piece:
            piece *= n  # elements that are neighbours in both
            continue
        extents[rank], places[rank] = n, 0
        rank += 1
    if rank == 0:
        memcpy(into, given, piece)
        return
    while True:
        _copy_row(into, given, extents[0], to[0], steps[0], piece)
        axis = 1
        while axis < rank:
            into += to[axis]
            given += steps[axis]
            places[axis] += 1
            if places[axis] < extents[axis]:
                break
            into -= to[axis] * extents[axis]
            given -= steps[axis] * extents[axis]
            places[axis] = 0
            axis += 1
        if axis >= rank:
            return


ctypedef fused Real:
    float
    double


cdef bint _differ(const Real* x, Py_ssize_t n) noexcept:
    cdef Py_ssize_t low = 0, high = n, middle
    while low < high:  # the first element that is not negative
        middle = (low + high) // 2
        if x[middle] < 0:
            low = middle + 1
        else:
            high = middle
    return x[n - 1] == x[n - 1] and not (low + 1 < n and x[low + 1] == 0)


def all_differ(buffer, Py_ssize_t n, Py_ssize_t itemsize):
    """Return whether at most one of n real numbers in the host's memory is zero and none is NaN. They are sorted; NaN come
    last."""
    cdef const char* memory = <const char*><uintptr_t>buffer.handle
    return _differ(<const double*>memory, n) if itemsize == 8 else _differ(<const float*>memory, n)
