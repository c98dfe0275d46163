"""
Parameters of TypeScript notebooks for papermill.

papermill has entry points only for engines, which it loads when it starts. The engine of this package is papermill's own; loading it
registers the translator for TypeScript notebooks.
"""

import datetime
import json
import math
import re
from typing import Any

from papermill.engines import NBClientEngine
from papermill.exceptions import PapermillException
from papermill.models import Parameter
from papermill.translators import Translator, papermill_translators

_SAFE_INTEGER = 2**53 - 1
_NAME = re.compile(r"^(?:[^\W\d]|\$)[\w$]*$")
_RESERVED = frozenset(
    "await break case catch class const continue debugger default delete do else enum export extends false finally for function if "
    "implements import in instanceof interface let new null package private protected public return static super switch this throw "
    "true try typeof var void while with yield".split()
)
_DECLARATION = re.compile(
    r"^\s*(?:export\s+)?(?:const|let|var)\s+(?P<name>[$\w]+)\s*(?::\s*(?P<type>[^=]+?))?\s*=\s*(?P<value>.+?)\s*;?\s*(?://\s*(?P<help>.*))?$"
)


class TypeScriptTranslator(Translator):
    """Python values as TypeScript literals: integers beyond 2**53 as bigint, dates as Date."""

    @classmethod
    def translate_none(cls, val: None) -> str:
        return "null"

    @classmethod
    def translate_str(cls, val: str) -> str:
        return json.dumps(val, ensure_ascii=False)

    @classmethod
    def translate_int(cls, val: int) -> str:
        return f"{val}n" if abs(val) > _SAFE_INTEGER else str(val)

    @classmethod
    def translate_float(cls, val: float) -> str:
        if math.isnan(val):
            return "NaN"
        if math.isinf(val):
            return "Infinity" if val > 0 else "-Infinity"
        return repr(val)

    @classmethod
    def translate_list(cls, val: list[Any]) -> str:
        return f"[{', '.join(cls.translate(item) for item in val)}]"

    @classmethod
    def translate_dict(cls, val: Any) -> str:
        # The key "__proto__" without brackets would set the prototype.
        keys = [(f'["{key}"]' if key == "__proto__" else json.dumps(str(key), ensure_ascii=False)) for key in val]
        members = [f"{key}: {cls.translate(item)}" for key, item in zip(keys, val.values())]
        return f"{{ {', '.join(members)} }}" if members else "{}"

    @classmethod
    def translate(cls, val: Any) -> str:
        if isinstance(val, (datetime.date, datetime.datetime)):
            return f"new Date({json.dumps(val.isoformat())})"
        if isinstance(val, tuple):
            return cls.translate_list(list(val))
        if val is None or isinstance(val, (str, bool, int, float, dict, list)):
            return str(super().translate(val))
        return cls.translate_str(str(val))

    @classmethod
    def comment(cls, cmt_str: str) -> str:
        return f"// {cmt_str}".strip()

    @classmethod
    def assign(cls, name: str, str_val: str) -> str:
        if not _NAME.match(name) or name in _RESERVED:
            raise PapermillException(f'The parameter "{name}" is not a TypeScript name: rename it.')
        return f"const {name} = {str_val};"

    @classmethod
    def inspect(cls, parameters_cell: Any) -> list[Parameter]:
        """Returns the parameters that ``papermill --help-notebook`` lists: declarations on one line."""
        found = (_DECLARATION.match(line) for line in parameters_cell["source"].splitlines())
        return [
            Parameter(match["name"], (match["type"] or "None").strip(), match["value"], match["help"] or "") for match in found if match
        ]


class StridelabEngine(NBClientEngine):
    """papermill's own engine, under a name whose entry point loads this module."""


papermill_translators.register("typescript", TypeScriptTranslator)
