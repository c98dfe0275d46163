"""Arrays on a GPU, with a driver that only records calls, in their order."""

import base64
import os
import struct
import unittest
from unittest import mock

from fake_cuda import BUS, FakeDriver, number
from stridelab import sharing
from stridelab.sharing import cuda, dlpack, reaper
from stridelab.sharing.errors import DriverError, IpcError

SOURCE = {"pciBusId": BUS.decode(), "uuid": "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"}
HANDLE = base64.b64encode(struct.pack("<Q", 0x7000) + bytes(56)).decode()
EVENT = base64.b64encode(bytes(64)).decode()
VIEW = {"dtype": "float32", "shape": [2, 3], "strides": [12, 4], "first": 0, "bytes": 24, "readOnly": False}


def granted(event=None, **changed):
    return {"way": "legacy", "source": SOURCE, "view": VIEW, "memory": {"handle": HANDLE, "offset": 256}, "event": event, **changed}


class Link:
    def __init__(self):
        self.said = []
        self.answered = False

    def alive(self):
        return True

    def used(self, event):
        self.said.append("used")
        return True

    def waited(self):
        return self.answered

    def close(self):
        self.said.append("closed")


class Foreign:
    """An array of another library."""

    def __init__(self, pointer, shape=(2, 3), **more):
        self.interface = {"shape": shape, "typestr": "<f4", "data": (pointer, False), "version": 3, **more}

    @property
    def __cuda_array_interface__(self):
        return self.interface


class DeviceTest(unittest.TestCase):
    def setUp(self):
        self.driver = FakeDriver()
        cuda._devices.cache_clear()
        patch = mock.patch.object(cuda, "_load", lambda: self.driver)
        patch.start()
        self.addCleanup(cuda._devices.cache_clear)
        self.addCleanup(patch.stop)
        self.addCleanup(lambda: self.assertTrue(reaper.idle()))

    def ended(self):
        self.assertTrue(reaper.idle())
        self.assertEqual((self.driver.mapped, self.driver.events, self.driver.contexts), ({}, {}, 0))


class Opening(DeviceTest):
    def test_rules_53_188_base_and_offset_are_what_consumers_see(self):
        link = Link()
        link.answered = True
        with sharing.open_grant(granted(), link=link) as opened:
            interface = opened.__cuda_array_interface__
            self.assertEqual(interface["data"], (0x7100, False))
            self.assertEqual(
                (interface["shape"], interface["typestr"], interface["strides"], interface["version"]), ((2, 3), "<f4", None, 3)
            )
            self.assertIsNone(interface["stream"])
            self.assertEqual((opened.__dlpack_device__(), opened.device), ((2, 0), "cuda:0"))
            self.assertFalse(hasattr(opened, "__array_interface__"))
        # The interface does not report when its reader is done, so the memory stays until the object ends.
        self.assertEqual(self.driver.mapped, {0x7000: "legacy"})
        del opened
        self.ended()
        self.assertEqual(link.said, ["used", "closed"])

    def test_rule_190_a_handle_is_opened_once_however_many_arrays_there_are(self):
        first, second = sharing.open_grant(granted()), sharing.open_grant(granted())
        first.close()
        self.assertFalse(reaper.idle(0.05))
        self.assertEqual(self.driver.mapped, {0x7000: "legacy"})
        second.close()
        self.ended()
        self.assertEqual(self.driver.names().count("cuIpcOpenMemHandle_v2"), 1)

    def test_rule_154_the_owners_work_comes_first_on_the_device_or_before_the_call_returns(self):
        sharing.open_grant(granted(EVENT)).close()
        self.assertIn("cuEventSynchronize", self.driver.names())
        self.driver.calls.clear()
        opened = sharing.open_grant(granted(EVENT), stream=0x55)
        self.assertNotIn("cuEventSynchronize", self.driver.names())
        waits = [number(arguments[0]) for name, arguments in self.driver.calls if name == "cuStreamWaitEvent"]
        self.assertEqual((waits, opened.__cuda_array_interface__["stream"]), ([0x55], 0x55))
        del opened
        self.ended()

    def test_rules_67_151_155_streams_are_handles_and_zero_is_none(self):
        with self.assertRaises(ValueError):
            sharing.open_grant(granted(EVENT), stream=0)
        with sharing.open_grant(granted(EVENT), stream=0x55) as opened:
            for stream in (0, -2, True, "1"):
                with self.assertRaises(BufferError):
                    opened.__dlpack__(stream=stream)
            self.driver.calls.clear()
            opened.__dlpack__(stream=-1)
            self.assertNotIn("cuStreamWaitEvent", self.driver.names())
            opened.__dlpack__(stream=0x66)
            recorded = [number(arguments[1]) for name, arguments in self.driver.calls if name == "cuEventRecord"]
            waits = [number(arguments[0]) for name, arguments in self.driver.calls if name == "cuStreamWaitEvent"]
            self.assertEqual((recorded, waits), ([0x55], [0x66]))
            # The same stream needs no wait (rule 85).
            self.driver.calls.clear()
            opened.__dlpack__(stream=0x55)
            self.assertEqual(self.driver.names(), [])
        del opened
        self.ended()

    def test_rule_73_the_owner_is_told_what_to_wait_for_and_the_event_lives_until_it_has(self):
        link = Link()
        with sharing.open_grant(granted(), link=link) as opened:
            opened.__dlpack__(stream=1)
        self.assertEqual(link.said, ["used"])
        self.assertFalse(reaper.idle(0.1))
        self.assertEqual((len(self.driver.events), self.driver.mapped), (1, {}))
        link.answered = True
        self.ended()
        self.assertEqual(link.said, ["used", "closed"])

    def test_rule_73_the_owner_waits_for_all_work_so_far_while_the_array_is_open(self):
        link = Link()
        opened = sharing.open_grant(granted(), link=link)
        opened.use.order_owner()
        self.assertEqual(link.said, [])  # nobody used it
        opened.__dlpack__(stream=0x77)
        self.driver.calls.clear()
        opened.use.order_owner()
        opened.use.order_owner()
        self.assertEqual((link.said, len(self.driver.events)), (["used", "used"], 2))
        self.assertEqual(self.driver.names().count("cuCtxRecordEvent"), 2)
        self.assertNotIn("cuCtxSynchronize", self.driver.names())
        # Events that the owner has waited for are destroyed.
        link.answered = True
        opened.use.order_owner()
        self.assertEqual((link.said, len(self.driver.events)), (["used"] * 3, 1))
        opened.close()
        del opened
        self.ended()

    def test_an_event_that_cannot_be_recorded_is_destroyed(self):
        link = Link()
        opened = sharing.open_grant(granted(), link=link)
        opened.__dlpack__(stream=1)
        self.driver.cuCtxRecordEvent = lambda *_: 900
        with self.assertRaises(DriverError):
            opened.use.order_owner()
        self.assertEqual((self.driver.events, link.said), ({}, []))
        del self.driver.cuCtxRecordEvent
        link.answered = True
        opened.close()
        del opened
        self.ended()

    def test_rule_232_before_driver_12_5_work_on_unknown_streams_is_waited_for(self):
        self.driver.old = True
        for stream, waits in ((0x77, 1), (1, 0)):
            link = Link()
            link.answered = True
            with sharing.open_grant(granted(), link=link) as opened:
                opened.__dlpack__(stream=stream)
                self.driver.calls.clear()
                opened.use.order_owner()
                names = self.driver.names()
                self.assertEqual((names.count("cuCtxSynchronize"), names.count("cuEventRecord")), (waits, 1))
            del opened
            self.ended()
            self.assertEqual(link.said, ["used", "used", "closed"])

    def test_without_events_between_processes_the_host_waits(self):
        self.driver.cuIpcGetEventHandle = lambda *_: 801
        link = Link()
        with sharing.open_grant(granted(), link=link) as opened:
            opened.__dlpack__(stream=1)
            self.driver.calls.clear()
        self.assertIn("cuCtxSynchronize", self.driver.names())
        export = sharing.make_grant(Foreign(self.driver.allocate(64)), stream=0x44)
        self.driver.calls.clear()
        self.assertIsNone(export.grant()["event"])
        waits = [number(arguments[0]) for name, arguments in self.driver.calls if name == "cuStreamSynchronize"]
        self.assertEqual(waits, [0x44])
        export.close()
        self.ended()
        self.assertEqual(link.said, ["closed"])

    def test_rule_100_an_owner_that_is_gone_and_a_link_that_fails_stop_nothing(self):
        deaf, broken = Link(), Link()
        deaf.used = lambda event: False
        broken.close = lambda: 1 // 0
        for link in (deaf, broken):
            link.answered = True
            with mock.patch("traceback.print_exc"), sharing.open_grant(granted(), link=link) as opened:
                opened.__dlpack__(stream=1)
                opened.close()
                self.ended()

    def test_what_nobody_used_needs_no_order(self):
        link = Link()
        sharing.open_grant(granted(), link=link).close()
        self.ended()
        self.assertEqual(link.said, ["closed"])
        self.assertNotIn("cuCtxSynchronize", self.driver.names())

    def test_tensors_keep_the_memory_after_close(self):
        opened = sharing.open_grant(granted())
        capsule = opened.__dlpack__(max_version=(1, 0))
        managed = dlpack._Versioned.from_address(dlpack._pointer_of(capsule, b"dltensor_versioned"))
        self.assertEqual((managed.tensor.data, managed.tensor.device_type, managed.flags), (0x7100, 2, 0))
        opened.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            opened.__dlpack__()
        self.assertFalse(reaper.idle(0.05))
        self.assertEqual(self.driver.mapped, {0x7000: "legacy"})
        del capsule
        self.ended()

    def test_rules_59_137_read_only_is_said_by_both(self):
        with sharing.open_grant(granted(view={**VIEW, "readOnly": True})) as opened:
            self.assertTrue(opened.__cuda_array_interface__["data"][1])
            with self.assertRaisesRegex(BufferError, "137"):
                opened.__dlpack__()
        del opened
        self.ended()

    def test_rules_144_147_150_what_is_not_done_says_so(self):
        with sharing.open_grant(granted()) as opened:
            with self.assertRaises(ValueError):
                opened.__dlpack__(dl_device=(1, 0), copy=False)
            for arguments in ({"dl_device": (2, 1)}, {"copy": True}, {"dl_device": (1, 0), "stream": 1}):
                with self.assertRaises(BufferError):
                    opened.__dlpack__(**arguments)
        del opened
        self.ended()

    def test_pools_and_virtual_memory_are_taken_apart_in_the_order_of_their_making(self):
        pool = {"way": "pool", "memory": {"pool": "p", "data": HANDLE, "offset": 16}}
        virtual = {"way": "vmm", "memory": {"block": 2 << 20, "offset": 16}}
        for changed in (pool, virtual):
            first = sharing.open_grant(granted(**changed), [os.memfd_create("a")])
            second = sharing.open_grant(granted(**changed), [os.memfd_create("a")])
            first.close()
            second.close()
            self.ended()
        self.assertEqual(self.driver.names().count("cuMemPoolImportFromShareableHandle"), 1)

    def test_rule_195_a_failure_half_way_leaves_nothing(self):
        self.driver.cuMemSetAccess = lambda *_: 1
        with self.assertRaisesRegex(IpcError, "cuMemSetAccess"):
            sharing.open_grant(granted(way="vmm", memory={"block": 2 << 20, "offset": 0}), [os.memfd_create("a")])
        self.driver.cuMemPoolImportPointer = lambda *_: 1
        with self.assertRaisesRegex(IpcError, "cuMemPoolImportPointer"):
            sharing.open_grant(granted(way="pool", memory={"pool": "p", "data": HANDLE, "offset": 0}), [os.memfd_create("a")])
        with self.assertRaisesRegex(IpcError, "CUDA_VISIBLE_DEVICES"):
            sharing.open_grant(granted(source={**SOURCE, "uuid": "GPU-x"}))
        self.ended()


class Sharing(DeviceTest):
    def test_rules_66_188_the_allocation_and_the_offset_of_a_view(self):
        start = self.driver.allocate(4096)
        export = sharing.make_grant(Foreign(start + 512, (2, 3), strides=(-12, 4), stream=0x44))
        grant = export.grant()
        self.assertEqual((grant["way"], grant["source"], export.copied), ("legacy", SOURCE, False))
        self.assertEqual(struct.unpack("<Q", base64.b64decode(grant["memory"]["handle"])[:8])[0], start)
        self.assertEqual((grant["memory"]["offset"], grant["view"]["first"], grant["view"]["bytes"]), (500, 12, 24))
        self.assertIsNotNone(grant["event"])
        recorded = [number(arguments[1]) for name, arguments in self.driver.calls if name == "cuEventRecord"]
        # First the producer's pending work, then all work on the default stream.
        self.assertEqual(recorded, [0x44, 1])
        export.close()
        self.ended()

    def test_rule_73_what_the_other_process_did_comes_before_later_work(self):
        export = sharing.make_grant(Foreign(self.driver.allocate(64)), stream=0x44)
        export.grant()
        export.take_back(EVENT)
        waits = [number(arguments[0]) for name, arguments in self.driver.calls if name == "cuStreamWaitEvent"]
        self.assertEqual(waits, [0x44])
        self.driver.cuIpcOpenEventHandle = lambda *_: 400
        export.take_back(EVENT)
        export.close()
        self.ended()

    def test_rule_194_each_kind_of_memory_goes_its_way_or_says_why_not(self):
        for attributes, way in (({"legacy": 0, "pool": 2}, "pool"), ({"legacy": 0}, "vmm")):
            export = sharing.make_grant(Foreign(self.driver.allocate(64, **attributes)))
            self.assertEqual((export.way, len(export.files)), (way, 1))
            export.close()
        for attributes, word in (({"legacy": 0, "pool": 1}, "stream-ordered"), ({"managed": 1}, "managed"), ({"type": 1}, "page-locked")):
            with self.assertRaisesRegex(IpcError, word):
                sharing.make_grant(Foreign(self.driver.allocate(64, **attributes)))
        self.ended()

    def test_rules_50_67_masks_and_stream_zero_are_refused(self):
        start = self.driver.allocate(64)
        for more, word in (({"mask": object()}, "mask"), ({"stream": 0}, "rule 67")):
            with self.assertRaisesRegex(IpcError, word):
                sharing.make_grant(Foreign(start, **more))

    def test_rule_25_elements_outside_the_allocation_are_refused(self):
        start = self.driver.allocate(64)
        with self.assertRaisesRegex(IpcError, "rules 25"):
            sharing.make_grant(Foreign(start + 48, (2, 3)))

    def test_objects_that_carry_the_interface_themselves(self):
        class Plain:
            pass

        plain = Plain()
        plain.__cuda_array_interface__ = Foreign(self.driver.allocate(64)).interface
        export = sharing.make_grant(plain)
        self.assertEqual((export.way, export.view.shape), ("legacy", (2, 3)))
        export.close()

    def test_rule_55_empty_arrays_need_no_device(self):
        export = sharing.make_grant(Foreign(0, (0, 3)))
        self.assertEqual((export.way, export.grant()["event"]), ("none", None))
        export.close()


class HostOnly(unittest.TestCase):
    def test_rule_204_host_arrays_never_touch_the_driver(self):
        def fail():
            raise AssertionError("the driver was loaded")

        with mock.patch.object(cuda, "_load", fail):
            export = sharing.make_grant(b"abcd")
            with sharing.open_grant(export.grant(), [os.dup(export.files[0])]) as opened:
                opened.__dlpack__(max_version=(1, 0))
            export.take_back(EVENT)
            export.close()
            self.assertTrue(reaper.idle())

    def test_rule_105_a_child_of_fork_is_told_why_cuda_does_not_work(self):
        driver = FakeDriver()
        driver.process = -1
        with mock.patch.object(cuda, "_load", lambda: driver), self.assertRaisesRegex(IpcError, "spawn"):
            cuda.driver()

    def test_without_a_driver_the_error_names_what_was_looked_for(self):
        with mock.patch.dict(os.environ, {"STRIDELAB_LIBCUDA": "/nowhere/libcuda.so"}):
            with self.assertRaisesRegex(IpcError, "/nowhere/libcuda.so"):
                cuda.Driver()

    def test_streams_of_the_libraries(self):
        class Protocol:
            def __cuda_stream__(self):
                return 0, 0x99

        class Named:
            def __init__(self, **names):
                self.__dict__.update(names)

        for stream, handle in (
            (None, None),
            (7, 7),
            (2, 1),
            (Protocol(), 0x99),
            (Named(cuda_stream=5), 5),
            (Named(cuda_stream=0), 1),
            (Named(ptr=8), 8),
            (Named(handle=Named(value=9)), 9),
            (Named(handle=Named(value=None)), 1),
        ):
            self.assertEqual(cuda.stream_handle(stream), handle)
        for stream in (0, -1):
            with self.assertRaises(ValueError):
                cuda.stream_handle(stream)
        for stream in (True, "x", 1.5):
            with self.assertRaises((TypeError, ValueError)):
                cuda.stream_handle(stream)


if __name__ == "__main__":
    unittest.main()
