"""JavaScript's functions as Python has them."""


class JavaScriptFunction:
    """A function of JavaScript: runs there, on its one thread, while the calling thread waits."""

    __slots__ = ("__name__", "__qualname__", "__weakref__", "number", "_only_told", "_session")

    def __init__(self, session, number, name, only_told):
        """`only_told`: nobody waits for what it gives."""
        self._session = session
        self._only_told = only_told
        self.number = number
        self.__name__ = self.__qualname__ = name

    def __call__(self, *values, **keywords):
        if self._only_told:
            return self._session.tell_javascript(self.number, values)
        return self._session.call_javascript(self.number, values, keywords)

    def __repr__(self):
        return f"<function of JavaScript {self.__name__}>"

    def __reduce__(self):
        raise TypeError("a function of JavaScript cannot leave its process")

    def __del__(self):
        # May run anywhere, in the middle of anything: noted, and told with the next message.
        self._session.dropped.append(self.number)
