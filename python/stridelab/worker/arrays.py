"""Arrays that JavaScript and this process share: their numbers, their memory, and messages about them."""

import contextlib
import json
import weakref
from typing import Any

from . import wire
from .wire import Encoded


class _Link:
    """The link of a JavaScript array: see `Link` in stridelab/sharing/links.py."""

    def __init__(self, arrays, number):
        self._arrays = arrays
        self._number = number
        # Events that JavaScript was told of and has not waited for yet.
        self.pending = 0

    def alive(self):
        return self._arrays.connected

    def used(self, event):
        self.pending += 1
        self._arrays.tell(self._number, {"used": event})
        return self._arrays.connected

    def waited(self):
        return self.pending == 0

    def close(self):
        self._arrays.forget(self._number)
        self._arrays.tell(self._number, {"closed": True})


def _package(value):
    """Returns the package of an array's class, for display, for example `numpy`. For a user's class, that of its base."""
    for base in type(value).__mro__:
        package = str(getattr(base, "__module__", "")).partition(".")[0]
        if package not in ("", "__main__", "builtins"):
            return package
    return ""


class Arrays:
    def __init__(self, session):
        self._session = session
        # Links of JavaScript's arrays by number, and the numbers of the objects that wrap them.
        self._links = {}
        # The uses of those in GPU memory, which order JavaScript's work after Python's.
        self._uses = {}
        self._numbers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        # Exports of Python's arrays that JavaScript has open, by number.
        self._exports = {}

    @property
    def connected(self):
        return not self._session.closed

    def tell(self, number, fields):
        if self.connected:
            self._session.tell_array(number, json.dumps(fields))

    def open(self, number, grant, files, copied):
        """Opens a JavaScript array as an object for Python's libraries."""
        from stridelab.sharing import open_grant

        link = self._links[number] = _Link(self, number)
        try:
            array: Any = open_grant(json.loads(grant), files, link=link)
        except BaseException:
            self.forget(number)
            raise
        if hasattr(array, "use"):
            self._uses[number] = array.use
        array.copied = copied
        self._numbers[array] = number
        return array

    def number_of(self, value):
        """Returns the number of an open JavaScript array; None for other values."""
        if not self._links or not type(value).__module__.startswith("stridelab.sharing"):
            return None
        number = self._numbers.get(value)
        return number if number in self._links else None

    def grant(self, number, value):
        """Grants an array to JavaScript, or refers to it by number if it is one of JavaScript's."""
        lent = self.number_of(value)
        if lent is not None:
            return Encoded(wire.write_reference(wire.ARRAY, lent))
        from stridelab.sharing import make_grant

        export = make_grant(value)
        try:
            described = {"grant": export.grant(), "copied": export.copied, "package": _package(value)}
            text = json.dumps(described)
        except BaseException:
            export.close()
            raise
        self._exports[number] = export
        return Encoded(wire.write(text, None), list(export.files))

    def order_javascript(self):
        """Orders JavaScript's later work on its arrays after the work that Python submitted so far."""
        for use in list(self._uses.values()):
            from stridelab.sharing import DriverError

            # While a stream is captured, its work is not run; a lost device runs none.
            with contextlib.suppress(DriverError):
                use.order_owner()

    def hear(self, number, text):
        fields = json.loads(text)
        export = self._exports.get(number)
        if export is not None:
            if isinstance(fields.get("used"), str):
                export.take_back(fields["used"])
                self.tell(number, {"waited": True})
            if fields.get("closed"):
                del self._exports[number]
                export.close()
        link = self._links.get(number)
        if link is not None and fields.get("waited"):
            link.pending -= 1

    def forget(self, number):
        self._links.pop(number, None)
        self._uses.pop(number, None)
