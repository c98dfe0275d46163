"""Delivers SIGINT to the user's code, never during communication with JavaScript."""

import signal
import threading
import time

# Seconds within which two signals count as one: the terminal signals the process group, and JavaScript this process.
_SAME = 0.05


class NoInterrupts:
    """For sessions that a thread other than the main one serves, which Python never interrupts."""

    def run(self, function, arguments):
        return function(*arguments)

    def stop(self):
        pass

    def hold(self):
        return False

    def let(self, held):
        pass


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
        """Calls a function with interrupts enabled. Discards an interrupt that arrived before the outermost call."""
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
        """Disables interrupts after a call that raised, possibly because of an interrupt just before its end."""
        self._armed = False

    def hold(self):
        """Postpones interrupts until `let`, which takes the returned flag; false on other threads, which are never interrupted."""
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
