"""SIGINT reaches code of the program, and never the talk with JavaScript in between."""

import signal
import threading
import time

# Seconds within which two signals are one: the terminal sends one to the group, and JavaScript another.
_SAME = 0.05


class Interrupts:
    def __init__(self):
        self._armed = False
        self._noted = False
        self._last = 0.0
        self._depth = 0
        self._main = threading.get_ident()
        signal.signal(signal.SIGINT, self._arrive)

    def _arrive(self, _signal, _frame):
        now = time.monotonic()
        again = now - self._last < _SAME
        self._last = now
        if again:
            return
        if self._armed:
            raise KeyboardInterrupt
        self._noted = True

    def run(self, function, arguments):
        """Calls while interrupts are let through; one from before the outermost call is not for that."""
        if self._depth == 0:
            self._noted = False
        self._depth += 1
        try:
            self._armed = True
            result = function(*arguments)
            self._armed = False
        finally:
            self._armed = False
            self._depth -= 1
        return result

    def stop(self):
        """After a call that ended by an exception, which may have come in the last moment."""
        self._armed = False

    def hold(self):
        """Until `let`: what comes meanwhile waits. Gives what `let` needs; on other threads nothing is to be held."""
        if threading.get_ident() != self._main or not self._armed:
            return False
        self._armed = False
        return True

    def let(self, held):
        if not held:
            return
        self._armed = True
        if self._noted:
            self._noted = False
            raise KeyboardInterrupt
