"""``python -m stridelab``: see ``python -m stridelab install --help``."""

import argparse
import sys
from pathlib import Path
from typing import List, Optional

from . import __version__
from .install import InstallError, install
from .locations import default_kernel, default_labextension, prefix_data_dir, user_data_dir


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m stridelab", description="Stridelab: TypeScript notebooks that see GPU arrays.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("install", help="register the kernel, and link the JupyterLab extension, for a Jupyter installation")
    where = command.add_mutually_exclusive_group()
    where.add_argument("--sys-prefix", action="store_true", help="for this Python environment (the default)")
    where.add_argument("--user", action="store_true", help="for the current user")
    where.add_argument("--prefix", type=Path, help="below PREFIX/share/jupyter")
    command.add_argument("--node", help="Node 24 or newer; the first one on PATH by default")
    command.add_argument("--kernel", type=Path, default=default_kernel(), help="the kernel's compiled main file")
    command.add_argument("--labextension", type=Path, default=default_labextension(), help="folder of the built extension, linked when it exists")
    return parser


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command; returns the exit status, 1 with one sentence on stderr when something is missing."""
    options = _parser().parse_args(arguments)
    if options.user:
        data_dir = user_data_dir()
    else:
        data_dir = prefix_data_dir(options.prefix or Path(sys.prefix))
    try:
        for path in install(data_dir, node=options.node, kernel=options.kernel, labextension=options.labextension):
            print(f"installed {path}")
    except InstallError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
