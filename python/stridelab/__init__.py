"""
The pip-installable companion of Stridelab: exchanges arrays between Python and TypeScript programs and notebooks.

The package also registers the kernel and contains the JupyterLab extension.
"""

import json
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

__all__ = ["CopyRequiredError", "IpcError", "PeerLostError", "__version__", "open", "share", "shared_empty"]


def _version() -> str:
    """Returns the version in package.json in a checkout, otherwise that of the installed distribution."""
    manifest = Path(__file__).resolve().parents[2] / "package.json"
    if manifest.is_file():
        package = json.loads(manifest.read_text(encoding="utf-8"))
        if package.get("name") == "stridelab":
            return str(package["version"])
    return metadata.version("stridelab")


__version__ = _version()


def __getattr__(name: str) -> Any:
    # Imported at first use, so that the package works on systems where memory cannot be shared.
    if name in __all__:
        return getattr(import_module(".sharing", __name__), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
