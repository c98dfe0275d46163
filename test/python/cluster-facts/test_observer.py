"""What an observer reports, of schedulers that these tests make up."""

import json
import pickle
import unittest
from collections import deque
from types import SimpleNamespace

from stridelab.cluster import bounds, observer
from stridelab.cluster.transfers import MOST_SENDERS, IncomingTransfers

NOW = 1000.0


def worker(name="0", **changes):
    metrics = {
        "memory": 300,
        "managed_bytes": 250,
        "spilled_bytes": {"memory": 50, "disk": 20},
        "task_counts": {"executing": 1, "memory": 4},
    }
    metrics.update(changes.pop("metrics", {}))
    return {
        "name": name,
        "host": "10.0.0.1",
        "nthreads": 2,
        "status": "running",
        "last_seen": NOW - 1.5,
        "memory_limit": 1000,
        "metrics": metrics,
        **changes,
    }


def identity(workers, total=None):
    return {
        "address": "tcp://10.0.0.9:8786",
        "n_workers": len(workers) if total is None else total,
        "total_threads": 2 * len(workers),
        "workers": workers,
    }


class Workers(unittest.TestCase):
    def only(self, **changes):
        return observer.describe(identity({"tcp://a:1": worker(**changes)}), NOW)["workers"][0]

    def test_managed_memory_is_what_is_not_spilled(self):
        found = self.only()
        self.assertEqual(found["memory"], {"managed": 200, "process": 300, "spilled": 20, "limit": 1000})
        self.assertEqual((found["name"], found["stored"], found["processing"], found["silentMs"]), ("0", 4, 1, 1500))

    def test_a_worker_without_metrics_or_limit_is_described(self):
        fresh = observer.describe(identity({"tcp://a:1": {**worker(name=3, memory_limit=None), "metrics": {}}}), NOW)["workers"][0]
        self.assertEqual(fresh["memory"], {"managed": 0, "process": 0, "spilled": 0, "limit": 0})
        self.assertEqual((fresh["name"], fresh["gpus"], fresh["node"], fresh["running"]), ("3", [], None, None))

    def test_a_gpu_is_what_distributed_measures_with_pynvml(self):
        metrics = {"gpu": {"utilization": 90, "memory-used": 7}}
        expected = [{"name": "NVIDIA H100", "memoryUsed": 7, "memoryTotal": 80}]
        for name in ("NVIDIA H100", b"NVIDIA H100"):
            self.assertEqual(self.only(gpu={"name": name, "memory-total": 80}, metrics=metrics)["gpus"], expected)
        # Without NVML, or before the first measurement.
        self.assertEqual(self.only(gpu={}, metrics=metrics)["gpus"], [])
        own = {"stridelab": {"pid": 1, "state": "running", "restarts": 0, "gpu": {"name": "x", "memory-total": 80, "memory-used": 7}}}
        self.assertEqual(self.only(metrics=own)["gpus"], [{"name": "x", "memoryUsed": 7, "memoryTotal": 80}])
        self.assertEqual(self.only(gpu={"name": "x", "memory-total": 80})["gpus"], [])

    def test_the_state_of_node_is_the_metric_of_our_plugin(self):
        node = {"pid": 7, "state": "lost", "restarts": 2}
        self.assertEqual(self.only(metrics={"stridelab": node})["node"], node)
        self.assertIsNone(self.only(metrics={"stridelab": "another plugin of this name"})["node"])

    def test_lists_are_bounded_and_names_are_short(self):
        senders = {f"tcp://w:{index}": [index, 1, 0.5] for index in range(bounds.MOST_TRANSFERS + 5)}
        workers = {"tcp://a:1": worker(name="n" * 1000, metrics={"stridelab-transfers": senders})}
        found = observer.describe(identity(workers, total=900), NOW)
        self.assertEqual(found["omitted"], {"workers": 899, "transfers": 5})
        self.assertEqual(len(found["workers"][0]["name"]), bounds.LONGEST_NAME)
        sizes = [pair["bytes"] for pair in found["transfers"]]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertEqual(found["transfers"][0], {"from": "tcp://w:100", "to": "tcp://a:1", "bytes": 100, "count": 1, "ms": 500})

    def test_without_the_metric_of_any_worker_transfers_are_unknown(self):
        self.assertIsNone(observer.describe(identity({"tcp://a:1": worker()}), NOW)["transfers"])
        known = {"tcp://a:1": worker(), "tcp://b:1": worker(metrics={"stridelab-transfers": {}})}
        self.assertEqual(observer.describe(identity(known), NOW)["transfers"], [])
        self.assertEqual(observer.describe(identity({}), NOW)["workers"], [])


class Scheduler:
    """As much of a scheduler as an observer reads."""

    def __init__(self, workers=(), tasks=(), groups=(), erred=(), events=(), closing=None):
        self.workers = {state.address: state for state in workers}
        self.tasks = {task.key: task for task in tasks}
        self.task_groups = dict(enumerate(groups))
        self.erred_tasks = deque(erred)
        self.handlers = {}
        self.events = {"all": events, closing: [(0.1, {"action": "closing-worker", "reason": "scale"})]}

    def identity(self, n_workers):
        return identity({address: worker() for address in list(self.workers)[:n_workers]}, len(self.workers))

    def get_events(self, topic):
        return self.events.get(topic, ())


def report_of(scheduler):
    watching = observer.Observer()
    watching.start(scheduler)
    report = scheduler.handlers[observer.OPERATION]()
    json.dumps(report)
    return report


def erred(key, text, at, on=("tcp://a:1",)):
    return SimpleNamespace(key=key, timestamp=at, erred_on=set(on), exception_text=text, traceback_text="")


class Failures(unittest.TestCase):
    def failures(self, **state):
        return report_of(Scheduler(**state))["failures"]

    def test_are_sorted_by_time_with_type_and_message(self):
        found = self.failures(erred=[erred(("x", 1), "KeyError('it\\'s')", 3.0), erred("load-12", "lib.Odd(1, 2)", 2.0)])
        self.assertEqual(
            [(each["type"], each["message"], each["at"]) for each in found], [("lib.Odd", "1, 2", 2000), ("KeyError", "it's", 3000)]
        )
        self.assertEqual((found[1]["key"], found[1]["name"], found[1]["worker"]), ("('x', 1)", "x", "tcp://a:1"))

    def test_tasks_that_failed_because_of_another_are_left_out(self):
        self.assertEqual(self.failures(erred=[erred("after-1", "", 1.0, on=())]), [])

    def test_the_cause_is_found_if_many_others_displaced_it_from_the_list(self):
        cause = SimpleNamespace(key="bad-1", exception=None, exception_text="ValueError('no')", erred_on={"tcp://a:1"})
        tasks = [SimpleNamespace(key=f"after-{index}", exception=None, exception_blame=cause) for index in range(100)]
        found = self.failures(erred=[erred(task.key, "", 2.0, on=()) for task in tasks], tasks=tasks)
        self.assertEqual(
            [(each["key"], each["type"], each["worker"], each["at"]) for each in found], [("bad-1", "ValueError", "tcp://a:1", 2000)]
        )
        # It is listed once, also if it is in the list itself.
        found = self.failures(erred=[erred("after-0", "", 2.0, on=()), erred("bad-1", "ValueError('no')", 1.0)], tasks=tasks)
        self.assertEqual([each["at"] for each in found], [1000])

    def test_a_task_that_killed_its_workers_has_the_error_of_the_scheduler(self):
        raised = pickle.dumps(TimeoutError("4 workers were lost while they ran bad-1"))
        found = self.failures(erred=[erred("bad-1", "", 1.0)], tasks=[SimpleNamespace(key="bad-1", exception=raised)])
        self.assertEqual(
            [(each["type"], each["message"]) for each in found], [("TimeoutError", "4 workers were lost while they ran bad-1")]
        )

    def test_errors_of_users_are_not_unpickled(self):
        serialized = SimpleNamespace(header={}, frames=[b"code"])
        self.assertEqual(self.failures(erred=[erred("a", "", 1.0)], tasks=[SimpleNamespace(key="a", exception=serialized)]), [])

    def test_texts_that_are_no_repr_or_too_long_are_kept_and_cut(self):
        found = self.failures(
            erred=[erred("a-1", "boom", 1.0), erred("c-1", f"Deep({'(' * 2900})", 1.5), erred("b-1", f"ValueError({'x' * 10_000!r})", 2.0)]
        )
        self.assertEqual((found[0]["type"], found[0]["message"]), ("error", "boom"))
        for each, kind in zip(found[1:], ("Deep", "ValueError")):
            self.assertEqual((each["type"], len(each["message"])), (kind, bounds.LONGEST_MESSAGE))

    def test_include_lost_workers_before_and_after_the_start_but_no_expected_ends(self):
        event = {
            "action": "remove-worker",
            "worker": "tcp://a:1",
            "expected": False,
            "processing-tasks": {"x"},
            "lost-scattered-tasks": {"y", "z"},
        }
        orderly = {**event, "worker": "tcp://c:1"}
        scheduler = Scheduler(
            closing="tcp://c:1",
            events=[(0.5, orderly), (1.0, event), (2.0, {**event, "expected": True}), (3.0, {"action": "add-worker"}), (4.0, "a text")],
        )
        watching = observer.Observer()
        watching.start(scheduler)
        watching.log_event("all", {**event, "worker": "tcp://b:1", "processing-tasks": set(), "lost-scattered-tasks": set()})
        watching.log_event("tcp://b:1", event)
        found = watching.report()["failures"]
        self.assertEqual([each["worker"] for each in found], ["tcp://a:1", "tcp://b:1"])
        self.assertEqual(found[0]["message"], "1 task runs again, 2 scattered values are lost")
        self.assertEqual(found[1]["message"], "it held no task and no result")

    def test_are_bounded_and_the_newest_are_kept(self):
        many = [erred(f"x-{index}", f"ValueError('{index}')", float(index)) for index in range(60, 0, -1)]
        found = self.failures(erred=many)
        self.assertEqual([found[0]["message"], found[-1]["message"], len(found)], ["49", "60", bounds.MOST_FAILURES])


class Tasks(unittest.TestCase):
    def test_are_counted_by_group_and_state(self):
        groups = [
            SimpleNamespace(states={"waiting": 2, "released": 9, "no-worker": 1}),
            SimpleNamespace(states={"waiting": 1, "queued": 5, "memory": 3}),
        ]
        expected = {"waiting": 3, "queued": 5, "unplaced": 1, "processing": 0, "memory": 3, "erred": 0}
        self.assertEqual(report_of(Scheduler(groups=groups))["tasks"], expected)

    def test_that_run_are_listed_longest_first_without_those_that_ended_since_the_heartbeat(self):
        class Task:
            def __init__(self, key):
                self.key = key

        tasks = [Task(f"run-{index}") for index in range(7)]
        state = SimpleNamespace(
            address="tcp://a:1",
            has_what={"r1": 1, "r2": 2},
            processing=set(tasks[:6]),
            executing={task: float(index) for index, task in enumerate(tasks)},
            last_seen=NOW,
        )
        found = report_of(Scheduler(workers=[state]))["workers"][0]
        self.assertEqual((found["stored"], found["processing"], found["running"]["more"]), (2, 6, 2))
        self.assertEqual([task["key"] for task in found["running"]["tasks"]], ["run-5", "run-4", "run-3", "run-2"])


class Transfers(unittest.TestCase):
    def test_are_added_up_by_sender_once_each_also_if_the_log_forgets_them(self):
        log = deque(maxlen=3)
        metric = IncomingTransfers()
        receiver = SimpleNamespace(transfer_incoming_log=log)
        self.assertEqual(metric(receiver), {})
        for size in (1, 2):
            log.append({"who": "a", "total": size, "duration": 0.5})
        self.assertEqual(metric(receiver), {"a": [3, 2, 1.0]})
        self.assertEqual(metric(receiver), {"a": [3, 2, 1.0]})
        for _ in range(3):
            log.append({"who": "b", "total": 10, "duration": 0.25})
        self.assertEqual(metric(receiver), {"b": [30, 3, 0.75], "a": [3, 2, 1.0]})

    def test_of_many_senders_those_with_most_bytes_are_reported(self):
        log = [{"who": index, "total": index, "duration": 0.1} for index in range(MOST_SENDERS + 10)]
        self.assertEqual(min(IncomingTransfers()(SimpleNamespace(transfer_incoming_log=log))), 10)
