"""``python -m stridelab``: the command ``stridelab`` for this Python environment; see ``python -m stridelab --help``."""

import sys
from typing import Optional

from .command import run
from .runtime import CommandError


def main(arguments: Optional[list[str]] = None) -> int:
    """Runs the command and returns its exit status; prints the reason and returns 1 if the command is missing."""
    try:
        return run(sys.argv[1:] if arguments is None else arguments)
    except CommandError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
