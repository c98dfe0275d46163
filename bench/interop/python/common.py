"""The interface to a tested library: it makes arrays, imports ours, and reports what it sees."""

PROTOCOLS = ("exchange-table", "dlpack", "cuda-array-interface", "array-interface", "buffer")


class Missing(Exception):
    """The library lacks the requested feature."""


class OnlyDlpack:
    """An array with DLPack as its only protocol."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class OnlyCudaArrayInterface:
    """An array with the CUDA Array Interface as its only protocol."""

    def __init__(self, array):
        self.array, self.__cuda_array_interface__ = array, array.__cuda_array_interface__


class OnlyArrayInterface:
    """An array with NumPy's array interface as its only protocol."""

    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


def has_buffer(array):
    """An object with the buffer protocol may refuse a request, as GPU arrays of PyTorch and JAX do."""
    try:
        memoryview(array).release()
        return True
    except TypeError:
        return False
    except Exception:
        return hasattr(type(array), "__buffer__")


def offers(array):
    """The protocols that an object has."""
    found = {
        "exchange-table": hasattr(type(array), "__dlpack_c_exchange_api__"),
        "dlpack": hasattr(array, "__dlpack__"),
        "cuda-array-interface": hasattr(array, "__cuda_array_interface__"),
        "array-interface": hasattr(array, "__array_interface__"),
        "buffer": has_buffer(array),
    }
    return [name for name in PROTOCOLS if found[name]]


def dropping(take):
    """Returns the timed function, which imports an array and releases it."""

    def taken(array):
        take(array)

    return taken


class Library:
    """One library on one kind of device. A subclass implements the methods for which its library has the feature."""

    name = ""
    version = ""
    #: The dtype of the arrays in all tests of protocols.
    basic = "float32"
    #: The import function for each protocol; wrapped if it would try other protocols first.
    takes = {}

    def make(self, dtype="float32", shape=(2, 3)):
        """An array that counts from 0. Raises Missing for a dtype that the library lacks."""
        raise NotImplementedError

    def views(self):
        """Arrays of float32 in other than C-contiguous layouts, by name."""
        return {}

    def read_only(self):
        """A read-only array."""
        raise Missing(f"{self.name} has no read-only arrays")

    def is_read_only(self, array):
        raise Missing(f"{self.name} has no read-only arrays")

    def address(self, array):
        """The address of the first element."""
        raise NotImplementedError

    def dtype(self, array):
        """Stridelab's name of the dtype."""
        return str(array.dtype)

    def values(self, array):
        """The values as nested lists."""
        return array.tolist()

    def set_first(self, array, value):
        array[(0,) * array.ndim] = value

    def first(self, array):
        return float(array[(0,) * array.ndim])

    # For devices with streams.

    def enter_stream(self):
        """Makes a new stream the current one."""
        raise Missing(f"{self.name} has no streams that a program could choose")

    def leave_stream(self):
        pass

    def slow_fill(self, array, value):
        """Submits work to the current stream that takes long and writes at its end."""
        raise Missing(f"{self.name} launches no work of its own")

    def late(self, value):
        """An array whose first element gets the value at the end of long work on the current stream."""
        array = self.make()
        self.finish()
        self.slow_fill(array, value)
        return array

    def pending(self):
        """Whether the current stream still has work."""
        raise NotImplementedError

    def first_on_stream(self, array):
        """The first element, read by work of the current stream; waits only for that work."""
        raise NotImplementedError

    def finish(self):
        """Waits for the whole device."""


def counting(numpy, dtype, shape):
    """A NumPy array that counts from 0, of the dtype with this Stridelab name."""
    size = 1
    for length in shape:
        size *= length
    if dtype == "record":
        array = numpy.zeros(shape, dtype=[("a", "<i4"), ("b", "<f8")])
        array["a"] = numpy.arange(size).reshape(shape)
        return array
    if dtype in ("bytes3", "str3"):
        return numpy.arange(size).astype({"bytes3": "S3", "str3": "U3"}[dtype]).reshape(shape)
    if dtype == "datetime64[ns]":
        return numpy.arange(size, dtype="int64").view("<M8[ns]").reshape(shape)
    return numpy.arange(size).astype(numpy_dtype(numpy, dtype)).reshape(shape)


def numpy_dtype(numpy, name):
    if name.startswith(("bfloat", "float8")):
        try:
            import ml_dtypes
        except ImportError:
            raise Missing(f"NumPy has {name} only with ml_dtypes, which is not here") from None
        return numpy.dtype(getattr(ml_dtypes, name))
    return numpy.dtype(name)


def name_of_numpy(dtype):
    """Stridelab's name of a NumPy dtype."""
    if dtype.names:
        return "record"
    if dtype.kind == "S":
        return f"bytes{dtype.itemsize}"
    if dtype.kind == "V":
        return f"void{dtype.itemsize}"
    if dtype.kind == "U":
        return f"str{dtype.itemsize // 4}"
    return dtype.name


def strided(array, broadcast):
    """The tested layouts of an array of six float32 elements in two rows."""
    return {
        "negative strides": array[::-1, ::-2],
        "column-major": array.T,
        "offset": array[1:],
        "gaps": array[:, ::2],
        "0-d": array[1, 2],
        "broadcast": broadcast(array[:1], (4, 3)),
    }
