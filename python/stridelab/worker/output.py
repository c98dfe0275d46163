"""sys.stdout and sys.stderr of a worker: sends text to JavaScript, in order with the other messages."""

from collections import deque


class Output:
    """A text stream that sends complete lines, and incomplete ones before any other message."""

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
        """Takes the held text: the number of the stream and the text, or None."""
        parts = []
        # Other threads may add text at the same time.
        while self._held:
            parts.append(self._held.popleft())
        return (self._number, "".join(parts)) if parts else None
