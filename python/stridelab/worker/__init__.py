"""A Python process that serves the JavaScript process that started it; the other half is src/python/process.

Runs by path, under its own module name, with the standard library alone: see `main`.
"""

import os
import signal
import sys


def _die_with_parent():
    """Makes the kernel kill this process when its parent exits for any reason."""
    parent = os.getppid()
    set_death_signal = 1  # PR_SET_PDEATHSIG
    try:
        import ctypes

        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return  # this process also exits when the connection closes, once this thread is listening
    if os.getppid() != parent:
        os._exit(1)


def main():
    """Serves the connection that was inherited as descriptor 3, until it ends."""
    import faulthandler

    import __main__

    from .channel import Channel
    from .interrupts import Interrupts
    from .output import Output
    from .session import Session

    _die_with_parent()
    # The user's program must not see the names of the start code.
    for name in [name for name in vars(__main__) if not name.startswith("__")]:
        delattr(__main__, name)
    folder = sys.argv.pop()
    sys.argv[:] = [""]
    companion = os.path.dirname(os.path.dirname(folder))
    if companion not in sys.path:
        sys.path.append(companion)

    session = Session(Channel(3), Interrupts())
    if sys.__stderr__ is not None:
        faulthandler.enable(sys.__stderr__)
    originals = sys.stdout, sys.stderr
    sys.stdout = Output(session, 0, originals[0])
    sys.stderr = Output(session, 1, originals[1])
    try:
        session.run()
    finally:
        sys.stdout, sys.stderr = originals
        session.close()
