"""The operations that JavaScript requests, in the order of `OPERATIONS` in src/python/process/protocol.ts."""

import importlib
import operator
import sys
import types

from . import wire
from .functions import JavaScriptFunction
from .wire import MISSING, Encoded


def _execute(source, file, names):
    exec(compile(source, file, "exec", dont_inherit=True), names)


def _module(name):
    module = sys.modules.get(name)
    if module is None:
        module = sys.modules[name] = types.ModuleType(name)
    return vars(module)


def _set_attribute(value, name, *item):
    """Sets an attribute, or deletes it if no item is given."""
    if item:
        setattr(value, name, *item)
    else:
        delattr(value, name)


def _set_item(value, key, *item):
    """Sets an item, or deletes it if none is given."""
    if item:
        operator.setitem(value, key, *item)
    else:
        del value[key]


def _call_keywords(function, names, *values):
    """Calls with positional values, then those of the keywords `names`."""
    positional = len(values) - len(names)
    return function(*values[:positional], **dict(zip(names, values[positional:])))


def _bytes_of(value):
    if not isinstance(value, bytes):
        raise TypeError(f"expected bytes, got {type(value).__name__}")
    return Encoded(wire.write_bytes(value))


def operations(session):
    """Returns the functions of a session by number."""

    def by_reference(value):
        """Sends a value as an object."""
        return Encoded(wire.write_reference(*session.reference_any(value)))

    return (
        _execute,
        _module,
        importlib.import_module,
        lambda value, name: getattr(value, name, MISSING),
        _set_attribute,
        operator.getitem,
        _set_item,
        lambda function, *values: function(*values),
        _call_keywords,
        iter,
        lambda iterator: next(iterator, MISSING),
        bool,
        callable,
        by_reference,
        lambda value: by_reference(int(value)),
        lambda value: by_reference(float(value)),
        lambda *items: list(items),
        lambda *items: items,
        lambda *items: set(items),
        lambda *keys_then_values: dict(zip(keys_then_values, keys_then_values[len(keys_then_values) // 2 :])),
        slice,
        # By reference: as a value it would become the JavaScript function that it wraps.
        lambda number, name, only_told: by_reference(JavaScriptFunction(session, number, name, only_told)),
        _bytes_of,
        lambda value: Encoded(wire.write_bytes(wire.write_copy(value, session.reference))),
        session.count_objects,
        lambda number, grant, files, copied: by_reference(session.arrays.open(number, grant, session.take_files(files), copied)),
        session.arrays.grant,
    )
