"""The offset of a worker's clock, with clocks that are wrong on purpose."""

import itertools
import unittest

from stridelab.cluster import clocks


class Client:
    """Answers with a clock that is `ahead` seconds ahead; requests and answers take `delays` in turn."""

    def __init__(self, time, ahead, delays):
        self.time, self.ahead, self.delays = time, ahead, itertools.cycle(delays)
        self.answers = True

    def scheduler_info(self, n_workers):
        return {"workers": {"tcp://there": {}}}

    def run(self, read, workers, on_error):
        if not self.answers:
            return {}
        self.time[0] += next(self.delays)
        answer = ("another boot", self.time[0] + self.ahead)
        self.time[0] += next(self.delays)
        return {"tcp://there": answer}


class ClockOffsets(unittest.TestCase):
    def measure(self, ahead, delays):
        time = [1000.0]
        return clocks.clock_offsets(Client(time, ahead, delays), now=lambda: time[0])["tcp://there"]

    def test_a_symmetric_round_trip_gives_the_offset(self):
        offset, error = self.measure(ahead=5.0, delays=[0.002, 0.002])
        self.assertAlmostEqual(offset, -5e6, delta=1)
        self.assertAlmostEqual(error, 2000, delta=1)

    def test_the_fastest_round_trip_counts_and_the_offset_is_within_the_error(self):
        offset, error = self.measure(ahead=-0.25, delays=[0.05, 0.01, 0.001, 0.0, 0.02, 0.02])
        self.assertAlmostEqual(error, 500, delta=1)
        self.assertLessEqual(abs(offset - 0.25e6), error + 1)

    def test_a_process_of_the_same_system_has_the_same_clock(self):
        class Same(Client):
            def run(self, read, workers, on_error):
                return {"tcp://there": (clocks.boot_id(), 0.0)}

        if clocks.boot_id() == "":
            self.skipTest("this system has no boot id")
        self.assertEqual(clocks.clock_offsets(Same([0.0], 0, [0])), {"tcp://there": (0.0, 0.0)})

    def test_a_lost_worker_is_left_out(self):
        client = Client([0.0], 0, [0])
        client.answers = False
        self.assertEqual(clocks.clock_offsets(client), {})


if __name__ == "__main__":
    unittest.main()
