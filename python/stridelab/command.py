"""Finds the TypeScript command ``stridelab`` and runs it for this Python environment."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Optional

_CHECKOUT = Path(__file__).resolve().parents[2]
_MAIN = Path("dist", "kernel", "cli", "main.js")
_LOCATED = ("install", "uninstall")
_LOCATIONS = ("--user", "--prefix", "--sys-prefix")


class CommandError(Exception):
    """A problem that the user can fix; the message is one sentence that names the fix."""


def _packaged_node(main: Path) -> Optional[str]:
    """Returns the Node among the npm packages beside the command, or None."""
    packages = main.parents[3] / "node_modules"
    return next((str(node) for node in sorted(packages.glob("node-*/bin/node"))), None)


def command() -> list[str]:
    """Returns the arguments that start the command: that in STRIDELAB_CLI, this checkout's, or the one on PATH."""
    chosen = os.environ.get("STRIDELAB_CLI")
    main = Path(chosen) if chosen else _CHECKOUT / _MAIN
    if main.is_file():
        node = shutil.which("node") or _packaged_node(main)
        if node is None:
            raise CommandError("Node was not found: install Node 24 from https://nodejs.org.")
        return [node, str(main)]
    if chosen:
        raise CommandError(f"{chosen} does not exist: set STRIDELAB_CLI to the kernel's {_MAIN.as_posix()}.")
    program = shutil.which("stridelab")
    if program is None:
        raise CommandError(f"The kernel was not found: build it with npm run build, and set STRIDELAB_CLI to its {_MAIN.as_posix()}.")
    return [program]


def run(arguments: list[str]) -> int:
    """Runs the command and returns its exit status; `install` without a location means this environment."""
    given = [argument.split("=")[0] for argument in arguments]
    if arguments[:1] and arguments[0] in _LOCATED and not any(place in given for place in _LOCATIONS):
        arguments = [*arguments, "--sys-prefix"]
    environment = {**os.environ, "STRIDELAB_PYTHON": sys.executable}
    return subprocess.run([*command(), *arguments], env=environment, check=False).returncode
