"""The pip-installable companion of Stridelab: registers the kernel and carries the JupyterLab extension."""

import json
from importlib import metadata
from pathlib import Path

__all__ = ["__version__"]


def _version() -> str:
    """The installed distribution's version; in a checkout, the one of package.json, where it is written."""
    manifest = Path(__file__).resolve().parents[2] / "package.json"
    if manifest.is_file():
        package = json.loads(manifest.read_text(encoding="utf-8"))
        if package.get("name") == "stridelab":
            return str(package["version"])
    return metadata.version("stridelab")


__version__ = _version()
