"""Threads for asynchronous calls: one for each concurrent call, reused when idle."""

import queue
import threading

_KEPT = 8


class Threads:
    def __init__(self):
        self._idle = []

    def run(self, job):
        try:
            work = self._idle.pop()
        except IndexError:
            work = queue.SimpleQueue()
            threading.Thread(target=self._serve, args=(work,), name="stridelab call", daemon=True).start()
        work.put(job)

    def _serve(self, work):
        while True:
            work.get()()
            if len(self._idle) >= _KEPT:
                return
            self._idle.append(work)
