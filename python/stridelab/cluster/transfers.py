"""Counts what a worker receives from other workers."""

from __future__ import annotations

#: The most senders that a worker reports: those that sent most.
MOST_SENDERS = 64


class IncomingTransfers:
    """
    A metric of a worker: `worker.metrics["stridelab-transfers"] = IncomingTransfers()`.

    Returns bytes, number and seconds of its transfers by sender, since the metric was added. It travels with Dask's heartbeat, so it
    costs no message. Dask's own reports name the sender of a transfer, but not its bytes.
    """

    def __init__(self):
        self._last = None
        self._totals = {}

    def __call__(self, worker):
        for transfer in self._unseen(worker.transfer_incoming_log):
            totals = self._totals.setdefault(transfer["who"], [0, 0, 0.0])
            totals[0] += transfer["total"]
            totals[1] += 1
            totals[2] += transfer["duration"]
        senders = sorted(self._totals, key=lambda sender: -self._totals[sender][0])[:MOST_SENDERS]
        return {sender: list(self._totals[sender]) for sender in senders}

    def _unseen(self, log):
        """Returns the transfers since the last call. The log keeps the latest thousand; older ones are not counted."""
        unseen = []
        for transfer in reversed(log):
            if transfer is self._last:
                break
            unseen.append(transfer)
        if unseen:
            self._last = unseen[0]
        return unseen
