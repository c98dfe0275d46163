"""Results of operations that are not Python values."""

# The attribute does not exist, or the iterator has ended.
MISSING = object()


class Encoded:
    """A result that is encoded already, with file descriptors beside it."""

    __slots__ = ("data", "files")

    def __init__(self, data, files=()):
        self.data = data
        self.files = files
