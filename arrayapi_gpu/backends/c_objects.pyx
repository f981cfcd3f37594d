"""Locks and weak references by Python's interface in C. This module exists in the compiled form alone, which needs one of
each for a value; what Python's classes do takes several times as long."""

from cpython.exc cimport PyErr_CheckSignals
from cpython.pythread cimport (
    PY_LOCK_INTR, PyLockStatus, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock,
    PyThread_get_thread_ident, PyThread_release_lock, PyThread_type_lock,
)
from cpython.weakref cimport PyWeakref_NewRef

cdef extern from "Python.h":
    void PyObject_GC_UnTrack(void* thing)

cdef extern from "pythread.h":
    PyLockStatus PyThread_acquire_lock_timed(PyThread_type_lock, long long microseconds, int interrupted) nogil


cdef class Mutex:
    """A lock that the thread that holds it may take again, with the methods of Python's.

    Its fields change only while the thread has the interpreter's lock. Threads that wait sleep at a gate, which the one
    that gives the lock back opens for one of them.
    """

    cdef PyThread_type_lock _gate
    cdef unsigned long _owner
    cdef Py_ssize_t _times, _waiting
    cdef bint _open

    def __cinit__(self):
        self._gate = PyThread_allocate_lock()
        if self._gate == NULL:
            raise MemoryError("the system has no lock")
        PyThread_acquire_lock(self._gate, 1)

    def __dealloc__(self):
        if self._gate != NULL:
            PyThread_free_lock(self._gate)

    def __enter__(self):
        self._take()

    def __exit__(self, kind, value, traceback):
        self._give()

    cdef int _take(self) except -1:
        cdef unsigned long own = PyThread_get_thread_ident()
        if self._times and self._owner != own:
            self._wait()
        self._owner = own
        self._times += 1
        return 0

    cdef void _give(self) noexcept:
        self._times -= 1
        if not self._times and self._waiting and not self._open:
            self._open = True
            PyThread_release_lock(self._gate)

    def acquire(self, bint blocking=True):
        """Take the lock; return whether it was taken. Code that must give it back in any case takes it by ``with``."""
        if not blocking and self._times and self._owner != <unsigned long>PyThread_get_thread_ident():
            return False
        self._take()
        return True

    def release(self):
        """Give the lock back."""
        if not self._is_owned():
            raise RuntimeError("cannot release a lock that this thread does not hold")
        self._give()

    def _is_owned(self):
        """Whether this thread has the lock."""
        return self._times > 0 and self._owner == PyThread_get_thread_ident()

    cdef int _wait(self) except -1:
        """Return when no thread has the lock; KeyboardInterrupt, and other exceptions of signal handlers."""
        cdef PyLockStatus status
        self._waiting += 1
        try:
            while self._times:
                with nogil:
                    status = PyThread_acquire_lock_timed(self._gate, -1, 1)
                if status == PY_LOCK_INTR:
                    PyErr_CheckSignals()
                else:
                    self._open = False
        finally:
            self._waiting -= 1
        return 0


def locked(Mutex lock, function, argument):
    """Return the result of a function for an argument while this thread holds a lock."""
    lock._take()
    try:
        return function(argument)
    finally:
        lock._give()


def reference(thing):
    """Return a weak reference that the garbage collector does not search, because it refers to nothing by a count."""
    weak = PyWeakref_NewRef(thing, None)
    PyObject_GC_UnTrack(<void*>weak)
    return weak
