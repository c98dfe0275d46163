"""Prepares a Python that runs inside a JavaScript process; a Python with its own process needs none of this.

Executed first, in its own module; the other half is src/python/interpreter/in-process-host.ts.
"""

import os
import sys

# Modules and the libraries they use. Node exports other versions of the libraries, and the loader would bind the modules to those.
_SHARED_WITH_NODE = {"zlib": "/libz.so", "_ssl": "/libcrypto.so", "_hashlib": "/libcrypto.so", "_zstd": "/libzstd.so"}


def _import_apart():
    """Loads these modules with RTLD_DEEPBIND, so that their symbols resolve to their own libraries first.

    Must run before anything else loads those libraries: an instance that was loaded earlier is bound to Node's symbols.
    """
    deepbind = getattr(os, "RTLD_DEEPBIND", 0)
    preloaded = os.environ.get("LD_PRELOAD", "")
    sanitized = any(name in preloaded for name in ("libasan", "libtsan", "libubsan"))
    if deepbind == 0 or sanitized or os.environ.get("STRIDELAB_PYTHON_DEEPBIND") == "0":
        return
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        loaded = maps.read()
    before = sys.getdlopenflags()
    sys.setdlopenflags(before | deepbind)
    try:
        for name, library in _SHARED_WITH_NODE.items():
            if name in sys.builtin_module_names or library in loaded:
                continue
            try:
                __import__(name)
            except ImportError:
                pass  # this Python was built without the module
    finally:
        sys.setdlopenflags(before)


class _ContextLoader:
    """Loads multiprocessing.context and changes its default start method."""

    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        default = module._default_context
        if default._default_context is module._concrete_contexts.get("fork"):
            default._default_context = module._concrete_contexts["forkserver"]


class _ContextFinder:
    """Makes multiprocessing spawn processes instead of forking: a forked child has neither JavaScript nor the GPU."""

    def find_spec(self, name, path=None, target=None):
        if name != "multiprocessing.context":
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    # It has a loader's methods; deriving from the base class would import importlib.abc at every start.
                    spec.loader = _ContextLoader(spec.loader)  # type: ignore[assignment]
                return spec
        return None


def prepare(companion_folder):
    """Prepares this Python; must run before any other code."""
    if hasattr(sys, "_stridelab_prepared"):
        return  # another Node environment has prepared it; this module is executed for each
    sys._stridelab_prepared = True  # type: ignore[attr-defined]
    # A busy Python thread releases the GIL to JavaScript after 0.1 ms instead of 5 ms.
    sys.setswitchinterval(0.0001)
    # The companion package of this process, unless the environment has one installed.
    if companion_folder not in sys.path:
        sys.path.append(companion_folder)
    sys.meta_path.insert(0, _ContextFinder())
    _import_apart()
