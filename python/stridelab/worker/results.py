"""What an operation gives that is no value of Python."""

# There is no such thing.
MISSING = object()


class Encoded:
    """A result that is bytes of the wire already, with open files beside it where there are some."""

    __slots__ = ("data", "files")

    def __init__(self, data, files=()):
        self.data = data
        self.files = files
