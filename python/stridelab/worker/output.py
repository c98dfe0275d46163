"""sys.stdout and sys.stderr of a worker: text goes to JavaScript in order with all else that goes there."""

from collections import deque


class Output:
    """A text stream whose lines leave as they end, and what is left before anything else does."""

    encoding = "utf-8"
    errors = "surrogatepass"
    newlines = None
    line_buffering = True
    closed = False

    def __init__(self, session, number, original):
        self._session = session
        self._number = number
        self._original = original
        self._held: deque[str] = deque()
        session.before_sending.append(self._leave)

    def __getattr__(self, name):
        return getattr(self._original, name)

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._held.append(text)
        if "\n" in text or "\r" in text or len(self._held) > 100:
            self.flush()
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        self._session.flush()

    def isatty(self):
        return False

    def writable(self):
        return True

    def _leave(self):
        """What is held, with the number of the stream; None for nothing."""
        parts = []
        # Other threads may add to it meanwhile.
        while self._held:
            parts.append(self._held.popleft())
        return (self._number, "".join(parts)) if parts else None
