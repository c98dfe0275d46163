"""
The most of each that a report contains, so that a large cluster costs no more than a small one: a picture has less than 64 KB.

Sent to schedulers by value, like observer.py.
"""

from __future__ import annotations

MOST_WORKERS = 64
#: Listed tasks that run, by worker, and by all workers but at least one each.
MOST_RUNNING = 4
MOST_RUNNING_ANYWHERE = 64
MOST_TRANSFERS = 96
MOST_FAILURES = 12
LONGEST_NAME = 60
LONGEST_KEY = 80
LONGEST_MESSAGE = 300


def short(value, longest=LONGEST_NAME):
    text = str(value)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
