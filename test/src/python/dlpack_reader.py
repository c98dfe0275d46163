"""Reads the tensor in a DLPack capsule, like a consumer."""

import ctypes

from dlpack_structs import Deleter, DLTensor, Managed, Table, Versioned

_api = ctypes.pythonapi
_api.PyCapsule_GetName.restype = ctypes.c_char_p
_api.PyCapsule_GetName.argtypes = [ctypes.py_object]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]

_kept_names = [b"used_dltensor", b"used_dltensor_versioned"]


def name_of(capsule):
    return _api.PyCapsule_GetName(capsule).decode()


def read(capsule):
    """The fields of the tensor, without taking it."""
    name = name_of(capsule)
    versioned = name == "dltensor_versioned"
    address = _api.PyCapsule_GetPointer(capsule, name.encode())
    managed = (Versioned if versioned else Managed).from_address(address)
    tensor = managed.tensor
    told = {
        "name": name,
        "version": [managed.major, managed.minor] if versioned else None,
        "flags": managed.flags if versioned else None,
        "device": [tensor.device_type, tensor.device_id],
        "dtype": [tensor.code, tensor.bits, tensor.lanes],
        "shape": tensor.shape[: tensor.ndim] if tensor.shape else None,
        "strides": tensor.strides[: tensor.ndim] if tensor.strides else None,
        "data": (tensor.data or 0) + tensor.byte_offset,
        "deleter": bool(managed.deleter),
    }
    return told


def take(capsule):
    """Takes the tensor as a consumer does; returns the function that calls its deleter."""
    name = name_of(capsule)
    versioned = name == "dltensor_versioned"
    address = _api.PyCapsule_GetPointer(capsule, name.encode())
    _api.PyCapsule_SetName(capsule, _kept_names[versioned])
    managed = (Versioned if versioned else Managed).from_address(address)
    deleter = managed.deleter
    return lambda: Deleter(deleter)(address)


_SetError = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)


def table_of(array):
    capsule = type(array).__dlpack_c_exchange_api__
    return Table.from_address(_api.PyCapsule_GetPointer(capsule, b"dlpack_exchange_api"))


def tell(tensor, flags):
    return {
        "flags": flags,
        "device": [tensor.device_type, tensor.device_id],
        "dtype": [tensor.code, tensor.bits, tensor.lanes],
        "shape": tensor.shape[: tensor.ndim],
        "strides": tensor.strides[: tensor.ndim],
        "data": (tensor.data or 0) + tensor.byte_offset,
    }


def from_object(array):
    """The address of a managed tensor from the exchange table; the caller owns the tensor."""
    out = ctypes.c_void_p()
    call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(table_of(array).from_object)
    call(array, ctypes.addressof(out))
    return out.value


def to_object(array, address):
    """The object that the exchange table of `array` makes from a managed tensor."""
    out = ctypes.c_void_p()
    call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(table_of(array).to_object)
    call(address, ctypes.addressof(out))
    made = ctypes.cast(out.value, ctypes.py_object).value
    _api.Py_DecRef(ctypes.py_object(made))
    return made


def borrow(array):
    tensor = DLTensor()
    call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(table_of(array).borrow)
    call(array, ctypes.addressof(tensor))
    return tell(tensor, None)


def work_stream(array, kind):
    out = ctypes.c_void_p(77)
    call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p)(table_of(array).work_stream)
    call(kind, 0, ctypes.addressof(out))
    return out.value


def allocate(array, shape, code=2, bits=32, device_type=1, hold_gil=True):
    """The address of new memory, or the error message. Without `hold_gil` the call is made without the GIL."""
    dims = (ctypes.c_int64 * len(shape))(*shape)
    prototype = DLTensor(None, device_type, 0, len(shape), code, bits, 1, dims, None, 0)
    out = ctypes.c_void_p()
    told = []
    set_error = _SetError(lambda _, kind, message: told.append(f"{kind.decode()}: {message.decode()}"))
    kind = ctypes.PYFUNCTYPE if hold_gil else ctypes.CFUNCTYPE
    call = kind(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, _SetError)(table_of(array).allocate)
    status = call(ctypes.addressof(prototype), ctypes.addressof(out), None, set_error)
    return out.value if status == 0 else told[0]


def managed_at(address):
    managed = Versioned.from_address(address)
    return tell(managed.tensor, managed.flags)


def delete(address):
    Deleter(Versioned.from_address(address).deleter)(address)
