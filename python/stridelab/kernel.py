"""``python -m stridelab.kernel CONNECTION_FILE``: starts the kernel, as the kernelspec in the wheel does."""

import os
import sys

from .runtime import CommandError, find_node, program


def main() -> int:
    """Replaces this process by Node, so that its process id and signals are the kernel's; returns only if that fails."""
    try:
        kernel = program("kernel/front/main.js")
        node = find_node()
        os.execv(node, [node, kernel, *sys.argv[1:]])
    except CommandError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"{node} cannot be started ({error.strerror}): set STRIDELAB_NODE to the path of a Node that runs here.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
