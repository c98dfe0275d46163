"""Encodes values as bytes, for messages and copies of containers. The other half is src/python/interpreter/wire.ts, with equal tags."""

import struct

NONE, FALSE, TRUE, SMALL, FLOAT, WHOLE, BIG, TEXT, WIDE_TEXT, BYTES, HANDLE, FUNCTION, LIST, DICT, SET, ARRAY = range(16)

MAX_SAFE = 2**53 - 1

_COUNT = struct.Struct("<Q")
_BYTE_AND_ID = struct.Struct("<BI")
_BYTE_AND_NUMBER = struct.Struct("<Bd")
_BYTE_AND_COUNT = struct.Struct("<BQ")
_NUMBER = struct.Struct("<d")
_SMALL = struct.Struct("<i")
_ID = struct.Struct("<I")

# The attribute does not exist, or the iterator has ended.
MISSING = object()


class Encoded:
    """A result that is encoded already, with file descriptors beside it."""

    __slots__ = ("data", "files")

    def __init__(self, data, files=()):
        self.data = data
        self.files = files


def _sized(tag, data):
    return _BYTE_AND_COUNT.pack(tag, len(data)) + data


def _write_int(value):
    if -MAX_SAFE <= value <= MAX_SAFE:
        return _BYTE_AND_NUMBER.pack(FLOAT, value)
    return _sized(BIG, format(value, "x").encode("ascii"))


def _write_text(value):
    try:
        return _sized(TEXT, value.encode("utf-8"))
    except UnicodeEncodeError:
        return _sized(WIDE_TEXT, value.encode("utf-16-le", "surrogatepass"))


_SCALARS = {
    type(None): lambda value: b"\x00",
    bool: lambda value: b"\x02" if value else b"\x01",
    int: _write_int,
    float: lambda value: _BYTE_AND_NUMBER.pack(FLOAT, value),
    str: _write_text,
}


def write(value, reference):
    """Encodes scalars and text by value, and other objects by the tag and number that `reference` returns."""
    scalar = _SCALARS.get(type(value))
    if scalar is not None:
        return scalar(value)
    if isinstance(value, float):
        return _BYTE_AND_NUMBER.pack(FLOAT, value)
    return _BYTE_AND_ID.pack(*reference(value))


def write_reference(tag, number):
    return _BYTE_AND_ID.pack(tag, number)


def write_bytes(value):
    """Encodes bytes by value, which `write` encodes as an object."""
    return _sized(BYTES, bytes(value))


def write_copy(value, reference, depth=0):
    """Encodes a value like `write`, and containers and bytes by value."""
    if depth > 200:
        raise RecursionError("the value is nested deeper than 200 levels, or contains itself")
    if isinstance(value, dict):
        parts = [_BYTE_AND_COUNT.pack(DICT, len(value))]
        for key, item in value.items():
            parts += write_copy(key, reference, depth + 1), write_copy(item, reference, depth + 1)
        return b"".join(parts)
    if isinstance(value, (list, tuple, set, frozenset)):
        tag = LIST if isinstance(value, (list, tuple)) else SET
        return _BYTE_AND_COUNT.pack(tag, len(value)) + b"".join([write_copy(item, reference, depth + 1) for item in value])
    if isinstance(value, (bytes, bytearray, memoryview)):
        return write_bytes(value)
    # A scalar of NumPy or a similar library.
    item = getattr(value, "item", None)
    if item is not None and type(value) not in _SCALARS and getattr(value, "shape", None) == ():
        value = item()
    return write(value, reference)


def encode_copy(value):
    """Returns `write_copy` of a value, and a list of the objects in it, which their numbers index."""
    objects = []

    def reference(item):
        objects.append(item)
        return HANDLE, len(objects) - 1

    return write_copy(value, reference), objects


def read(data, at, find):
    """Returns the value at `at`, and the position after it. `find` returns the object of a tag and a number."""
    tag = data[at]
    if tag == HANDLE or tag == FUNCTION:
        return find(tag, _ID.unpack_from(data, at + 1)[0]), at + 5
    if tag == SMALL:
        return _SMALL.unpack_from(data, at + 1)[0], at + 5
    if tag == FLOAT:
        return _NUMBER.unpack_from(data, at + 1)[0], at + 9
    if tag == WHOLE:
        return int(_NUMBER.unpack_from(data, at + 1)[0]), at + 9
    if tag <= TRUE:
        return (None, False, True)[tag], at + 1
    begin = at + 9
    end = begin + _COUNT.unpack_from(data, at + 1)[0]
    part = data[begin:end]
    if tag == TEXT:
        return part.decode("utf-8"), end
    if tag == BYTES:
        return part, end
    if tag == BIG:
        return int(part, 16), end
    return part.decode("utf-16-le", "surrogatepass"), end


def read_all(data, at, find):
    """All values up to the end of the data."""
    values = []
    while at < len(data):
        value, at = read(data, at, find)
        values.append(value)
    return values
