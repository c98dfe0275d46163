"""Runs inside the Python that a JavaScript process controls; the other half is src/python.

Executed in its own module. JavaScript calls its functions by name.
"""

import builtins
import collections.abc
import os
import sys
import threading
import traceback

# The thread that started Python; its prints go through JavaScript.
_javascript_thread = threading.get_ident()


class _Companion:
    """Finds the package `stridelab` beside this file, even if another version is installed."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "stridelab":
            return None
        import importlib.util
        import os

        folder = os.path.dirname(_Companion.find_spec.__code__.co_filename)
        return importlib.util.spec_from_file_location(name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder])


# Each Node environment of the process runs this file again.
sys.meta_path[:] = [_Companion, *(finder for finder in sys.meta_path if getattr(finder, "__name__", "") != "_Companion")]


class JavaScriptError(Exception):
    """An error thrown by a JavaScript function. `error()` returns the original to JavaScript; `stack` is its text."""

    def __init__(self, message, stack, error):
        super().__init__(message)
        self.stack = stack
        self.error = error


# Subclasses of JavaScriptError by the names of their other base classes.
_javascript_errors: dict[str, type] = {"": JavaScriptError}


def javascript_error(message, stack, error, classes):
    """Returns the exception for a JavaScript error; `classes` names the built-in exceptions with which Python code may catch it."""
    kind = _javascript_errors.get(classes)
    if kind is None:
        bases = (JavaScriptError, *(getattr(builtins, name) for name in classes.split()))
        kind = type("JavaScriptError", bases, {"__module__": JavaScriptError.__module__, "__doc__": JavaScriptError.__doc__})
        _javascript_errors[classes] = kind
    return kind(message, stack, error)


def describe(exception):
    """Returns the class name, message, traceback as text, and a function that returns the JavaScript error behind the exception, or None.

    Clears the traceback's frames, because JavaScript may keep the exception for a long time.
    """
    kind = type(exception)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    try:
        message = str(exception)
    except Exception as failure:
        message = f"<{type(failure).__name__} in __str__>"
    text = "".join(traceback.format_exception(kind, exception, _from_the_user(exception.__traceback__)))
    error = exception.error if isinstance(exception, JavaScriptError) else None
    _clear_frames(exception)
    return name, message, text, error


# Generators and coroutines: inspect.CO_GENERATOR, CO_COROUTINE, CO_ITERABLE_COROUTINE and CO_ASYNC_GENERATOR.
_CAN_BE_SUSPENDED = 0x20 | 0x80 | 0x100 | 0x200


# New in Python 3.11.
_ExceptionGroup = getattr(builtins, "BaseExceptionGroup", ())


def _clear_frames(exception):
    """Releases the variables of finished frames; the lines of the traceback stay."""
    seen, left = set(), [exception]
    while left:
        error = left.pop()
        if error is None or id(error) in seen:
            continue
        seen.add(id(error))
        left += (error.__cause__, error.__context__)
        if isinstance(error, _ExceptionGroup):
            left += error.exceptions
        trace = error.__traceback__
        while trace is not None:
            frame, trace = trace.tb_frame, trace.tb_next
            if not _may_be_suspended(frame):
                try:
                    frame.clear()
                except RuntimeError:
                    pass  # the frame is still running


def _may_be_suspended(frame):
    """Returns whether the frame belongs to a generator that may continue: before Python 3.13 clear() would close it."""
    if not frame.f_code.co_flags & _CAN_BE_SUSPENDED or sys.version_info >= (3, 13):
        return False
    import dis

    code, at = frame.f_code.co_code, frame.f_lasti
    here, following = (dis.opname[code[place]] if 0 <= place < len(code) else "" for place in (at, at + 2))
    return here in ("YIELD_VALUE", "RESUME") or following == "YIELD_FROM" or at < 0


def _from_the_user(trace):
    """Returns the traceback without its leading frames in modules that are marked as internal."""
    while trace is not None and "__stridelab_internal__" in trace.tb_frame.f_globals:
        trace = trace.tb_next
    return trace


class _Output:
    """Replaces sys.stdout or sys.stderr: writes through JavaScript on its thread, otherwise to the process's stream, without blocking."""

    def __init__(self, write, original):
        self._write = write
        self._original = original

    def __getattr__(self, name):
        return getattr(self._original, name)

    def write(self, text):
        if threading.get_ident() == _javascript_thread:
            if not isinstance(text, str):
                raise TypeError(f"write() argument must be str, not {type(text).__name__}")
            self._write(text)
        elif self._original is not None:
            self._original.write(text)
            self._original.flush()
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        if self._original is not None:
            self._original.flush()

    def isatty(self):
        return False


def redirect(write_stdout, write_stderr):
    """Sends prints through these functions, each of which takes one str."""
    sys.stdout = _Output(write_stdout, sys.stdout)
    sys.stderr = _Output(write_stderr, sys.stderr)
    os.register_at_fork(after_in_child=undirect)


def undirect():
    """Restores the original streams, for text printed while the process exits."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, _Output):
            setattr(sys, name, stream._original)


def compare(left, right):
    """Returns whether both are the identical object."""
    return left is right


def makes_coroutine(function):
    """Returns whether the function is an `async def`, so that calling it runs nothing yet."""
    code = getattr(function, "__code__", None)
    return bool(getattr(code, "co_flags", 0) & 0x80)  # inspect.CO_COROUTINE; importing inspect is slow


def is_coroutine(value):
    return isinstance(value, collections.abc.Coroutine)


def shut_down():
    """Waits for threads and runs the atexit functions; the interpreter keeps running."""
    import atexit

    threading._shutdown()  # type: ignore[attr-defined]  # what Python itself runs at exit
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass  # a closed stream has nothing to flush
