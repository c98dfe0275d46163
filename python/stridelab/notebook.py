"""Python cells of notebooks: their results as MIME bundles, and questions to the user.

Runs inside the Python that a kernel controls, like bridge.py; the other half is src/python/interpreter/notebook.ts.
"""

import ast
import base64
import builtins
import inspect
import io
import linecache
import sys
import tokenize

# Frames of this module are left out of tracebacks.
__stridelab_internal__ = True

_CELL_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT

# From the richest to the plainest; binary MIME types are sent as base64.
_REPRESENTATIONS = (
    ("_repr_html_", "text/html"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_png_", "image/png"),
    ("_repr_jpeg_", "image/jpeg"),
    ("_repr_latex_", "text/latex"),
    ("_repr_json_", "application/json"),
    ("_repr_javascript_", "application/javascript"),
    ("_repr_pdf_", "application/pdf"),
)


def bundle(value):
    """Returns the MIME bundle of a value, which always contains its repr, and the errors of its methods."""
    shown = {"text/plain": repr(value)}
    failures: list[str] = []
    if not _has_methods(value):
        return shown, failures
    for method, mime_type in _REPRESENTATIONS:
        _add(shown, mime_type, _called(value, method, failures))
    # Figures have no representation method for notebooks.
    figures = sys.modules.get("stridelab_figures")
    if figures is not None:
        _add(shown, "image/png", figures.picture_of(value))
    for mime_type, content in _contents(_called(value, "_repr_mimebundle_", failures)).items():
        _add(shown, mime_type, content)
    return shown, failures


def _has_methods(value):
    """Returns whether the value may have representation methods: not a class, and not an object that invents attributes."""
    try:
        return not isinstance(value, type) and getattr(value, "_stridelab_no_such_method_", None) is None
    except Exception:
        return False


def _called(value, name, failures):
    try:
        method = getattr(value, name, None)
        return None if method is None else method()
    except Exception as error:
        failures.append(f"{type(value).__name__}.{name}: {type(error).__name__}: {error}")
        return None


def _contents(answer):
    # With metadata the answer is a pair.
    if isinstance(answer, tuple):
        answer = answer[0] if answer else None
    return answer if isinstance(answer, dict) else {}


def _add(shown, mime_type, content):
    if isinstance(content, tuple):
        content = content[0]
    if content is None:
        return
    if isinstance(content, (bytes, bytearray, memoryview)):
        content = base64.b64encode(content).decode("ascii")
    shown[mime_type] = content


def run_cell(source, label, lines_before, text):
    """Runs statements in `__main__`; `source` begins `lines_before` lines into the cell, whose full text is `text`.

    Returns whether the cell awaits, and the `bundle` of its last expression, None if there is nothing to show; for a cell
    that awaits, a coroutine that returns this.
    """
    linecache.cache[label] = (len(text), None, [line + "\n" for line in text.split("\n")], label)
    tree = ast.parse("\n" * lines_before + source, label)
    shows = bool(tree.body) and isinstance(tree.body[-1], ast.Expr) and not _is_silenced(source)
    last = tree.body.pop() if shows else None
    statements = compile(tree, label, "exec", _CELL_FLAGS)
    expression = None if last is None else compile(ast.Expression(last.value), label, "eval", _CELL_FLAGS)
    if _awaits(statements) or expression is not None and _awaits(expression):
        return True, _run_awaiting(statements, expression)
    namespace = sys.modules["__main__"].__dict__
    eval(statements, namespace)
    return False, None if expression is None else _result(eval(expression, namespace))


async def _run_awaiting(statements, expression):
    namespace = sys.modules["__main__"].__dict__
    found = eval(statements, namespace)
    if _awaits(statements):
        await found
    if expression is None:
        return None
    value = eval(expression, namespace)
    return _result(await value if _awaits(expression) else value)


def _awaits(code):
    return bool(code.co_flags & inspect.CO_COROUTINE)


def _result(value):
    if value is None:
        return None
    vars(builtins)["_"] = value
    return bundle(value)


def _is_silenced(source):
    """Returns whether the last token before comments is a semicolon."""
    last = ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT and token.string.strip():
            last = token.string
    return last == ";"


def values_of(names):
    """Returns the values of variables of `__main__` as a list. Raises NameError if one is missing."""
    namespace = sys.modules["__main__"].__dict__
    missing = [name for name in names if name not in namespace]
    if missing:
        raise NameError(f"the cell defines no variable {', '.join(missing)}")
    return [namespace[name] for name in names]


def assign(name, value):
    sys.modules["__main__"].__dict__[name] = value


def install(ask, show):
    """Sends questions and displayed values to JavaScript.

    `ask(prompt, hidden)` returns a str, None after an interrupt, or False if no answer can come; `show` takes a `bundle`.
    """
    import getpass

    def answer(prompt, hidden):
        sys.stdout.flush()
        sys.stderr.flush()
        # An interrupt raises here, unless the user's own handler took it.
        while True:
            text = ask(str(prompt), hidden)
            if text is False:
                raise EOFError("the question ended without an answer")
            if text is not None:
                return text

    def input(prompt="", /):
        """Returns a line that the user of the notebook typed, without its line end."""
        return answer(prompt, False)

    def ask_password(prompt="Password: ", stream=None, **_options):
        """Returns a line that the user of the notebook typed, without showing it."""
        return answer(prompt, True)

    def display(*values):
        """Shows values in the cell, like its result."""
        for value in values:
            show(bundle(value))

    # A program may define its own `display`.
    vars(builtins)["display"] = display
    builtins.input = input
    getpass.getpass = ask_password
