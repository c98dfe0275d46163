"""Runs the command ``stridelab``, which is a Node program, for this Python environment."""

import os
import subprocess
import sys

from .runtime import CommandError, find_node, program

_LOCATED = ("install", "uninstall")
_LOCATIONS = ("--user", "--prefix", "--sys-prefix")


def _command() -> str:
    """Returns the command's main module: STRIDELAB_CLI, or that of this installation."""
    chosen = os.environ.get("STRIDELAB_CLI")
    if not chosen:
        return program("kernel/cli/main.js")
    if not os.path.isfile(chosen):
        raise CommandError(f"{chosen} does not exist: set STRIDELAB_CLI to the kernel's dist/kernel/cli/main.js.")
    return chosen


def run(arguments: list[str]) -> int:
    """Runs the command and returns its exit status; `install` without a location means this environment."""
    given = [argument.split("=")[0] for argument in arguments]
    if arguments[:1] and arguments[0] in _LOCATED and not any(place in given for place in _LOCATIONS):
        arguments = [*arguments, "--sys-prefix"]
    command = _command()
    node = find_node()
    environment = {**os.environ, "STRIDELAB_PYTHON": sys.executable, "STRIDELAB_NODE": node}
    return subprocess.run([node, command, *arguments], env=environment, check=False).returncode
