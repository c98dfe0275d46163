"""
The pip-installable companion of Stridelab: arrays of TypeScript programs and notebooks in Python, and the other way.

It registers the kernel and carries the JupyterLab extension, too.
"""

import json
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

__all__ = ["CopyRequiredError", "IpcError", "PeerLostError", "__version__", "open", "share", "shared_empty"]


def _version() -> str:
    """The installed distribution's version; in a checkout, the one of package.json, where it is written."""
    manifest = Path(__file__).resolve().parents[2] / "package.json"
    if manifest.is_file():
        package = json.loads(manifest.read_text(encoding="utf-8"))
        if package.get("name") == "stridelab":
            return str(package["version"])
    return metadata.version("stridelab")


__version__ = _version()


def __getattr__(name: str) -> Any:
    # Imported at first use: the rest works where memory cannot be shared.
    if name in __all__:
        return getattr(import_module(".sharing", __name__), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
