"""Arrays of a cluster in GPU memory, with a driver that only records calls."""

import ctypes
import gc
import pickle
import struct
import sys
import types
import unittest
from unittest import mock

from fake_cuda import number
from stridelab import sharing
from stridelab.cluster import device_arrays, device_buffers, page_locked
from stridelab.cluster.arrays import ClusterArray
from stridelab.cluster.device_arrays import DeviceClusterArray
from stridelab.cluster.host_arrays import HostClusterArray
from stridelab.sharing import cuda, dlpack, dtypes, reaper
from stridelab.sharing.device_array import DeviceMemory
from stridelab.sharing.errors import IpcError
from test_device import EVENT, VIEW, DeviceTest, Foreign, granted

NUMBERS = struct.pack("<6f", *range(6))


class ClusterTest(DeviceTest):
    def setUp(self):
        super().setUp()
        # Libraries that are installed here must not allocate.
        for library in ("cupy", "numba.cuda", "rmm"):
            patch = mock.patch.dict(sys.modules)
            patch.start()
            sys.modules.pop(library, None)
            self.addCleanup(patch.stop)
        patch = mock.patch.object(device_buffers, "_importable", lambda: None)
        patch.start()
        self.addCleanup(patch.stop)

    def filled(self, data=NUMBERS, **attributes):
        start = self.driver.allocate(len(data), **attributes)
        ctypes.memmove(start, data, len(data))
        return start

    def content(self, made):
        target = ctypes.create_string_buffer(max(made.nbytes, 1))
        made.read_into(ctypes.addressof(target))
        return target.raw[: made.nbytes]

    def order(self, *names):
        """The calls of these names, with the stream or event that they concern."""
        return [(name, number(arguments[-1 if "Async" in name else 0])) for name, arguments in self.driver.calls if name in names]


class Owned(ClusterTest):
    def opened(self, **arguments):
        start = self.filled(bytes(256) + NUMBERS)
        handle = sharing.exported_device.Bytes64()
        handle.bytes[:8] = struct.pack("<Q", start)
        return sharing.open_grant(granted(EVENT, memory={"handle": handle.text(), "offset": 256}), **arguments)

    def test_it_is_a_copy_after_the_owner_s_work_and_complete(self):
        with self.opened(stream=0x55) as opened:
            self.driver.calls.clear()
            made = ClusterArray.own(opened)
            names = self.driver.names()
            wanted = ["cuStreamWaitEvent", "cuMemcpyDtoDAsync_v2", "cuStreamSynchronize"]
            self.assertEqual([name for name in names if name in wanted], wanted)
            self.assertEqual(self.order(*wanted), list(zip(wanted, (1, 1, 1))))
            pointer = made.__cuda_array_interface__["data"][0]
        del opened
        gc.collect()
        self.ended()
        self.assertEqual((self.content(made), made.device, made.readonly), (NUMBERS, "cuda:0", True))
        self.assertEqual(made.__cuda_array_interface__["stream"], None)
        export = sharing.make_grant(made)
        self.assertEqual((export.way, export.copied, export.view.read_only), ("legacy", False, True))
        export.close()
        self.assertIn(pointer, self.driver.memory)
        del made, export
        gc.collect()
        self.assertNotIn(pointer, self.driver.memory)

    def test_other_layouts_say_what_to_do(self):
        for strides, shape in (((4, 8), [2, 3]), ((-12, 4), [2, 3])):
            view = {**VIEW, "shape": shape, "strides": strides, "first": 12 if strides[0] < 0 else 0}
            with sharing.open_grant(granted(view=view)) as opened, self.assertRaisesRegex(ValueError, "ascontiguousarray"):
                ClusterArray.own(opened)
            del opened
            with self.assertRaisesRegex(ValueError, "ascontiguousarray"):
                ClusterArray.wrap(Foreign(self.filled() + view["first"], strides=strides))
        self.ended()


class Wrapped(ClusterTest):
    def test_pending_work_of_the_object_comes_first(self):
        made = ClusterArray.wrap(Foreign(self.filled(), stream=0x44))
        self.assertIsInstance(made, DeviceClusterArray)
        recorded = [number(arguments[1]) for name, arguments in self.driver.calls if name == "cuEventRecord"]
        self.assertEqual((recorded, self.order("cuStreamWaitEvent")), ([0x44], [("cuStreamWaitEvent", 1)]))
        # Readers wait for the stream that waits for the work.
        self.assertEqual(made.__cuda_array_interface__["stream"], 1)
        for leave in (made.device_frames, made.host_frames):
            self.driver.calls.clear()
            leave()
            self.assertEqual(self.order("cuStreamSynchronize"), [("cuStreamSynchronize", 1)])
        self.driver.calls.clear()
        made.__dlpack__(stream=0x66, max_version=(1, 0))
        self.assertEqual(self.order("cuStreamWaitEvent"), [("cuStreamWaitEvent", 0x66)])
        self.ended()

    def test_readers_cannot_write_where_the_protocol_can_say_so(self):
        made = ClusterArray.wrap(Foreign(self.filled()))
        self.assertTrue(made.__cuda_array_interface__["data"][1])
        self.assertFalse(hasattr(made, "__array_interface__"))
        capsule = made.__dlpack__(max_version=(1, 0))
        managed = dlpack._Versioned.from_address(dlpack._pointer_of(capsule, b"dltensor_versioned"))
        self.assertEqual((managed.flags, managed.tensor.device_type), (dlpack.READ_ONLY, dlpack.CUDA))

    def test_memory_that_cannot_be_shared_is_copied_once(self):
        for attributes in ({"legacy": 0, "pool": 1}, {"managed": 1}, {"type": 1}):
            start = self.filled(**attributes)
            made = ClusterArray.wrap(Foreign(start))
            capsule = made.__dlpack__(max_version=(1, 0))
            self.driver.calls.clear()
            for _ in range(2):
                export = sharing.make_grant(made)
                self.assertEqual((export.way, export.copied), ("legacy", False))
                export.close()
            self.assertEqual(self.driver.names().count("cuMemcpyDtoDAsync_v2"), 1)
            self.assertEqual(self.content(made), NUMBERS)
            self.assertNotEqual(made.__cuda_array_interface__["data"][0], start)
            del capsule
        self.assertTrue(reaper.idle())

    def test_users_of_the_interface_keep_the_memory_that_they_were_told_of(self):
        start = self.filled(legacy=0, pool=1)
        memory = device_buffers._Allocation()
        made = DeviceClusterArray(dtypes.from_wire("float32"), (6,), cuda.devices()[0], DeviceMemory(start, memory))
        self.assertEqual(made.__cuda_array_interface__["data"][0], start)
        sharing.make_grant(made).close()
        self.assertIn(memory, made._memory().keep)

    def test_arrays_without_elements_stay_on_their_device(self):
        class Empty(Foreign):
            def __dlpack_device__(self):
                return dlpack.CUDA, 0

            def __dlpack__(self, **arguments):
                raise BufferError

        for thing in (Foreign(0, (0, 3)), Empty(0, (0, 3))):
            made = ClusterArray.wrap(thing)
            self.assertEqual((made.device, made.shape, made.host_frames()[1], made.device_frames()[1]), ("cuda:0", (0, 3), [], []))
            back = DeviceClusterArray.from_device_frames(made.header(), [])
            self.assertEqual((back.device, back.shape, back.__cuda_array_interface__["data"][0]), ("cuda:0", (0, 3), 0))
            self.assertEqual(pickle.loads(pickle.dumps(made)).device, "cuda:0")
            export = sharing.make_grant(made)
            self.assertEqual((export.way, export.grant()["event"]), ("none", None))
            export.close()


class Frames(ClusterTest):
    def array(self):
        return ClusterArray.wrap(Foreign(self.filled()))

    def test_a_device_frame_is_one_dimension_of_bytes_and_is_wrapped_on_arrival(self):
        made = self.array()
        header, (frame,) = made.device_frames()
        self.assertEqual(frame.nbytes, 24)
        interface = frame.__cuda_array_interface__
        self.assertIs(type(interface), dict)
        pointer = made.__cuda_array_interface__["data"][0]
        self.assertEqual((interface["shape"], interface["typestr"], interface["data"][0]), ((24,), "|u1", pointer))
        arrived = DeviceClusterArray.from_device_frames(header, [frame])
        self.assertEqual(arrived.__cuda_array_interface__["data"], (pointer, True))
        self.assertEqual((arrived.shape, arrived.dtype, self.content(arrived)), ((2, 3), "float32", NUMBERS))

    def test_host_frames_return_to_the_gpu_and_are_complete(self):
        header, frames = self.array().host_frames()
        self.assertEqual(bytes(frames[0]), NUMBERS)
        self.driver.calls.clear()
        back = DeviceClusterArray.from_host_frames(header, frames)
        self.assertEqual((back.device, self.content(back)), ("cuda:0", NUMBERS))
        self.assertEqual(self.driver.names()[:3], ["cuMemAlloc_v2", "cuMemcpyHtoD_v2", "cuStreamSynchronize"])
        for protocol in (4, 5):
            self.assertEqual(self.content(pickle.loads(pickle.dumps(self.array(), protocol))), NUMBERS)

    def test_a_spilled_array_returns_to_its_device_and_others_go_to_the_first(self):
        class Device:
            def __init__(self, ordinal):
                self.ordinal = ordinal

        devices = [Device(0), Device(1)]
        with mock.patch.object(cuda, "devices", lambda: devices):
            for process, ordinal in ((device_arrays._PROCESS, 1), ("another", 0)):
                self.assertIs(device_arrays._arrival({"process": process, "ordinal": 1}), devices[ordinal])

    def test_without_a_gpu_the_array_arrives_in_host_memory(self):
        def fail():
            raise IpcError("there is no driver here")

        header, frames = self.array().host_frames()
        for devices in (fail, list):
            with mock.patch.object(cuda, "devices", devices):
                back = DeviceClusterArray.from_host_frames(header, frames)
            self.assertIsInstance(back, HostClusterArray)
            self.assertEqual(bytes(back.memoryview().cast("B")), NUMBERS)

    def test_small_types_have_frames_although_the_interface_has_no_type_for_them(self):
        start = self.filled()
        keep = DeviceMemory(start, None)
        made = DeviceClusterArray(dtypes.from_wire("bfloat16"), (3, 4), cuda.devices()[0], keep)
        self.assertFalse(hasattr(made, "__cuda_array_interface__"))
        arrived = DeviceClusterArray.from_device_frames(*made.device_frames())
        self.assertEqual((arrived.dtype, arrived.shape, self.content(arrived)), ("bfloat16", (3, 4), NUMBERS))
        export = sharing.make_grant(made)
        self.assertEqual(export.grant()["view"]["dtype"], "bfloat16")
        export.close()


class Libraries(ClusterTest):
    def fake(self, used):
        """Modules with the functions that allocate in each library."""

        def buffer(size):
            used.append("rmm")
            return types.SimpleNamespace(ptr=self.driver.allocate(size))

        def alloc(size):
            used.append("cupy")
            return types.SimpleNamespace(ptr=self.driver.allocate(size))

        def device_array(size, dtype):
            used.append("numba")
            return types.SimpleNamespace(__cuda_array_interface__={"data": (self.driver.allocate(size), False)})

        nothing = mock.MagicMock()
        return {
            "rmm": types.SimpleNamespace(DeviceBuffer=lambda size: buffer(size)),
            "cupy": types.SimpleNamespace(cuda=types.SimpleNamespace(Device=nothing, Stream=nothing, alloc=alloc)),
            "numba.cuda": types.SimpleNamespace(gpus=[nothing], device_array=device_array),
        }

    def test_memory_is_of_the_first_library_that_is_there(self):
        used = []
        modules = self.fake(used)
        device = cuda.devices()[0]
        for here, expected in ((["rmm", "cupy"], "rmm"), (["cupy", "numba.cuda"], "cupy"), (["numba.cuda"], "numba")):
            with mock.patch.dict(sys.modules, {name: modules[name] for name in here}):
                device_buffers.allocate(device, 24)
            self.assertEqual(used.pop(), expected)
        with mock.patch.dict(sys.modules, {"cupy": modules["cupy"]}), mock.patch.object(device_buffers, "_importable", lambda: "rmm"):
            device_buffers.allocate(device, 24)
        self.assertEqual(used.pop(), "cupy")
        device_buffers.allocate(device, 24)
        self.assertEqual((used, self.driver.names().count("cuMemAlloc_v2")), ([], 1))

    def test_a_library_that_cannot_be_imported_is_passed_over(self):
        def fail(name):
            raise RuntimeError("its CUDA libraries are missing")

        with mock.patch.object(device_buffers.importlib, "import_module", fail):
            self.assertIsNone(importable())

    def test_host_copies_are_page_locked_where_cupy_is(self):
        asked = []

        def alloc(size):
            asked.append(size)
            return bytearray(size)

        cupy = types.SimpleNamespace(cuda=types.SimpleNamespace(alloc_pinned_memory=alloc))
        with mock.patch.dict(sys.modules, {"cupy": cupy}):
            self.assertEqual([page_locked.host_buffer(size).nbytes for size in (0, 1, 1000, 1 << 20, (64 << 20) + 1)][2:4], [1000, 1 << 20])
        self.assertEqual(asked, [1, 1024, 1 << 20])
        self.assertEqual(page_locked.host_buffer(5000).nbytes, 5000)


importable = device_buffers._importable.__wrapped__

if __name__ == "__main__":
    unittest.main()
