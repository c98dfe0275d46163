"""The state of real clusters: a scheduler and workers in processes of their own."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

import dask
from distributed import Client, Event, LocalCluster, WorkerPlugin, wait
from stridelab.cluster import bounds, facts, observer
from stridelab.cluster.transfers import IncomingTransfers

PATIENCE = 60


class Metrics(WorkerPlugin):
    """What the worker plugin of the cluster adds."""

    name = "stridelab"

    def setup(self, worker):
        worker.metrics[observer.TRANSFERS] = IncomingTransfers()
        worker.metrics[observer.NODE] = lambda _: {"pid": 7, "state": "running", "restarts": 0}


def read(client, **options):
    return json.loads(facts.read(client, **options))


def eventually(client, found):
    """Reads until `found` returns something true of the facts, and returns it."""
    deadline = time.monotonic() + PATIENCE
    while True:
        state = read(client)
        result = found(state)
        if result:
            return result
        if time.monotonic() > deadline:
            raise AssertionError(f"not reached: {json.dumps(state, indent=1)}")
        time.sleep(0.1)


def wait_for(name):
    """A task that runs until an event is set."""
    Event(name).wait()


def fail(text):
    raise ValueError(text)


def megabytes(count):
    return bytes(count << 20)


def length(*values):
    return sum(map(len, values))


class Local(unittest.TestCase):
    """Two workers, for all tests of this class; each test leaves no task behind."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address="127.0.0.1:0")
        cls.addClassCleanup(cls.cluster.close)
        cls.client = Client(cls.cluster)
        cls.addClassCleanup(cls.client.close)
        cls.client.register_plugin(Metrics())

    def addresses(self):
        return [worker["address"] for worker in read(self.client)["workers"]]

    def test_workers_are_described(self):
        state = eventually(self.client, lambda state: state["workers"][1]["memory"]["process"] > 0 and state)
        self.assertEqual((state["scheduler"], state["threads"], state["refusal"]), (self.cluster.scheduler_address, 4, None))
        self.assertEqual(state["dashboard"], self.client.dashboard_link)
        self.assertEqual(state["dask"], dask.__version__)
        self.assertEqual(sorted(worker["name"] for worker in state["workers"]), ["0", "1"])
        for worker in state["workers"]:
            self.assertEqual((worker["threads"], worker["status"], worker["host"]), (2, "running", "127.0.0.1"))
            self.assertGreater(worker["memory"]["limit"], worker["memory"]["process"])
        eventually(
            self.client, lambda state: all(worker["node"] == {"pid": 7, "state": "running", "restarts": 0} for worker in state["workers"])
        )

    def test_tasks_that_run_and_wait_are_shown_until_they_end(self):
        futures = [self.client.submit(wait_for, "running", key=f"held-{index}") for index in range(20)]
        after = self.client.submit(len, futures, key="after-1")

        def runs(state):
            tasks = [task for worker in state["workers"] for task in worker["running"]["tasks"]]
            return len(tasks) == 4 and tasks

        tasks = eventually(self.client, runs)
        self.assertEqual({task["name"] for task in tasks}, {"held"})
        self.assertTrue(all(task["ms"] > 0 for task in tasks))
        counts = read(self.client)["tasks"]
        self.assertEqual((counts["waiting"], counts["queued"] + counts["processing"]), (1, 20))
        Event("running").set()
        self.assertEqual(after.result(PATIENCE), 20)
        self.assertTrue(eventually(self.client, lambda state: state["tasks"]["processing"] == 0 and state["tasks"]["memory"] == 21))

    def test_the_bytes_of_a_worker_and_what_it_received_from_another(self):
        first, second = self.addresses()
        part = self.client.submit(megabytes, 8, workers=[first], pure=False)
        total = self.client.submit(length, part, workers=[second], pure=False)
        self.assertEqual(total.result(PATIENCE), 8 << 20)

        # Another test may have moved a few bytes between these workers before.
        def moved(state):
            return [pair for pair in state["transfers"] if (pair["from"], pair["to"]) == (first, second) and pair["bytes"] >= 8 << 20]

        [pair] = eventually(self.client, moved)
        self.assertGreaterEqual(pair["count"], 1)
        self.assertGreater(pair["ms"], 0)
        # Dask drops one of the copies within seconds, on either worker; the size of what a worker holds is that of its last report.
        self.assertTrue(
            eventually(
                self.client,
                lambda state: [worker for worker in state["workers"] if worker["memory"]["managed"] >= 8 << 20 and worker["stored"] >= 1],
            )
        )

    def test_a_failure_has_key_worker_type_and_message(self):
        [first, _] = self.addresses()
        failed = self.client.submit(fail, "no 'luck'\nat all", key="unlucky-77", workers=[first])
        dependent = self.client.submit(len, failed)
        with self.assertRaises(ValueError):
            dependent.result(PATIENCE)
        found = [each for each in read(self.client)["failures"] if each["name"] == "unlucky"]
        self.assertEqual(len(found), 1)
        self.assertEqual((found[0]["key"], found[0]["worker"], found[0]["type"]), ("unlucky-77", first, "ValueError"))
        self.assertEqual(found[0]["message"], "no 'luck'\nat all")
        self.assertLess(abs(found[0]["at"] / 1000 - time.time()), PATIENCE)

    def test_a_failure_is_found_among_the_many_tasks_that_it_let_fail(self):
        failed = self.client.submit(fail, "first", key="cause-1")
        others = [self.client.submit(length, failed, key=f"let-fail-{index}") for index in range(150)]
        # More than the 100 that Dask lists.
        eventually(self.client, lambda state: state["tasks"]["erred"] >= 151)
        names = [each["name"] for each in read(self.client)["failures"]]
        self.assertEqual([names.count("cause"), names.count("let-fail")], [1, 0])
        del others

    def test_many_tasks_cost_no_more_than_few(self):
        few = len(facts.read(self.client))
        many = self.client.map(len, [[]] * 2_000, pure=False)
        eventually(self.client, lambda state: state["tasks"]["memory"] >= 2_000)
        self.assertLess(len(facts.read(self.client)), 2 * few + 2000)
        del many

    def test_failures_are_bounded(self):
        futures = self.client.map(fail, [f"{index}" for index in range(60)], pure=False)
        wait(futures, timeout=PATIENCE)
        self.assertTrue(eventually(self.client, lambda state: len(state["failures"]) == bounds.MOST_FAILURES))
        del futures

    def test_reads_on_several_threads_add_one_observer(self):
        other = Client(self.cluster.scheduler_address)
        self.addCleanup(other.close)
        found = []
        threads = [threading.Thread(target=lambda: found.append(read(other))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([state["refusal"] for state in found], [None] * 8)

    def test_an_observer_logs_no_events(self):
        read(self.client)
        before = len(self.client.get_events("all"))
        for _ in range(5):
            read(self.client)
        self.assertEqual(len(self.client.get_events("all")), before)


class Losses(unittest.TestCase):
    def test_a_killed_worker_disappears_and_is_among_the_failures(self):
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
            victim, other = (worker["address"] for worker in read(client)["workers"])
            kept = client.submit(megabytes, 1, workers=[victim], allow_other_workers=True)
            kept.result(PATIENCE)
            os.kill(client.run(os.getpid, workers=[victim])[victim], signal.SIGKILL)
            loss = eventually(client, lambda state: [each for each in state["failures"] if each["type"] == "worker lost"])[0]
            self.assertEqual((loss["worker"], loss["key"]), (victim, None))
            self.assertIn("1 result is computed again", loss["message"])
            # The nanny starts another one, at another address.
            found = eventually(client, lambda state: len(state["workers"]) == 2 and [worker["address"] for worker in state["workers"]])
            self.assertIn(other, found)
            self.assertNotIn(victim, found)
            cluster.scale(1)
            eventually(client, lambda state: len(state["workers"]) == 1)
            self.assertEqual(len([each for each in read(client)["failures"] if each["type"] == "worker lost"]), 1)

    def test_a_task_that_kills_its_workers_is_reported_with_the_error_of_the_scheduler(self):
        with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
            cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None)
        with cluster, Client(cluster) as client:
            deadly = client.submit(os._exit, 3, key="deadly-1")
            found = eventually(client, lambda state: [each for each in state["failures"] if each["name"] == "deadly"])
            self.assertEqual(found[0]["type"], "KilledWorker")
            self.assertIn("deadly-1", found[0]["message"])
            del deadly

    def test_no_workers_are_no_error(self):
        with LocalCluster(n_workers=0, dashboard_address=None) as cluster, Client(cluster) as client:
            waiting = client.submit(len, [])
            state = eventually(client, lambda state: state["tasks"]["unplaced"] + state["tasks"]["queued"] == 1 and state)
            self.assertEqual((state["workers"], state["threads"], state["transfers"]), ([], 0, None))
            del waiting


class Schedulers(unittest.TestCase):
    """Schedulers of their own processes, which cannot import our package."""

    def start(self, port=0, **environment):
        hide = "import sys; sys.path[:] = [path for path in sys.path if not path.endswith('/python')]"
        code = f"{hide}\nfrom distributed.cli.dask_scheduler import main; main()"
        command = [sys.executable, "-c", code, "--host", "127.0.0.1", "--port", str(port), "--dashboard-address", "127.0.0.1:0"]
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        process = subprocess.Popen(command, env={**variables, **environment}, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for line in process.stderr:
            if "Scheduler at:" in line:
                threading.Thread(target=process.stderr.read, daemon=True).start()
                return process, line.split("Scheduler at:")[1].strip()
        raise AssertionError("the scheduler did not start")

    def test_a_scheduler_needs_no_package_of_ours(self):
        _, address = self.start()
        with Client(address) as client:

            def imports():
                import importlib.util

                return importlib.util.find_spec("stridelab") is not None

            self.assertFalse(client.run_on_scheduler(imports))
            state = read(client)
            self.assertEqual((state["refusal"], state["scheduler"], state["dashboard"]), (None, address, client.dashboard_link))
            self.assertEqual(state["tasks"]["processing"], 0)

    def test_a_scheduler_that_refuses_code_reports_its_workers_all_the_same(self):
        _, address = self.start(DASK_DISTRIBUTED__SCHEDULER__BLOCKED_HANDLERS="['register_scheduler_plugin']")
        with Client(address) as client:
            for _ in range(2):
                state = read(client)
                self.assertEqual((state["tasks"], state["failures"], state["workers"]), (None, [], []))
                self.assertIn("disallowed", state["refusal"])
                self.assertEqual(state["dask"], dask.__version__)

    def test_another_version_of_python_gets_no_bytecode(self):
        _, address = self.start()
        with Client(address) as client, mock.patch.object(facts, "sys", mock.Mock(version_info=(3, 99))):
            state = read(client)
            self.assertRegex(state["refusal"], r"the scheduler runs Python 3\.\d+, and this client 3\.99: use the same version")

    def test_a_lost_scheduler_is_an_error_and_one_that_is_back_gets_another_observer(self):
        process, address = self.start()
        with Client(address, timeout=PATIENCE) as client:
            self.assertIsNone(read(client)["refusal"])
            process.kill()
            process.wait()
            with self.assertRaisesRegex(ConnectionError, f"{address} did not answer within 2 s"):
                read(client, timeout=2)
            self.start(port=address.rsplit(":", 1)[1])
            deadline = time.monotonic() + PATIENCE
            while True:
                try:
                    self.assertEqual(read(client)["tasks"]["memory"], 0)
                    break
                except ConnectionError:
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(0.2)

    def test_a_scheduler_that_hangs_is_waited_for_no_longer_than_asked(self):
        process, address = self.start()
        with Client(address) as client:
            read(client)
            process.send_signal(signal.SIGSTOP)
            try:
                with self.assertRaisesRegex(ConnectionError, "did not answer within 0.5 s"):
                    read(client, timeout=0.5)
            finally:
                process.send_signal(signal.SIGCONT)
            self.assertIsNone(read(client, timeout=PATIENCE)["refusal"])

    def test_a_closed_client_says_so(self):
        _, address = self.start()
        client = Client(address)
        client.close()
        with self.assertRaisesRegex(ConnectionError, "was closed"):
            facts.read(client)
