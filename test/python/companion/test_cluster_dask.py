"""How Dask serializes arrays of a cluster, without a cluster. Skipped where Dask is not installed."""

import ctypes
import sys
import types
import unittest
from unittest import mock

from fake_cuda import FakeDriver
from stridelab import sharing
from stridelab.cluster.arrays import ClusterArray
from stridelab.cluster.device_arrays import DeviceClusterArray
from stridelab.cluster.registration import register_on_device
from stridelab.sharing import cuda, dtypes
from stridelab.sharing.device_array import DeviceMemory
from stridelab.sharing.memory_files import address_of

try:
    import dask
    from dask.sizeof import sizeof
    from dask.tokenize import tokenize
    from distributed.protocol import deserialize, deserialize_bytes, dumps, loads, pickle, serialize, serialize_bytes, to_serialize
    from distributed.protocol.serialize import merge_and_deserialize, serialize_and_split
except ImportError:
    dask = None

UCX = ("cuda", "dask", "pickle", "error")


def content(made):
    target = bytearray(max(made.nbytes, 1))
    address = address_of(target)
    made.read_into(address) if isinstance(made, DeviceClusterArray) else made.pack_into(address)
    return bytes(target[: made.nbytes])


def over_tcp(made, **context):
    """Sends a message as Dask's TCP does: frames are split and compressed, and arrive in writable memory."""
    sent = dumps({"x": to_serialize(made)}, context=context, frame_split_size=1000)
    return loads([memoryview(bytearray(frame)) for frame in sent])["x"]


@unittest.skipIf(dask is None, "Dask is not installed")
class Host(unittest.TestCase):
    ways = (
        lambda made: deserialize(*serialize(made)),
        lambda made: merge_and_deserialize(*serialize_and_split(made, size=16)),
        lambda made: deserialize_bytes(serialize_bytes(made, compression="zlib")),
        lambda made: loads(dumps({"x": to_serialize(made)}, serializers=UCX))["x"],
        lambda made: deserialize(*serialize([made], serializers=UCX))[0],
        lambda made: pickle.loads(pickle.dumps((made, lambda: 1)))[0],
        over_tcp,
        lambda made: over_tcp(made, compression="zlib"),
    )

    def test_every_way_and_size_comes_back(self):
        for size in (0, 1, 100, 40_000):
            data = bytes(size % 251 for size in range(size))
            for made in (ClusterArray.wrap(data), ClusterArray.wrap(bytearray(data))):
                for way in self.ways:
                    back = way(made)
                    self.assertEqual((type(back), back.shape, back.dtype, back.readonly), (type(made), (size,), "uint8", True))
                    self.assertEqual(content(back), data)

    def test_every_dtype_comes_back(self):
        for wire in (*dtypes._FIXED, "str3", "datetime64[ns]", [["a", "<i4"], [["title", "b"], "<f8", [2]]]):
            found = dtypes.from_wire(wire)
            made = type(ClusterArray.wrap(b""))(found, (2, 3), bytes(range(6 * found.itemsize)))
            back = over_tcp(made)
            self.assertEqual((back._view, content(back)), (made._view, content(made)))

    def test_frames_are_the_memory(self):
        made = ClusterArray.wrap(bytearray(1000))
        _, frames = serialize(made)
        self.assertEqual(address_of(frames[-1]), address_of(made.memoryview()))
        back = deserialize(*serialize(made))
        self.assertEqual(address_of(back.memoryview()), address_of(made.memoryview()))

    def test_size_and_token(self):
        made = ClusterArray.wrap(bytes(1000))
        self.assertEqual(sizeof(made), 1000)
        self.assertEqual(tokenize(made), tokenize(ClusterArray.wrap(bytes(1000))))
        others = [bytes(999), bytes(999) + b"1", memoryview(bytes(1000)).cast("b"), memoryview(bytes(1000)).cast("B", (2, 500))]
        self.assertEqual(len({tokenize(ClusterArray.wrap(one)) for one in [made, *others]}), 5)


@unittest.skipIf(dask is None, "Dask is not installed")
class Device(unittest.TestCase):
    def setUp(self):
        self.driver = FakeDriver()
        cuda._devices.cache_clear()
        self.addCleanup(cuda._devices.cache_clear)
        patch = mock.patch.object(cuda, "_load", lambda: self.driver)
        patch.start()
        self.addCleanup(patch.stop)

    def array(self, size=100, wire="uint8"):
        data = bytes(range(size))
        found = dtypes.from_wire(wire)
        start = self.driver.allocate(max(size, 1))
        ctypes.memmove(start, data, size)
        return DeviceClusterArray(found, (size // found.itemsize,), cuda.devices()[0], DeviceMemory(start, None))

    def test_ucx_gets_a_frame_on_the_device_and_tcp_one_on_the_host(self):
        for wire in ("uint8", "float32", "bfloat16"):
            made = self.array(wire=wire)
            header, frames = serialize(made, serializers=UCX)
            self.assertEqual((header["serializer"], frames[0].nbytes), ("cuda", 100))
            self.assertTrue(hasattr(frames[0], "__cuda_array_interface__"))
            self.assertEqual(tuple(header["compression"]), (False,))
            back = deserialize(header, frames, deserializers=UCX)
            self.assertEqual((type(back), back.dtype, content(back)), (DeviceClusterArray, wire, content(made)))
            back = over_tcp(made, compression="zlib")
            self.assertEqual((type(back), back.dtype, content(back)), (DeviceClusterArray, wire, content(made)))

    def test_a_message_over_ucx_keeps_the_frame_as_it_is(self):
        for size in (0, 100):
            made = self.array(size)
            sent = dumps([{"x": to_serialize(made)}], serializers=UCX)
            self.assertEqual([hasattr(frame, "__cuda_array_interface__") for frame in sent].count(True), int(size > 0))
            (message,) = loads(sent, deserializers=UCX)
            self.assertEqual((message["x"].device, content(message["x"])), ("cuda:0", bytes(range(size))))

    def test_spilling_and_tokens(self):
        made = self.array()
        back = deserialize_bytes(serialize_bytes(made))
        self.assertEqual((back.device, content(back), sizeof(back)), ("cuda:0", content(made), 100))
        self.assertEqual(tokenize(made), tokenize(back))
        self.assertNotEqual(tokenize(made), tokenize(ClusterArray.wrap(content(made))))
        export = sharing.make_grant(back)
        self.assertEqual(export.way, "legacy")
        export.close()

    def test_dask_cuda_takes_arrays_without_the_interface_for_device_objects(self):
        asked = {}

        class Dispatch:
            def register(self, cls):
                return lambda function: asked.setdefault(cls, function)

        module = types.ModuleType("dask_cuda.is_device_object")
        module.is_device_object = Dispatch()
        with mock.patch.dict(sys.modules, {"dask_cuda": types.ModuleType("dask_cuda"), "dask_cuda.is_device_object": module}):
            register_on_device(DeviceClusterArray)
        self.assertTrue(asked[DeviceClusterArray](self.array(wire="bfloat16")))


if __name__ == "__main__":
    unittest.main()
