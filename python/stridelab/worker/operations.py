"""What JavaScript asks for, by number: the order is that of `OPERATIONS` in src/python/process/protocol.ts."""

import importlib
import sys
import types

from . import wire
from .functions import JavaScriptFunction
from .results import MISSING, Encoded

_ABSENT = object()


def _execute(_session, source, file, names):
    exec(compile(source, file, "exec", dont_inherit=True), names)


def _module(_session, name):
    module = sys.modules.get(name)
    if module is None:
        module = sys.modules[name] = types.ModuleType(name)
    return vars(module)


def _import_module(_session, name):
    return importlib.import_module(name)


def _get_attribute(_session, value, name):
    try:
        return getattr(value, name)
    except AttributeError:
        return MISSING


def _set_attribute(_session, value, name, item=_ABSENT):
    if item is _ABSENT:
        delattr(value, name)
    else:
        setattr(value, name, item)


def _get_item(_session, value, key):
    return value[key]


def _set_item(_session, value, key, item=_ABSENT):
    if item is _ABSENT:
        del value[key]
    else:
        value[key] = item


def _call(_session, function, *values):
    return function(*values)


def _call_keywords(_session, function, keywords, *values):
    return function(*values, **keywords)


def _iterate(_session, value):
    return iter(value)


def _next(_session, iterator):
    return next(iterator, MISSING)


def _truth(_session, value):
    return bool(value)


def _is_callable(_session, value):
    return callable(value)


def _by_reference(session, value):
    """As an object, where it would go as a value otherwise."""
    tag, number = session.reference_any(value)
    return Encoded(wire.write_reference(tag, number))


def _make_int(session, value):
    return _by_reference(session, int(value))


def _make_float(session, value):
    return _by_reference(session, float(value))


def _make_list(_session, *items):
    return list(items)


def _make_tuple(_session, *items):
    return items


def _make_set(_session, *items):
    return set(items)


def _make_dict(_session, *pairs):
    return dict(zip(pairs[::2], pairs[1::2]))


def _make_slice(_session, start, stop, step):
    return slice(start, stop, step)


def _make_function(session, number, name, only_told):
    # The object itself: as a value it would be the function that it stands for.
    return _by_reference(session, JavaScriptFunction(session, number, name, only_told))


def _bytes_of(_session, value):
    if not isinstance(value, bytes):
        raise TypeError(f"expected bytes, {type(value).__name__} found")
    return Encoded(wire.write_bytes(value))


def _copy(session, value):
    return Encoded(wire.write_copy(value, session.reference))


def _count_objects(session):
    return session.count_objects()


def _open_grant(session, number, grant, files, copied):
    return _by_reference(session, session.arrays.open(number, grant, session.take_files(files), copied))


def _make_grant(session, number, value):
    return session.arrays.grant(number, value)


OPERATIONS = (
    _execute,
    _module,
    _import_module,
    _get_attribute,
    _set_attribute,
    _get_item,
    _set_item,
    _call,
    _call_keywords,
    _iterate,
    _next,
    _truth,
    _is_callable,
    _by_reference,
    _make_int,
    _make_float,
    _make_list,
    _make_tuple,
    _make_set,
    _make_dict,
    _make_slice,
    _make_function,
    _bytes_of,
    _copy,
    _count_objects,
    _open_grant,
    _make_grant,
)
