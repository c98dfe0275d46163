"""JavaScript functions as Python objects."""


class JavaScriptEndedError(RuntimeError):
    """The JavaScript environment of a function has ended, possibly while the function ran."""

    def __init__(self):
        super().__init__("the JavaScript environment of this function has ended")


class JavaScriptFunction:
    """A JavaScript function, which runs on JavaScript's thread while the calling thread waits."""

    __slots__ = ("__name__", "__qualname__", "__weakref__", "number", "_only_told", "_session")

    def __init__(self, session, number, name, only_told):
        """With `only_told`, the caller does not wait for a result."""
        self._session = session
        self._only_told = only_told
        self.number = number
        self.__name__ = self.__qualname__ = name

    def __call__(self, *values, **keywords):
        if self._only_told:
            return self._session.tell_javascript(self.number, values)
        return self._session.call_javascript(self.number, values, keywords)

    def __repr__(self):
        return f"<JavaScript function {self.__name__}>"

    def __reduce__(self):
        raise TypeError("a JavaScript function cannot be pickled")

    def __del__(self):
        # May run at any point of the program, so the number is only queued, and sent with the next message.
        self._session.dropped.append(self.number)
