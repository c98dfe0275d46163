"""Completion, inspection and completeness of Python code, for editors.

Runs inside the Python that a kernel controls, like bridge.py; the other half is src/python/interpreter/notebook.ts. Values are inspected
without running their properties.
"""

import ast
import builtins
import inspect
import sys

__stridelab_internal__ = True

_MAX_REPR = 2_000
# A longer list does not help the user.
_MAX_MEMBERS = 1_000


def members_at(value, path):
    """Returns the `members` of the attribute at the end of the path, or None if the path cannot be followed without running code."""
    try:
        return members(_attribute_at(value, path))
    except LookupError:
        return None


def describe_at(value, path, detail):
    """Describes the attribute at the end of the path; None if the path cannot be followed without running code."""
    try:
        return describe(_attribute_at(value, path), path[-1] if path else type(value).__name__, detail)
    except LookupError:
        return None


def members(value):
    """Returns (name, kind) for each attribute; names that begin with _ come last."""
    names = sorted({name for name in dir(value) if isinstance(name, str)}, key=lambda name: (name.startswith("_"), name))
    return [(name, _kind(value, name)) for name in names[:_MAX_MEMBERS]]


def _kind(value, name):
    try:
        found = inspect.getattr_static(value, name)
    except (AttributeError, TypeError):
        return "property"  # computed on access
    if isinstance(found, (staticmethod, classmethod)):
        return "method"
    if inspect.isclass(found):
        return "class"
    if inspect.ismodule(found):
        return "module"
    if callable(found) and not inspect.isdatadescriptor(found):
        return "function" if inspect.ismodule(value) else "method"
    return "property"


def _attribute_at(value, path):
    """Returns the attribute at the end of the path, found without running code. Raises LookupError if it cannot be found."""
    for name in path:
        found = _static(value, name)
        bound = hasattr(type(found), "__get__")
        if bound and not callable(found) and not isinstance(found, (staticmethod, classmethod)):
            raise LookupError(name)  # a property, whose value is known only by running it
        value = getattr(value, name) if bound else found
    return value


def _static(value, name):
    try:
        return inspect.getattr_static(value, name)
    except (AttributeError, TypeError) as error:
        raise LookupError(name) from error


def describe(value, name, detail):
    """Returns a heading of lines, the docstring, and at detail 1 the source; None for a missing docstring or source."""
    parts = []
    try:
        parts.append(f"{name}{inspect.signature(value)}")
    except (TypeError, ValueError):
        parts.append(f"{name}: {type(value).__name__}")
    if not callable(value) and not inspect.ismodule(value):
        text = repr(value)
        parts.append(text if len(text) <= _MAX_REPR else text[:_MAX_REPR] + "…")
    doc = inspect.getdoc(value)
    source = _source(value) if detail > 0 else None
    return parts, doc, source


def _source(value):
    try:
        return inspect.getsource(value)
    except (OSError, TypeError):
        return None


def complete(source, cursor):
    """Returns (start, [(text, kind)]) of the completions at the cursor of a cell, from the values of `__main__`."""
    import rlcompleter

    before = source[:cursor]
    start = _start_of_path(source, cursor)
    word = before[start:]
    namespace = sys.modules["__main__"].__dict__
    statement = before[before.rfind("\n") + 1 :].lstrip()
    if statement.startswith(("import ", "from ")) and " import " not in statement:
        return start, [(name, "module") for name in _modules(word)]
    if "." in word:
        path, _, prefix = word.rpartition(".")
        try:
            holder = _value_of(path, namespace)
        except LookupError:
            return cursor, []
        found = [(name, kind) for name, kind in members(holder) if _goes_on(name, prefix)]
        return start + len(path) + 1, found
    completer = rlcompleter.Completer(namespace)
    names = sorted({match.rstrip("( :") for match in completer.global_matches(word)}) if word else []
    found = [(name, "keyword" if name not in namespace and not hasattr(builtins, name) else "variable") for name in names]
    return start, found


def _goes_on(name, prefix):
    return name.lower().startswith(prefix.lower()) and (prefix.startswith("_") or not name.startswith("_"))


def _value_of(path, namespace):
    first, *rest = path.split(".")
    if first in namespace:
        value = namespace[first]
    elif hasattr(builtins, first):
        value = getattr(builtins, first)
    else:
        raise LookupError(first)
    return _attribute_at(value, rest)


def _modules(word):
    import pkgutil

    package, dot, prefix = word.rpartition(".")
    if not dot:
        names = {*sys.builtin_module_names, *(module.name for module in pkgutil.iter_modules())}
    else:
        holder = sys.modules.get(package)
        names = {f"{package}.{module.name}" for module in pkgutil.iter_modules(getattr(holder, "__path__", []))}
    return sorted(name for name in names if name.startswith(word) and (prefix or not name.startswith("_")))


def look_up(source, cursor, detail):
    """Describes the dotted name at the cursor, or the function of the call around it; None if there is neither."""
    namespace = sys.modules["__main__"].__dict__
    for path in _paths_at(source, cursor):
        try:
            return describe(_value_of(path, namespace), path.rpartition(".")[2], detail)
        except LookupError:
            continue
    return None


def _is_part(character):
    return character.isidentifier() or character.isdigit() or character == "."


def _start_of_path(source, end):
    """Returns the start of the dotted name that ends there."""
    while end > 0 and _is_part(source[end - 1]):
        end -= 1
    return end


def _paths_at(source, cursor):
    start, end = _start_of_path(source, cursor), cursor
    while end < len(source) and _is_part(source[end]) and source[end] != ".":
        end += 1
    if start < end:
        yield source[start:end].strip(".")
    depth = 0
    for index in range(cursor - 1, -1, -1):
        if source[index] == ")":
            depth += 1
        elif source[index] == "(":
            depth -= 1
            if depth < 0:
                begin = _start_of_path(source, index)
                if begin < index:
                    yield source[begin:index].strip(".")
                depth = 0


def completeness(source):
    """Returns `complete`, `incomplete` or `invalid`, and the indentation of the next line."""
    import codeop

    try:
        compiler = codeop.Compile()
        compiler.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        # The public functions of codeop take no flags.
        code = codeop._maybe_compile(compiler, source, "<cell>", "exec")  # type: ignore[attr-defined]
    except (SyntaxError, OverflowError, ValueError):
        return "invalid", ""
    lines = source.split("\n")
    last = lines[-1]
    indent = last[: len(last) - len(last.lstrip())]
    if code is None:
        return "incomplete", indent + "    " if last.rstrip().endswith(":") else indent
    # A block ends with an empty line.
    if indent and last.strip():
        return "incomplete", indent
    return "complete", ""
