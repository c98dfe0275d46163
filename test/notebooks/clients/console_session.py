"""Types into ``jupyter console`` on a pseudo terminal, as a user would; prints the output of each step as one JSON object."""

import json
import os
import re
import sys

import pexpect

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r")
_COLOUR = r"(?:\x1b\[[0-9;]*m)*"
_SIZE = (40, 100)
# The console waits one second for `is_complete`, and takes a later reply for the answer to the next request.
_PATIENCE = ["--ZMQCompleter.timeout=30", "--ZMQTerminalInteractiveShell.kernel_is_complete_timeout=30"]


def _plain(text: str) -> str:
    return _CONTROL.sub("", text)


def _prompt(number: int) -> str:
    """Matches the prompt of this number, so that a redrawn earlier prompt does not match."""
    return rf"In \[{_COLOUR}{number}{_COLOUR}\]"


def main() -> None:
    environment = {**os.environ, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
    console = pexpect.spawn(
        sys.executable,
        ["-m", "jupyter_console", "--kernel", "stridelab", *_PATIENCE],
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
        seen["banner"] = until(_prompt(1))
        console.send("1 + 41\r")
        seen["result"] = until(r"Out\[.*\n") + until(_prompt(2))
        console.send("function twice(n: number) {\r")
        seen["continuation"] = until(r"\.\.\.:")
        console.send("return n * 2; }\r")
        until(_prompt(3))
        # The console draws only what changes: waiting for the typed text makes "ce" the whole completion.
        console.send("twi")
        until("twi")
        console.send("\t")
        until("ce")
        console.send("(21.5)\r")
        until("Out")
        seen["completed"] = until(_prompt(4))
        console.send("let kept = 7; console.log('spin' + 'ning'); while (true) {}\r")
        until("spinning")
        console.sendintr()
        seen["interrupted"] = until("Interrupted") + until(_prompt(5))
        # Earlier lines are in the history: one press of up recalls the loop, two recall the call.
        console.send("\x1b[A\x1b[A")
        seen["history"] = until(r"twice.*21\.5")
        console.send("\x15kept\r")
        until("Out")
        seen["kept"] = until(_prompt(6))
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
