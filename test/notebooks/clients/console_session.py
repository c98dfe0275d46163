"""Plays a person in ``jupyter console`` on a pseudo terminal; prints what each step showed as one JSON object."""

import json
import os
import re
import sys

import pexpect

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r")
_PROMPT = r"In \[\D*(\d+)"
_SIZE = (40, 100)


def _plain(text: str) -> str:
    return _CONTROL.sub("", text)


def main() -> None:
    environment = {**os.environ, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
    console = pexpect.spawn(
        sys.executable,
        ["-m", "jupyter_console", "--kernel", "stridelab"],
        env=environment,
        encoding="utf-8",
        timeout=60,
        dimensions=_SIZE,
    )
    seen = {}

    def until(pattern: str) -> str:
        console.expect(pattern)
        return _plain(console.before + console.after)

    try:
        seen["banner"] = until(_PROMPT)
        console.send("1 + 41\r")
        seen["result"] = until(r"Out\[.*\n") + until(_PROMPT)
        console.send("function twice(n: number) {\r")
        seen["continuation"] = until(r"\.\.\.:")
        console.send("return n * 2; }\r")
        until(_PROMPT)
        # The first answer may come after the console stopped waiting for it.
        for _ in range(5):
            console.send("twi\t")
            if console.expect([r"twice", pexpect.TIMEOUT], timeout=5) == 0:
                break
            console.send("\x15")
        seen["completion"] = _plain(console.after)
        console.send("(21.5)\r")
        until("Out")
        seen["completed"] = until(_PROMPT)
        console.send("let kept = 7; console.log('spin' + 'ning'); while (true) {}\r")
        until("spinning")
        console.sendintr()
        seen["interrupted"] = until("Interrupted") + until(_PROMPT)
        # The line before is in the history: up once brings the loop, twice the call.
        console.send("\x1b[A\x1b[A")
        seen["history"] = until(r"twice.*21\.5")
        console.send("\x15kept\r")
        until("Out")
        seen["kept"] = until(_PROMPT)
        console.sendeof()
        console.expect([r"exit.*\)", pexpect.EOF])
        console.send("y\r")
        console.expect(pexpect.EOF, timeout=20)
        console.close()
        seen["status"] = console.exitstatus
    finally:
        console.close(force=True)
    print(json.dumps(seen))


main()
