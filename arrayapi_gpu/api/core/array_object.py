"""The array object (standard, chapter "Array object").

`Array` is a handle to a node of the lazy graph. Its attributes are known without computing anything; reading its values
on the host computes it. In addition to the standard's methods and attributes it has the common ones of NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Never, Self

import numpy as np

from ... import lazy
from ...backends import get_device
from ...backends.base import Device, DeviceError
from ...kernels.core.ops import OPS
from ...lazy import Node, Operators, Other, constant, handle, operators_of, selected, unary
from ...memory.dtypes import COMPLEX_FLOATING, INTEGRAL, SHORT, as_dtype, is_numeric
from ...memory.gpuarray import GpuArray, upload
from ...memory.layout import size
from . import exports, indexing, printing
from .added_methods import AddedMethods
from .host_values import PYTHON_SCALARS, answers_operators, check_exponent, host_values, is_of_host, multiplies, plain
from .memory_order import axes_in_order, laid_out, put_first
from .names import missing_of_array

# The functions that methods and NumPy's protocols call, by name; the namespace fills it (see `fill_namespace`).
_namespace: dict[str, Any] = {}


def node_of(value: Any, device: Device | None = None, name: str = "asarray") -> Node:
    """The node of an array, a Python or NumPy scalar, or a host array. TypeError for other values."""
    if isinstance(value, Array):
        return value._node
    if isinstance(value, (*PYTHON_SCALARS, np.generic, np.ndarray)):
        return host_node(host_values(name, value), get_device(device))
    raise TypeError(f"{name}: got {type(value).__name__}; allowed: an array, a number, a NumPy array; convert it first")


def host_node(host: np.ndarray[Any, Any], device: Device) -> Node:
    """The node of a host array: a constant for one element, a copy in device memory for more."""
    dtype = as_dtype(host.dtype)
    if host.ndim == 0:
        return constant(host.item(), dtype, (), device)
    return lazy.leaf(upload(device, host.astype(dtype, copy=False)))


def operand(device: Device, value: Any, name: str = "operator") -> Any:
    """An operator's other operand: a node, a Python scalar, or NotImplemented for an unknown type."""
    if type(value) is float or type(value) is int:
        return value
    if isinstance(value, Array):
        return value._node
    if isinstance(value, np.generic):
        dtype = value.dtype
        return constant(value.item(), dtype, (), device) if dtype in SHORT else NotImplemented
    if isinstance(value, np.ndarray):
        takes = not answers_operators(value) and is_numeric(value.dtype)
        return host_node(plain(name, value), device) if takes else NotImplemented
    for scalar in PYTHON_SCALARS:
        if isinstance(value, scalar):
            return value if type(value) is scalar else scalar(value)  # type: ignore[arg-type]
    return NotImplemented


def _listed(device: Device, value: Any) -> Any:
    """The value; a list or tuple as an array on a device, or NotImplemented if it contains non-numbers."""
    if not isinstance(value, (list, tuple)):
        return value
    try:
        return _namespace["asarray"](value, device=device)
    except TypeError:
        return NotImplemented


def _operand_of(x: Node, value: Any) -> Any:
    """The other operand of an operator."""
    return operand(x.device, _listed(x.device, value))


class Array(Operators, AddedMethods):
    """Represent an n-dimensional array on a device.

    Functions such as `asarray`, `zeros` and `arange` make arrays; the class itself is not called. An array is an
    expression until its values are needed in memory: shape, dtype and device are known at once, and the arithmetic
    waits (`explain` shows it). Operators and indexing are those of the standard and of NumPy: basic indexing gives
    views, and ``x[key] = y`` and ``x += y`` write to the array and its views. NumPy's functions take arrays and return
    arrays.

    Parameters
    ----------
    *arguments, **options : Any
        None, because the class is not called: it raises TypeError.

    See Also
    --------
    asarray, compute, sync, explain

    References
    ----------
    Array API standard, chapter "Array object".

    Examples
    --------
    >>> x = xp.asarray([[1, 2, 3], [4, 5, 6]])
    >>> y = x[:, ::2] * 10
    >>> y.shape
    (2, 2)
    >>> x[0, :] = 0
    >>> print(x)
    [[0 0 0]
     [4 5 6]]
    >>> int(y.sum())
    140
    """

    __slots__ = ()
    __array_priority__: float = 100.0
    __dlpack_c_exchange_api__: ClassVar[Any]  # DLPack's C functions, in the compiled form (`api.exchange.dlpack_table`)

    def __init__(self, *arguments: Any, **options: Any) -> None:
        raise TypeError("Array() makes no array; use asarray, zeros, arange or another creation function")

    # --- attributes ------------------------------------------------------------------------------------------------

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the dtype of the elements, a `numpy.dtype`.

        Examples
        --------
        >>> xp.asarray([1.0, 2.0], dtype=xp.float32).dtype
        dtype('float32')
        """
        return self._node.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the extent of each axis, a tuple of ints.

        Assigning a shape reshapes the array in place. It raises ValueError if that needs a copy.

        Examples
        --------
        >>> x = xp.zeros((2, 3))
        >>> x.shape
        (2, 3)
        >>> x.shape = (6,)
        >>> x.shape
        (6,)
        """
        return self._node.shape

    @shape.setter
    def shape(self, shape: int | Sequence[int]) -> None:
        lazy.rebind(self, self.reshape(shape, copy=False)._node)

    @property
    def device(self) -> Device:
        """Return the device that holds the array.

        Its name, such as "cuda:0", is ``str(x.device)``. It cannot be assigned; `to_device` copies to another device.

        Examples
        --------
        >>> xp.ones(2).device == xp.zeros(3).device
        True
        """
        return self._node.device

    @device.setter
    def device(self, value: Never) -> None:
        raise AttributeError("device of an array cannot be set: x.to_device(device) copies it")

    @property
    def ndim(self) -> int:
        """Return the number of axes.

        Examples
        --------
        >>> xp.zeros((2, 3)).ndim
        2
        """
        return len(self._node.shape)

    @property
    def size(self) -> int:
        """Return the number of elements.

        Examples
        --------
        >>> xp.zeros((2, 3)).size
        6
        """
        return size(self._node.shape)

    @property
    def itemsize(self) -> int:
        """Return the size of one element in bytes.

        Examples
        --------
        >>> xp.zeros(3, dtype=xp.float32).itemsize
        4
        """
        return self._node.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Return the size of all elements in bytes.

        Examples
        --------
        >>> xp.zeros(3, dtype=xp.float32).nbytes
        12
        """
        return self.size * self.itemsize

    @property
    def T(self) -> Array:
        """Return the transpose of a 2-dimensional array, as a view.

        Raises
        ------
        ValueError
            If the array does not have 2 dimensions; use `mT` or `permute_dims`.

        References
        ----------
        Array API standard, chapter "Array object": ``T``.

        Examples
        --------
        >>> print(xp.asarray([[1, 2, 3], [4, 5, 6]]).T)
        [[1 4]
         [2 5]
         [3 6]]
        """
        if self.ndim != 2:
            cure = "x.transpose(), which reverses all axes, or x.mT" if self.ndim > 2 else "x itself, or x[:, None]"
            raise ValueError(f"T: the array has {self.ndim} axes; allowed: 2, as in the standard; use {cure}")
        return indexing.turned(self)

    @property
    def mT(self) -> Array:
        """Return the array with its last two axes swapped, as a view.

        Raises
        ------
        ValueError
            If the array has fewer than 2 dimensions.

        References
        ----------
        Array API standard, chapter "Array object": ``mT``.

        Examples
        --------
        >>> xp.zeros((2, 3, 4)).mT.shape
        (2, 4, 3)
        """
        if self.ndim < 2:
            raise ValueError(f"mT: the array has {self.ndim} axes; allowed: 2 or more; use reshape first")
        return indexing.turned(self)

    @property
    def real(self) -> Array:
        """Return the real parts, as a view; the array itself if it is not complex.

        Assigning writes to the array.

        Examples
        --------
        >>> x = xp.asarray([1 + 2j, 3 - 1j])
        >>> x.real = 7
        >>> print(x)
        [7.+2.j 7.-1.j]
        """
        return self if self.dtype not in COMPLEX_FLOATING else handle(Array, lazy.part_of(OPS["real"], self._node))

    @real.setter
    def real(self, values: Any) -> None:
        self.real[...] = values

    @property
    def imag(self) -> Array:
        """Return the imaginary parts, as a view; read-only zeros if the array is not complex.

        Assigning writes to the array. It raises TypeError if the array is not complex.

        Examples
        --------
        >>> print(xp.asarray([1 + 2j, 3 - 1j]).imag)
        [ 2. -1.]
        """
        if self.dtype in COMPLEX_FLOATING:
            return handle(Array, lazy.part_of(OPS["imag"], self._node))
        zero = handle(Array, constant(self.dtype.type(0).item(), self.dtype, (), self.device))
        return _namespace["broadcast_to"](zero, self.shape)  # type: ignore[no-any-return]

    @imag.setter
    def imag(self, values: Any) -> None:
        if self.dtype not in COMPLEX_FLOATING:
            raise TypeError(f"imag: the array has dtype {self.dtype}; allowed: complex dtypes; convert with astype")
        self.imag[...] = values

    @property
    def strides(self) -> tuple[int, ...]:
        """Return the distances in bytes of neighbours along each axis.

        This computes the array, unless it is so large that it is computed in parts.

        Examples
        --------
        >>> xp.zeros((2, 3), dtype=xp.float32).strides
        (12, 4)
        """
        return tuple(step * self.itemsize for step in lazy.strides_of(self._node))

    @property
    def offset(self) -> int:
        """Return the distance in bytes from the start of `gpudata` to the first element.

        This computes the array.

        Examples
        --------
        >>> x = xp.asarray([1.0, 2.0, 3.0], dtype=xp.float32)
        >>> x[1:].offset
        4
        """
        return self._memory().offset * self.itemsize

    @property
    def gpudata(self) -> Any:
        """Return the memory as the driver's library has it, such as a `pyopencl.Buffer`.

        This computes the array. Because other code may write to the memory from now on, later operations that read or
        write it are computed at the call.

        See Also
        --------
        from_gpudata, offset

        Examples
        --------
        >>> memory = xp.asarray([1.0, 2.0]).gpudata
        """
        memory, exposure = lazy.expose(self._node)
        memory.storage.exposure = exposure
        self.device.hand_out(memory.storage.buffer)
        return memory.storage.buffer

    def _memory(self) -> GpuArray:
        return lazy.memory(self._node)

    # --- operators -------------------------------------------------------------------------------------------------

    def __iadd__(self, other: Other, /) -> Self:
        """This array, with ``add(self, other)`` written into it; its dtype and shape do not change."""
        # Here again, because CPython would call a slot in C a second time, as the concatenation of a sequence.
        return super().__iadd__(other)

    def __matmul__(self, other: Other, /) -> Array:
        """``matmul(self, other)`` (standard, "Array object")."""
        if type(other) is not Array and not multiplies(other := _listed(self.device, other)):
            return NotImplemented
        return _namespace["matmul"](self, other)  # type: ignore[no-any-return]

    def __rmatmul__(self, other: Other, /) -> Array:
        """``matmul(other, self)`` (standard, "Array object")."""
        other = _listed(self.device, other)
        return NotImplemented if not multiplies(other) else _namespace["matmul"](other, self)

    def __imatmul__(self, other: Other, /) -> Array:
        """This array, with ``matmul(self, other)`` written into it (standard, "Array object")."""
        if (product := self.__matmul__(other)) is NotImplemented:
            return NotImplemented
        if product.shape != self.shape:
            raise ValueError(f"in-place matmul: got shape {product.shape}; allowed: {self.shape}; use x = x @ y")
        self[...] = product
        return self

    # --- indexing --------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Any, /) -> Array:
        """The elements that ``key`` selects: a view for ints, slices, Ellipsis and None, a copy if the key contains
        masks or integer arrays, which may stand in any position.

        IndexError if an index is out of bounds or a mask's shape does not match.
        Source: standard, chapter "Indexing"; NumPy for integer arrays mixed with slices.
        """
        return selected(self, key)  # type: ignore[no-any-return]

    def __setitem__(self, key: Any, value: Any, /) -> None:
        """Assign to the elements that ``key`` selects. If it selects an element twice, the last value stays."""
        indexing.put(self, key, value)

    def __len__(self) -> int:
        """The extent of the first axis. TypeError for a 0-dimensional array."""
        shape = self._node.shape
        if not shape:
            raise TypeError("len() of a 0-dimensional array; use size")
        return shape[0]

    def __iter__(self) -> Iterator[Array]:
        """The sub-arrays along the first axis. TypeError for a 0-dimensional array."""
        if not self.ndim:
            raise TypeError("cannot iterate over a 0-dimensional array; use x.item() for its value")
        n = len(self)
        return (handle(Array, node) for node in lazy.elements(self)) if self.ndim == 1 else (self[i] for i in range(n))

    def __contains__(self, value: Any) -> bool:
        """Whether any element equals ``value``; False for a value that the dtype cannot hold."""
        try:
            same = self == value
        except OverflowError:  # an integer above all floating-point numbers
            return False
        return isinstance(same, Array) and bool(_namespace["any"](same))  # ``==`` with a non-number gives a bool

    # --- to the host -----------------------------------------------------------------------------------------------

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """Return a NumPy array with a copy of the elements.

        This computes the array, and waits for the device.

        Returns
        -------
        numpy.ndarray
            A writable array of the same shape and dtype.

        See Also
        --------
        tolist, item

        Examples
        --------
        >>> xp.asarray([1, 2, 3]).to_numpy()
        array([1, 2, 3])
        """
        return exports.downloaded(self._node)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """A NumPy array: the memory itself if the device shares it with the host, a read-only copy otherwise; with
        ``copy=True`` or another dtype, a writable copy.

        As long as that NumPy array of shared memory lives, operations that read or write this array are computed at
        once. ValueError if ``copy=False`` and a copy is necessary; TypeError if ``config.host_transfers`` is "error".
        """
        return exports.host_array(self._node, dtype, copy)

    def __dlpack_device__(self, /) -> tuple[int, int]:
        """(DLDeviceType, device number) of the memory; (1, 0), host memory, if the device computes in host memory."""
        return self.device.dlpack

    def __dlpack__(
        self,
        /,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A DLPack capsule of the memory itself, or of a copy if ``copy=True`` or ``dl_device=(1, 0)`` request one or a
        stride is negative.

        ``stream``: the consumer's stream, if the device shares its memory with other libraries: None or 1 for the
        driver's default stream, a handle, or -1 for no synchronization. Work queued on it later waits until the array
        is computed. On other devices, the array is computed when this method returns. BufferError for another device,
        and for ``copy=False`` if a copy is necessary; ValueError for an invalid stream.
        Source: standard, ``__dlpack__``.
        """
        return exports.capsule(self._node, stream, max_version, dl_device, copy)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The memory itself, as the CUDA Array Interface (version 3) describes it. AttributeError on a device that does
        not share its memory with other libraries, and for negative strides."""
        return exports.interface(self._node)

    def __arrow_array__(self, type: Any = None) -> Any:
        """A pyarrow array, which shares memory as `__array__` does; only pyarrow calls this method."""
        return exports.arrow_array(self._node, type)

    def item(self, *index: Any) -> Any:
        """Return one element as a Python number.

        Parameters
        ----------
        *index : int or tuple of int
            The index of the element, or its position in C order, in which the last index changes fastest. It may be
            omitted if there is one element.

        Returns
        -------
        bool, int, float or complex
            The element.

        Raises
        ------
        IndexError
            If the index is out of bounds.
        ValueError
            If there is no index and not exactly one element.

        See Also
        --------
        tolist, to_numpy

        Examples
        --------
        >>> x = xp.asarray([[1, 2], [3, 4]])
        >>> x.item(0, 1), x.item(3), x.sum().item()
        (2, 4, 10)
        """
        key = index[0] if len(index) == 1 and isinstance(index[0], tuple) else index
        among = self if len(key) != 1 else self.ravel()
        value: Any = (among[key] if key else self).to_numpy().item()
        return value

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers.

        This computes the array, and waits for the device.

        Returns
        -------
        list, bool, int, float or complex
            Lists, nested as deep as there are axes; a number if there are none.

        See Also
        --------
        to_numpy, item

        Examples
        --------
        >>> xp.asarray([[1, 2], [3, 4]]).tolist()
        [[1, 2], [3, 4]]
        """
        return self.to_numpy().tolist()

    def _scalar(self, wanted: str) -> Any:
        if self._node.shape:
            raise TypeError(
                f"{wanted}(): the array has shape {self.shape}; allowed: 0 dimensions; reduce or index it first"
            )
        value = lazy.known(self._node)
        return exports.one_value(self._node, wanted) if value is None else value

    def __bool__(self) -> bool:
        """The only element of an array of any rank, as a bool. ValueError unless there is exactly one element."""
        shape = self._node.shape
        if size(shape) != 1:
            raise ValueError(f"bool(): the truth value of an array of shape {shape} is ambiguous; use any() or all()")
        return bool(exports.one_value(self._node, "bool") if shape else self._scalar("bool"))

    def __int__(self) -> int:
        """The only element as an int. TypeError unless the array is 0-dimensional and real."""
        return int(self._scalar("int"))

    def __float__(self) -> float:
        """The only element as a float. TypeError unless the array is 0-dimensional and real."""
        return float(self._scalar("float"))

    def __complex__(self) -> complex:
        """The only element as a complex. TypeError unless the array is 0-dimensional."""
        return complex(self._scalar("complex"))

    def __index__(self) -> int:
        """The only element as an int. TypeError unless the array is 0-dimensional and of an integer dtype."""
        if self.dtype not in INTEGRAL:
            raise TypeError(f"index(): the array has dtype {self.dtype}; allowed: integer dtypes; convert with astype")
        return int(self._scalar("index"))

    def __repr__(self) -> str:
        # As in NumPy: the shape is written if the list does not show it.
        hidden = self.size > np.get_printoptions()["threshold"] or (self.size == 0 and self.shape != (0,))
        shape = f"shape={self.shape}, " if hidden else ""
        text = printing.text(self, _namespace["concat"], ", ", 6)
        return f"Array({text}, {shape}dtype={self.dtype}, device='{self.device}')"

    def __str__(self) -> str:
        if not self._node.shape:  # as in NumPy: all digits of a number
            return str(self.to_numpy()[()])
        return printing.text(self, _namespace["concat"], " ")

    if not TYPE_CHECKING:  # with which mypy would accept every name

        def __getattr__(self, name: str) -> Any:
            if hasattr(Array, name):  # a property raised the error
                return object.__getattribute__(self, name)
            raise AttributeError(missing_of_array(name, _namespace), name=name, obj=self)

    def __format__(self, spec: str) -> str:
        if spec and self.ndim:
            raise TypeError(
                f"format: got {spec!r} for an array of shape {self.shape}; allowed: 0 dimensions; format its elements, "
                "or use numpy.array2string"
            )
        return format(self.item(), spec) if self.ndim == 0 else str(self)

    # --- copies ----------------------------------------------------------------------------------------------------

    def copy(self, order: str | None = "C") -> Array:
        """Return a copy of the array.

        Parameters
        ----------
        order : {"C", "F", "A", "K"}
            The order of elements in the memory of the copy: "C", the last index changes fastest; "F", the first one;
            "A", "F" if the array lies in that order, otherwise "C"; "K", the order of the array as far as possible.

        Returns
        -------
        Array
            An array that shares no memory with this one.

        Raises
        ------
        ValueError
            For another `order`.

        Examples
        --------
        >>> x = xp.asarray([1, 2, 3])
        >>> y = x.copy()
        >>> x[0] = 10
        >>> print(y)
        [1 2 3]
        """
        if order == "C":
            return copied(self)
        axes = axes_in_order("copy", self._node, order, copying=True)
        result: Array = laid_out(copied(put_first(self, axes)), axes)
        return result

    def __copy__(self) -> Array:
        return copied(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Array:
        return copied(self)

    def __reduce__(self) -> tuple[Any, ...]:
        host = lazy.on_host(self._node)  # a host operand is unpickled as a host operand
        return unpickle, (exports.to_read(self._node) if host is None else host, self.device, host is not None)

    # --- other libraries -------------------------------------------------------------------------------------------

    def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType:
        """The namespace of the array's functions, the package `arrayapi_gpu`.

        ValueError for a version of the standard other than 2021.12 to 2025.12.
        """
        namespace: ModuleType = _namespace["__array_namespace__"](api_version)
        return namespace

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """The result of a NumPy ufunc on arrays, computed by this namespace's function of the same meaning (NEP 13)."""
        return _namespace["__array_ufunc__"](ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        """The result of a NumPy function on arrays, computed by this namespace's function of the same name (NEP 18)."""
        return _namespace["__array_function__"](function, types, args, options)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        host = self.to_numpy()
        return ("arrayapi_gpu.Array", self.shape, str(self.dtype), host.tobytes())

    # --- methods as NumPy has them ---------------------------------------------------------------------------------

    def astype(self, dtype: Any, order: str | None = None, casting: Any = "unsafe", *, copy: bool = True) -> Array:
        """Convert the array to another dtype.

        Parameters
        ----------
        dtype : dtype
            The dtype. Strings and objects give a NumPy array.
        order : {"C", "F", "A", "K"} or None
            The order of elements in the memory of the result, as in `copy`. None is the order of the array.
        casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
            The casts that are allowed, as in NumPy.
        copy : bool
            Whether to copy if the array has the dtype already. False returns the array itself.

        Returns
        -------
        Array
            An array of that dtype; a NumPy array for dtypes that devices do not have.

        Raises
        ------
        TypeError
            If `casting` does not allow the cast, or for complex numbers that would become real.

        See Also
        --------
        astype, view

        Examples
        --------
        >>> print(xp.asarray([1.5, -2.5]).astype(xp.int32))
        [ 1 -2]
        """
        if is_of_host(dtype):
            host: Any = exports.host_array(self._node, None, None)
            return host.astype(dtype, order or "K", casting)  # type: ignore[no-any-return]
        if casting != "unsafe" and not np.can_cast(self.dtype, as_dtype(dtype), casting):
            raise TypeError(f"astype: got {self.dtype} and {dtype}; allowed: {casting!r} casts; use casting='unsafe'")
        axes = axes_in_order("astype", self._node, order, copying=True)
        result: Array = laid_out(_namespace["astype"](put_first(self, axes), as_dtype(dtype), copy=copy), axes)
        return result

    def to_device(self, device: Any, /, *, stream: Any = None) -> Array:
        """Return the array on another device.

        Parameters
        ----------
        device : Device or str
            The device, or its name, such as "cpu".
        stream : None
            Must be None, because a device has one queue.

        Returns
        -------
        Array
            A copy on that device; the array itself if it is there already.

        Raises
        ------
        ValueError
            If `stream` is not None.

        References
        ----------
        Array API standard, chapter "Array object": ``to_device``.

        Examples
        --------
        >>> x = xp.asarray([1, 2, 3])
        >>> x.to_device(x.device) is x
        True
        """
        if stream is not None:
            raise ValueError(
                f"to_device: stream={stream!r}; allowed: None, because a device has one queue; drop stream="
            )
        result: Array = _namespace["to_device"](self, get_device(device))
        return result

    def reshape(self, *shape: Any, order: str | None = "C", copy: bool | None = None) -> Array:
        """Give the array another shape.

        Parameters
        ----------
        *shape : int or tuple of int
            The new shape, as a tuple or as several ints. One extent may be -1; it is computed from the others.
        order : {"C", "F", "A"}
            The order in which elements are taken and placed: "C", the last index changes fastest; "F", the first one;
            "A", "F" if the array lies in that order in memory, otherwise "C".
        copy : bool or None
            Whether to copy. None copies only if no view of the memory has that shape.

        Returns
        -------
        Array
            A view if possible, otherwise a copy.

        Raises
        ------
        ValueError
            If the numbers of elements differ, if `copy` is False and a copy is necessary, or for another `order`.

        See Also
        --------
        ravel, flatten

        Examples
        --------
        >>> x = xp.arange(6)
        >>> print(x.reshape(2, -1))
        [[0 1 2]
         [3 4 5]]
        >>> print(x.reshape(2, 3, order="F"))
        [[0 2 4]
         [1 3 5]]
        """
        new = shape[0] if len(shape) == 1 else shape
        extents = (new,) if isinstance(new, int) else tuple(new)
        result: Array
        if order == "C":
            result = _namespace["reshape"](self, extents, copy=copy)
            return result
        axes = axes_in_order("reshape", self._node, order, ("C", "F", "A"))
        turned = axes != tuple(range(self.ndim)) or (isinstance(order, str) and order in "Ff")
        result = _namespace["reshape"](put_first(self, axes), extents[::-1] if turned else extents, copy=copy)
        return result.transpose() if turned else result

    def transpose(self, *axes: Any) -> Array:
        """Change the order of axes.

        Parameters
        ----------
        *axes : int or tuple of int
            For each axis of the result, the axis of the array. Without axes, their order is reversed.

        Returns
        -------
        Array
            A view with the axes in that order.

        Raises
        ------
        ValueError
            If axes are missing, repeated or out of bounds.

        See Also
        --------
        permute_dims, mT

        Examples
        --------
        >>> x = xp.zeros((2, 3, 4))
        >>> x.transpose().shape, x.transpose(0, 2, 1).shape
        ((4, 3, 2), (2, 4, 3))
        """
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return indexing.permuted(self, tuple(order) if order else tuple(reversed(range(self.ndim))))

    def ravel(self, order: str | None = "C") -> Array:
        """Return the elements in one dimension.

        Parameters
        ----------
        order : {"C", "F", "A", "K"}
            The order of elements: "C", the last index changes fastest; "F", the first one; "A", "F" if the array lies
            in that order in memory, otherwise "C"; "K", the order in memory.

        Returns
        -------
        Array
            A view if possible, otherwise a copy.

        Raises
        ------
        ValueError
            For another `order`.

        See Also
        --------
        flatten, reshape

        Examples
        --------
        >>> x = xp.asarray([[1, 2], [3, 4]])
        >>> print(x.ravel())
        [1 2 3 4]
        >>> print(x.ravel(order="F"))
        [1 3 2 4]
        """
        result: Array = _namespace["reshape"](put_first(self, axes_in_order("ravel", self._node, order)), (-1,))
        return result

    def flatten(self, order: str | None = "C") -> Array:
        """Return a copy of the elements in one dimension.

        Parameters
        ----------
        order : {"C", "F", "A", "K"}
            The order of elements, as in `ravel`.

        Returns
        -------
        Array
            A 1-dimensional copy.

        Raises
        ------
        ValueError
            For another `order`.

        See Also
        --------
        ravel

        Examples
        --------
        >>> print(xp.asarray([[1, 2], [3, 4]]).flatten())
        [1 2 3 4]
        """
        flat = put_first(self, axes_in_order("flatten", self._node, order))
        result: Array = _namespace["reshape"](flat, (-1,), copy=True)
        return result

    def squeeze(self, axis: Any = None) -> Array:
        """Remove axes of extent 1.

        Parameters
        ----------
        axis : int, tuple of int or None
            The axes to remove. None removes all axes of extent 1.

        Returns
        -------
        Array
            A view without these axes.

        Raises
        ------
        ValueError
            If one of the axes has another extent, or is out of bounds.

        See Also
        --------
        squeeze, expand_dims

        Examples
        --------
        >>> xp.zeros((1, 3, 1)).squeeze().shape
        (3,)
        """
        result: Array = _namespace["squeeze"](self, axis)
        return result

    def view(self, dtype: Any = None, *others: Any) -> Array:
        """Return the bytes of the array as elements of another dtype.

        Parameters
        ----------
        dtype : dtype or None
            The dtype. None is that of the array. If the sizes of elements differ, the elements along the last axis must
            lie side by side, and its extent changes.
        *others : None
            Nothing, because a shape is an argument of `reshape`.

        Returns
        -------
        Array
            A view of the same memory.

        Raises
        ------
        ValueError
            If the dtype does not fit the shape or the strides.

        See Also
        --------
        astype

        Examples
        --------
        >>> x = xp.asarray([1.0, -1.0], dtype=xp.float32)
        >>> print(x.view(xp.int32))
        [ 1065353216 -1082130432]
        >>> x.view(xp.uint8).shape
        (8,)
        """
        if others:
            raise TypeError(f"view: got {(dtype, *others)}; allowed: a dtype; use reshape for views of another shape")
        return indexing.reinterpreted(self, self.dtype if dtype is None else as_dtype(dtype))

    def conj(self) -> Array:
        """Return the complex conjugates.

        Returns
        -------
        Array
            An array of the same dtype; the array itself if it is not complex.

        See Also
        --------
        conj, real, imag

        Examples
        --------
        >>> print(xp.asarray([1 + 2j, 3 - 1j]).conj())
        [1.-2.j 3.+1.j]
        """
        result: Array = _namespace["conj"](self) if self.dtype in COMPLEX_FLOATING else self
        return result


operators_of(Array, _operand_of, lazy.operate, check_exponent, indexing.get)


def copied(x: Array) -> Array:
    """A copy of the array."""
    return handle(Array, unary(OPS["positive"], x._node))


def unpickle(host: np.ndarray[Any, Any], device: Device, resident: bool = False) -> Array:
    """The unpickled array; ``resident``: whether it stays in host memory (`from_host`). A device's error is raised when
    the array is used, because an exception here makes multiprocessing's pools restart their workers forever."""
    try:
        return handle(Array, lazy.host_operand(host, host.dtype, device) if resident else host_node(host, device))
    except DeviceError as error:
        return handle(Array, lazy.lost(error, as_dtype(host.dtype), host.shape, device))


def fill_namespace(functions: dict[str, Any]) -> None:
    """Set the functions that methods of `Array` call; they are in modules above this one."""
    _namespace.update(functions)
