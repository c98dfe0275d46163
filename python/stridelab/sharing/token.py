"""Tokens with which a process opens an array of another; the other half is src/sharing/token.ts."""

from __future__ import annotations

import json
import re
from typing import Any

from .errors import IpcError

_PREFIX = "stridelab-share:1:"


def text_of(socket: str, key: str) -> str:
    """Returns the token as one word, for an argument or an environment variable."""
    return f"{_PREFIX}{socket}:{key}"


def fields_of(socket: str, key: str) -> dict:
    return {"stridelabShare": 1, "socket": socket, "key": key}


def parse(value: Any) -> tuple[str, str]:
    """Returns the socket and key of a token, given as dict, text, JSON or lease. Raises IpcError for other values."""
    fields = _fields(getattr(value, "token", value))
    version = fields.get("stridelabShare", 1)
    if version != 1:
        raise IpcError(f"version {version!r} of the sharing protocol is not supported: expected 1")
    socket, key = fields.get("socket"), fields.get("key")
    if isinstance(socket, str) and isinstance(key, str):
        if re.fullmatch(r"stridelab-[\w-]{1,80}", socket, re.ASCII) and re.fullmatch(r"[0-9a-f]{32}", key):
            return socket, key
    raise IpcError(f"{value!r} is not the token of a shared array: pass the token that `share` returned, unchanged")


def _fields(value: Any) -> dict:
    if isinstance(value, dict):
        return value
    if not isinstance(value, str):
        return {}
    text = value.strip()
    if text.startswith(_PREFIX):
        socket, _, key = text[len(_PREFIX) :].partition(":")
        return {"socket": socket, "key": key}
    try:
        parsed = json.loads(text)
    except ValueError:
        return {}
    # JSON.stringify of a token's text is accepted too.
    return parsed if isinstance(parsed, dict) else _fields(parsed) if isinstance(parsed, str) else {}
