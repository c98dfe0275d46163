"""The version of this package."""

import json
from importlib import metadata
from pathlib import Path


def installed_version() -> str:
    """Returns the version in package.json in a checkout, otherwise that of the installed distribution."""
    manifest = Path(__file__).resolve().parents[2] / "package.json"
    if manifest.is_file():
        package = json.loads(manifest.read_text(encoding="utf-8"))
        if package.get("name") == "stridelab":
            return str(package["version"])
    return metadata.version("stridelab")
