"""
The Python package of Stridelab: exchanges arrays between Python and TypeScript programs and notebooks.

It also contains the kernel and the JupyterLab extension.
"""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["CopyRequiredError", "IpcError", "PeerLostError", "__version__", "open", "share", "shared_empty"]


# Everything is imported at its first use: the kernel starts through this package, and on some systems memory cannot be shared.
def __getattr__(name: str) -> "Any":
    if name == "__version__":
        return import_module(".version", __name__).installed_version()
    if name in __all__:
        return getattr(import_module(".sharing", __name__), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
