"""Data types with the protocol's name, NumPy's typestr and DLPack's triple for each (rules 32 to 48, 125 to 129)."""

from __future__ import annotations

import math
import re
from typing import Any, Callable, NamedTuple

from .errors import IpcError


class DType(NamedTuple):
    """A data type. ``wire`` is its form in a grant: a name, or the fields of a record."""

    wire: str | list[Any]
    itemsize: int
    typestr: str | None
    dlpack: tuple[int, int, int] | None
    """Code, bits and lanes."""

    @property
    def name(self) -> str:
        return self.wire if isinstance(self.wire, str) else f"record{self.itemsize}"

    @property
    def padded(self) -> bool:
        """Whether elements smaller than a byte take a byte each (rule 128)."""
        return self.dlpack is not None and self.dlpack[1] < 8 and self.dlpack[2] == 1

    @property
    def descr(self) -> list[Any] | None:
        return None if isinstance(self.wire, str) else _fields_as(tuple, self.wire)

    @property
    def format(self) -> Any:
        """The format for ``memoryview.cast``, or None."""
        return _FORMATS.get(self.name)


_NUMBERS = {"i": "int", "u": "uint", "f": "float", "c": "complex"}
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5}
_SMALL = {
    "bfloat16": (4, 16),
    "float8_e3m4": (7, 8),
    "float8_e4m3": (8, 8),
    "float8_e4m3b11fnuz": (9, 8),
    "float8_e4m3fn": (10, 8),
    "float8_e4m3fnuz": (11, 8),
    "float8_e5m2": (12, 8),
    "float8_e5m2fnuz": (13, 8),
    "float8_e8m0fnu": (14, 8),
    "float6_e2m3fn": (15, 6),
    "float6_e3m2fn": (16, 6),
    "float4_e2m1fn": (17, 4),
    "int4": (0, 4),
    "uint4": (1, 4),
}
_FORMATS = dict(zip("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split(), "? b h i q B H I Q f d".split()))


def _fixed() -> dict:
    found = {"bool": DType("bool", 1, "|b1", (6, 8, 1))}
    for kind, sizes in {"i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8), "c": (8, 16)}.items():
        for size in sizes:
            name = f"{_NUMBERS[kind]}{size * 8}"
            found[name] = DType(name, size, f"{'|' if size == 1 else '<'}{kind}{size}", (_CODES[kind], size * 8, 1))
    for name, (code, bits) in _SMALL.items():
        found[name] = DType(name, (bits + 7) // 8, None, (code, bits, 1))
    return found


_FIXED = _fixed()
_BY_TYPESTR = {dtype.typestr: dtype for dtype in _FIXED.values() if dtype.typestr}
_BY_DLPACK = {dtype.dlpack: dtype for dtype in _FIXED.values()}
OBJECTS_REFUSED = "arrays of Python objects cannot be shared: they contain addresses of this process (rule 41)"
_COUNTED = {"bytes": ("|S", 1), "str": ("<U", 4), "void": ("|V", 1)}


def from_wire(value: Any) -> DType:
    """Returns the dtype that a grant names. Raises IpcError for an unknown one."""
    if isinstance(value, list):
        return DType(value, _size_of(value), f"|V{_size_of(value)}", None)
    if value in _FIXED:
        return _FIXED[value]
    if not isinstance(value, str):
        raise IpcError(f"{value!r} is not the name of a dtype")
    counted = re.fullmatch(r"(bytes|str|void)([1-9]\d{0,9})", value)
    if counted:
        prefix, unit = _COUNTED[counted[1]]
        return DType(value, int(counted[2]) * unit, prefix + counted[2], None)
    time = re.fullmatch(r"(datetime64|timedelta64)(\[\w+\])?", value)
    if time:
        return DType(value, 8, f"<{'M' if time[1] == 'datetime64' else 'm'}8{time[2] or ''}", None)
    vector = re.fullmatch(r"(\w+)_x([1-9]\d{0,4})", value)
    if vector and vector[1] in _FIXED:
        code, bits, _ = _FIXED[vector[1]].dlpack
        lanes = int(vector[2])
        if lanes <= 0xFFFF and lanes * bits % 8 == 0:
            return DType(value, lanes * bits // 8, None, (code, bits, lanes))
    if value[:1] in "<>|":
        return from_typestr(value)
    raise IpcError(f"the dtype '{value}' is unknown to this version of stridelab")


def from_typestr(typestr: str, descr: Any = None) -> DType:
    """Returns the dtype of an array interface. Raises IpcError for what cannot be shared (rules 41, 42)."""
    if descr and not (len(descr) == 1 and descr[0][0] == ""):
        fields = _fields_as(list, descr)
        return DType(fields, _size_of(fields), typestr, None)
    if typestr in _BY_TYPESTR:
        return _BY_TYPESTR[typestr]
    parts = re.fullmatch(r"([<>|=])([a-zA-Z])(\d*)(\[\w+\])?", typestr)
    if not parts:
        raise IpcError(f"'{typestr}' is not a typestr: expected one such as '<f4'")
    order, kind, digits, unit = parts.groups()
    if kind == "O":
        raise IpcError(OBJECTS_REFUSED)
    if order == ">":
        raise IpcError(f"'{typestr}' is big-endian: share x.astype(x.dtype.newbyteorder('=')) (rule 42)")
    if kind in "mM" and digits == "8":
        return DType(f"{'datetime64' if kind == 'M' else 'timedelta64'}{unit or ''}", 8, typestr, None)
    for name, (prefix, size) in _COUNTED.items():
        if kind == prefix[1] and int(digits or 0):
            return DType(f"{name}{digits}", int(digits) * size, typestr, None)
    raise IpcError(f"elements of typestr '{typestr}' cannot be shared: convert them to another dtype")


def from_dlpack(code: int, bits: int, lanes: int) -> DType:
    """Returns the dtype of a DLDataType. Raises IpcError for an unknown one (rules 128, 131)."""
    element = _BY_DLPACK.get((code, bits, 1))
    if element is None:
        raise IpcError(f"the DLPack type with code {code} and {bits} bits is not supported (rule 131)")
    return element if lanes == 1 else from_wire(f"{element.name}_x{lanes}")


def from_name(name: str) -> DType | None:
    """Returns the dtype without a typestr that has this name in a NumPy extension (rule 44), or None."""
    return _FIXED.get(name) if name in _SMALL else None


def _size_of(fields: list[Any]) -> int:
    size = 0
    for field in fields:
        if not isinstance(field, list) or not 2 <= len(field) <= 3:
            raise IpcError(f"{field!r} is not a field of a record: expected [name, dtype] or [name, dtype, shape] (rule 46)")
        count = math.prod(field[2]) if len(field) == 3 else 1
        size += count * (_size_of(field[1]) if isinstance(field[1], list) else from_typestr(field[1]).itemsize)
    return size


def _fields_as(sequence: Callable[[Any], Any], fields: Any) -> list[Any]:
    """Returns the fields of a record, with each field, title and shape as a ``list`` (for JSON) or a ``tuple`` (for NumPy)."""

    def field_as(name: Any, kind: Any, *shapes: Any) -> Any:
        name = name if isinstance(name, str) else sequence(name)
        kind = kind if isinstance(kind, str) else _fields_as(sequence, kind)
        return sequence([name, kind, *(sequence(shape if isinstance(shape, (tuple, list)) else [shape]) for shape in shapes)])

    return [field_as(*field) for field in fields]
