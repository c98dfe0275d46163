"""How the peers' calls are timed: as bench/ours/timing.mjs times Stridelab's."""

import statistics
import time

RUNS = 15
NODES = 64


class Timing:
    """Times calls of one library. Without events, the library works on the host and its calls return when they are done."""

    def __init__(self, synchronize=lambda: None, event=None, elapsed=None, capture=None):
        """`event` makes an event with `record` and `synchronize`; `elapsed(start, end)` returns milliseconds; `capture(call)` returns a
        function that launches the graph of what `call` submits."""
        self.synchronize, self.elapsed, self.capture = synchronize, elapsed, capture
        self.start, self.end = (event(), event()) if event else (None, None)

    def _once(self, call, batch=1):
        began = time.perf_counter()
        for _ in range(batch):
            call()
        taken = time.perf_counter() - began
        self.synchronize()
        return taken / batch * 1e6

    def host(self, call, batch=1000, runs=RUNS):
        """Microseconds of the host for a call. The device is synchronized between batches."""
        return statistics.median([self._once(call, batch) for _ in range(runs + 3)][3:])

    def blocking(self, call, runs=7):
        """Microseconds of a call and of its work."""

        def whole():
            call()
            self.synchronize()

        whole()
        return statistics.median(self._once(whole) for _ in range(runs))

    def device_of(self, call):
        """Microseconds of a call by the device's clock: of the second of two calls, so that the host's time is not in it."""
        if self.start is None:
            return self.blocking(call)
        taken = []
        for _ in range(RUNS + 3):
            call()
            self.start.record()
            call()
            self.end.record()
            self.end.synchronize()
            taken.append(self.elapsed(self.start, self.end) * 1000)
        return statistics.median(taken[3:])

    def replay_of(self, call, nodes=NODES):
        """Microseconds of one of the calls in a graph, by the device's clock."""
        if self.capture is None:
            return self.blocking(call)
        for _ in range(3):
            call()
        self.synchronize()

        def all_nodes():
            for _ in range(nodes):
                call()

        return self.device_of(self.capture(all_nodes)) / nodes


class Figures(dict):
    """The figures of a library by key. A measure that fails leaves a gap and its reason."""

    def __init__(self):
        super().__init__()
        self.problems = []

    def put(self, key, measure):
        try:
            self[key] = measure()
        except Exception as error:  # a failing measure must not prevent the others
            reason = (str(error).strip().splitlines() or [""])[0]
            self.problems.append(f"{key}: {type(error).__name__}: {reason}"[:300])

    def rate(self, key, amount, measure):
        """`amount` of a call, in bytes or thousand operations, divided by the microseconds that `measure` returns."""
        self.put(key, lambda: amount / measure() / 1000)
