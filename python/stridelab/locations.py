"""Where Jupyter looks for kernels and extensions, and where a checkout keeps what it built."""

import os
import sys
from pathlib import Path
from typing import Optional

_CHECKOUT = Path(__file__).resolve().parents[2]


def prefix_data_dir(prefix: Path) -> Path:
    """Jupyter's data folder of an environment (jupyter_core, ``ENV_JUPYTER_PATH``)."""
    return prefix.resolve() / "share" / "jupyter"


def user_data_dir() -> Path:
    """Jupyter's data folder of the current user (jupyter_core, ``jupyter_data_dir``)."""
    chosen = os.environ.get("JUPYTER_DATA_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Jupyter"
    if sys.platform == "win32":
        return Path(os.environ["APPDATA"]) / "jupyter"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "jupyter"


def _existing(path: Path) -> Optional[Path]:
    return path if path.exists() else None


def default_kernel() -> Optional[Path]:
    """The compiled kernel of the checkout that this file lies in, if there is one."""
    return _existing(_CHECKOUT / "dist" / "kernel" / "front" / "main.js")


def default_labextension() -> Optional[Path]:
    """The built extension of the checkout that this file lies in, if there is one."""
    return _existing(_CHECKOUT / "dist" / "labextension")
