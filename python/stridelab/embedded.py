"""Runs first in the Python that lives inside a process of JavaScript: what one that has its process for itself needs not.

Executed in a module of its own; the other half is src/python/in-process-host.ts.
"""

import os
import sys

# Node has libraries of its own under the names that these were built for, in other versions, and the loader would bind
# them to Node's: they look among their own first.
_OWN_SYMBOLS = {"_ssl", "_hashlib", "zlib", "_zstd"}
_DEEPBIND = getattr(os, "RTLD_DEEPBIND", 0)


class _Loader:
    """A module's loader, with something done around it."""

    def __init__(self, loader, flags, after):
        self._loader = loader
        self._flags = flags
        self._after = after

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        before = sys.getdlopenflags()
        sys.setdlopenflags(before | self._flags)
        try:
            return self._loader.create_module(spec)
        finally:
            sys.setdlopenflags(before)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        if self._after is not None:
            self._after(module)


class _Finder:
    """Has some modules loaded by `_Loader` when they are imported, so that none of them is imported for that."""

    def __init__(self, own_symbols):
        self._changes = dict.fromkeys(own_symbols, (_DEEPBIND, None))
        self._changes["multiprocessing.context"] = (0, _start_anew)

    def find_spec(self, name, path=None, target=None):
        change = self._changes.get(name)
        if change is None or name in sys.builtin_module_names:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loader(spec.loader, *change)
                return spec
        return None


def _start_anew(context):
    """A forked child has neither JavaScript nor the GPU, so multiprocessing starts others; `set_start_method` can still choose."""
    default = context._default_context
    if default._default_context is context._concrete_contexts.get("fork"):
        default._default_context = context._concrete_contexts["forkserver"]


def _own_symbols():
    """STRIDELAB_PYTHON_DEEPBIND adds modules by name, `0` leaves all to the loader, as sanitizers need it."""
    chosen = os.environ.get("STRIDELAB_PYTHON_DEEPBIND", "")
    sanitized = any(name in os.environ.get("LD_PRELOAD", "") for name in ("libasan", "libtsan", "libubsan"))
    if chosen == "0" or sanitized or _DEEPBIND == 0:
        return set()
    return _OWN_SYMBOLS.union(filter(None, chosen.split(",")))


def prepare(companion_folder):
    """Before any other code."""
    if companion_folder in sys.path:
        return  # by another environment of this thread
    # A thread of Python that computes lets JavaScript in after half a millisecond, not five.
    sys.setswitchinterval(0.0005)
    # The companion package as it belongs to the process, unless the environment has its own.
    sys.path.append(companion_folder)
    sys.meta_path.insert(0, _Finder(_own_symbols()))
