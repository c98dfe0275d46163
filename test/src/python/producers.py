"""Valid and invalid objects for tests, each with one protocol. Runs in `__main__`, with only the standard library."""

import array
import ctypes

from dlpack_structs import Deleter, Managed, Table, Versioned

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

# By address of the struct: the objects that a tensor keeps until its deleter is called.
alive = {}
# Addresses in the order in which their deleters were called.
deleted = []
_names = {}


def _address_of(function):
    return ctypes.cast(function, ctypes.c_void_p).value


def _delete(address):
    deleted.append(address)
    alive.pop(address)


_deleter = Deleter(_delete)


def make_managed(
    values=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0),
    shape=(2, 3),
    strides=None,
    first=0,
    byte_offset=0,
    dtype=(2, 64, 1),
    device=(1, 0),
    version=(1, 3),
    flags=0,
    ndim=None,
    null_data=False,
    null_shape=False,
    null_deleter=False,
):
    """A managed struct over a copy of the values; `version` None means the unversioned struct, `strides` None means NULL."""
    memory = array.array("d", values)
    managed = Managed() if version is None else Versioned()
    if version is not None:
        managed.major, managed.minor = version
        managed.flags = flags
    if not null_deleter:
        managed.deleter = _address_of(_deleter)
    tensor = managed.tensor
    start = memory.buffer_info()[0] + 8 * first
    tensor.data = None if null_data else start - byte_offset
    tensor.byte_offset = byte_offset
    tensor.device_type, tensor.device_id = device
    tensor.code, tensor.bits, tensor.lanes = dtype
    tensor.ndim = len(shape) if ndim is None else ndim
    sizes = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    if not null_shape:
        tensor.shape = ctypes.cast(sizes, ctypes.POINTER(ctypes.c_int64))
    steps = None
    if strides is not None:
        steps = (ctypes.c_int64 * max(len(strides), 1))(*strides)
        tensor.strides = ctypes.cast(steps, ctypes.POINTER(ctypes.c_int64))
    address = ctypes.addressof(managed)
    alive[address] = (managed, memory, sizes, steps)
    return address


def make_capsule(name=None, **fields):
    address = make_managed(**fields)
    if name is None:
        name = "dltensor" if fields.get("version", (1, 3)) is None else "dltensor_versioned"
    kept = _names.setdefault(name, name.encode())
    return _new_capsule(address, kept, None)


class Producer:
    """A producer of DLPack 1.x; `calls` has the arguments of its calls."""

    def __init__(self, **fields):
        self.fields = fields
        self.calls = []

    def __dlpack_device__(self):
        return self.fields.get("device", (1, 0))

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        self.calls.append({"stream": stream, "max_version": max_version, "dl_device": dl_device, "copy": copy})
        fields = dict(self.fields)
        if dl_device is not None:
            fields.update(device=dl_device, flags=2)
        return make_capsule(**fields)


class OldProducer(Producer):
    """A producer from before DLPack 1.0, which accepts only `stream`."""

    def __dlpack__(self, stream=None):
        self.calls.append({"stream": stream})
        return make_capsule(version=None, **self.fields)


class Forwarding:
    """A producer that forwards all arguments to an older one."""

    def __init__(self, inner):
        self.inner = inner

    def __dlpack_device__(self):
        return self.inner.__dlpack_device__()

    def __dlpack__(self, **arguments):
        return self.inner.__dlpack__(**arguments)


class Returning(Producer):
    """A producer that returns the given result, or raises it."""

    def __init__(self, result, device=(1, 0)):
        super().__init__(device=device)
        self.result = result

    def __dlpack__(self, **arguments):
        self.calls.append(arguments)
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


class WithInterface(Returning):
    """A producer whose DLPack fails, and which has another protocol too."""

    @property
    def __array_interface__(self):
        raise AssertionError("the protocol after the one that failed was asked")


class Described:
    """An object with only `__array_interface__` or `__cuda_array_interface__`, over doubles 0 to 5."""

    def __init__(self, name, **entries):
        self.memory = array.array("d", [0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
        self.name = name
        address = self.memory.buffer_info()[0]
        self.entries = {"shape": (2, 3), "typestr": "<f8", "data": (address, False), "version": 3}
        self.entries.update(entries)
        self.entries = {key: value for key, value in self.entries.items() if value is not ...}

    def __getattr__(self, name):
        if name == object.__getattribute__(self, "name"):
            return self.entries
        raise AttributeError(name)


class Mapping:
    """A mapping that is not a dict."""

    def __init__(self, entries):
        self.entries = entries

    def keys(self):
        return self.entries.keys()

    def __getitem__(self, key):
        return self.entries[key]


FromObject = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))
CurrentStream = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


def _from_object(value, out):
    out[0] = make_managed(**value.fields)
    return 0


def _no_stream(kind, number, out):
    out[0] = None
    return 0


# Tables and their functions must be valid until the process exits.
_tables = []


def make_table(version=(1, 3), previous=None, from_object=_from_object):
    table = Table()
    table.major, table.minor = version
    table.previous = None if previous is None else ctypes.addressof(previous)
    functions = FromObject(from_object), CurrentStream(_no_stream)
    table.from_object, table.work_stream = map(_address_of, functions)
    _tables.append((table, functions))
    return table


def class_with(table, name="dlpack_exchange_api"):
    """A class of producers with an exchange table."""
    kept = _names.setdefault(name, name.encode())
    capsule = _new_capsule(ctypes.addressof(table), kept, None)
    return type("WithTable", (Producer,), {"__dlpack_c_exchange_api__": capsule})
