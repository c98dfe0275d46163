"""
Arrays of a cluster on a real GPU, with CuPy and, where they are installed, Dask, RMM, Numba, PyTorch and JAX:

    PYTHONPATH=python python -m unittest discover -v -s test/gpu/cluster
"""

import contextlib
import importlib
import subprocess
import sys
import unittest
from unittest import mock

import numpy
import stridelab
from stridelab import sharing
from stridelab.cluster import device_buffers, page_locked
from stridelab.cluster.arrays import ClusterArray
from stridelab.cluster.device_arrays import DeviceClusterArray
from stridelab.sharing import cuda, dtypes
from stridelab.sharing.device_array import DeviceMemory

try:
    import cupy

    cupy.cuda.runtime.getDeviceCount()
except Exception:
    cupy = None

COUNT = 1 << 20
LIBRARIES = {"rmm": "rmm", "cupy": "cupy", "numba.cuda": "numba"}

# Work of some 50 ms is pending when the array is shared.
OWNER = f"""
import sys, cupy, stridelab
busy = cupy.zeros(1 << 26, "f4")
x = cupy.arange({COUNT}, dtype="f4")
cupy.cuda.Device().synchronize()
for _ in range(200):
    busy += 1
x *= 2
with stridelab.share(x) as lease:
    print(lease, flush=True)
    sys.stdin.read()
"""
READER = """
import sys, cupy, stridelab
with stridelab.open(sys.argv[1]) as opened, cupy.cuda.Device(opened.use.device.ordinal):
    x = cupy.from_dlpack(opened)
    print(int(x.view("u4").astype("u8").sum()), opened.readonly)
    del x
"""


def has(*names):
    for name in names:
        try:
            importlib.import_module(name)
        except Exception:
            return False
    return True


def total(numbers):
    """A sum over the bits, which is exact."""
    return int(numpy.asarray(numbers).view("u4").astype("u8").sum())


def content(made):
    _, frames = made.host_frames()
    return numpy.frombuffer(frames[0], "f4").reshape(made.shape)


@unittest.skipIf(cupy is None, "there is no CuPy with a GPU")
class GpuTest(unittest.TestCase):
    def read_elsewhere(self, made):
        """What another process reads from the array, and whether it was shared without a copy."""
        with self.unless_withheld(), stridelab.share(made) as lease:
            self.assertFalse(lease.copied)
            read = subprocess.run([sys.executable, "-c", READER, str(lease)], capture_output=True, text=True)
            if read.returncode != 0 and "IpcError" in read.stderr:
                self.skipTest(read.stderr.strip().split("\n")[-1])
            self.assertEqual(read.returncode, 0, read.stderr)
        self.assertTrue(lease.drained(30))
        found, read_only = read.stdout.split()
        self.assertEqual(read_only, "True")
        return int(found)

    @contextlib.contextmanager
    def unless_withheld(self):
        """Skips the test where the driver does not share memory, as in some containers."""
        try:
            yield
        except sharing.IpcError as error:
            if "driver refused" not in str(error) and "could not be opened" not in str(error):
                raise
            self.skipTest(str(error))


class Owned(GpuTest):
    def test_the_copy_has_the_owner_s_pending_work_outlives_it_and_is_shared_on(self):
        owner = subprocess.Popen([sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            token = owner.stdout.readline().strip()
            for stream in (None, cupy.cuda.Stream(non_blocking=True)):
                with self.unless_withheld(), stridelab.open(token, stream=stream) as opened:
                    made = ClusterArray.own(opened)
        finally:
            owner.kill()
            owner.communicate()
        expected = numpy.arange(COUNT, dtype="f4") * 2
        numpy.testing.assert_array_equal(content(made), expected)
        self.assertEqual(self.read_elsewhere(made), total(expected))

    def test_memory_of_each_library_can_be_shared(self):
        device = cuda.devices()[0]
        for name in (*LIBRARIES, None):
            hidden = [other for other in LIBRARIES if other != name]
            if name is not None and not has(name):
                continue
            with self.subTest(name), mock.patch.dict(sys.modules), mock.patch.object(device_buffers, "_importable", lambda: None):
                for other in hidden:
                    sys.modules.pop(other, None)
                memory = device_buffers.allocate(device, COUNT * 4)
                self.assertIn(LIBRARIES.get(name, "stridelab"), type(memory.keep).__module__)
                made = DeviceClusterArray(dtypes.from_wire("float32"), (COUNT,), device, memory)
                ClusterArray.wrap(cupy.arange(COUNT, dtype="f4")).copy_into(memory.pointer)
                numpy.testing.assert_array_equal(content(made), numpy.arange(COUNT, dtype="f4"))
                self.assertEqual(self.read_elsewhere(made), total(numpy.arange(COUNT, dtype="f4")))


class Wrapped(GpuTest):
    def test_pending_work_is_waited_for_before_frames_leave(self):
        copies = cupy.cuda.Stream(non_blocking=True)
        for number in range(1, 6):
            for leave in ("host_frames", "device_frames"):
                work = cupy.cuda.Stream(non_blocking=True)
                busy, x = cupy.zeros(1 << 26, "f4"), cupy.zeros(COUNT, "f4")
                cupy.cuda.Device().synchronize()
                with work:
                    for _ in range(100):
                        busy += 1
                    x += number
                    made = ClusterArray.wrap(x)
                _, (frame,) = getattr(made, leave)()
                if leave == "host_frames":
                    seen = numpy.frombuffer(frame, "f4")
                else:
                    with copies:
                        seen = cupy.asnumpy(cupy.asarray(frame).view("f4"))
                self.assertEqual((seen.min(), seen.max()), (number, number))

    def test_each_library_sees_the_same_memory(self):
        x = cupy.arange(COUNT, dtype="f4").reshape(4, -1)
        made = ClusterArray.wrap(x)
        takes = {
            "cupy": lambda library: (cupy.asarray(made).data.ptr, cupy.from_dlpack(made).data.ptr),
            "torch": lambda library: (library.from_dlpack(made).data_ptr(),),
            "numba.cuda": lambda library: (library.as_cuda_array(made).__cuda_array_interface__["data"][0],),
            "jax": lambda library: (library.numpy.from_dlpack(made).unsafe_buffer_pointer(),),
        }
        for name, take in takes.items():
            if has(name):
                with self.subTest(name):
                    try:
                        found = set(take(importlib.import_module(name)))
                    except BufferError as error:
                        # A library that does not ask for DLPack 1.0 cannot see that the array is read-only.
                        self.assertIn("DLPack 1.0", str(error))
                        continue
                    self.assertEqual(found, {x.data.ptr})
        with self.assertRaisesRegex(ValueError, "ascontiguousarray"):
            ClusterArray.wrap(x.T)

    def test_memory_that_cannot_be_shared_is_copied_once(self):
        pools = {"async": cupy.cuda.MemoryAsyncPool().malloc, "managed": cupy.cuda.malloc_managed}
        for name, allocator in pools.items():
            with self.subTest(name):
                with cupy.cuda.using_allocator(allocator):
                    x = cupy.arange(COUNT, dtype="f4")
                made, expected = ClusterArray.wrap(x), total(cupy.asnumpy(x))
                self.assertEqual(self.read_elsewhere(made), expected)
                moved = made._memory().pointer
                self.assertNotEqual(moved, x.data.ptr)
                self.assertEqual(self.read_elsewhere(made), expected)
                self.assertEqual(made._memory().pointer, moved)


@unittest.skipUnless(has("distributed"), "Dask is not installed")
class Serialized(GpuTest):
    def test_over_ucx_over_tcp_and_spilled(self):
        from distributed.protocol import deserialize, deserialize_bytes, serialize, serialize_bytes

        numbers = numpy.arange(24, dtype="f4").reshape(4, 6)
        x = cupy.asarray(numbers)
        made = ClusterArray.wrap(x)
        header, frames = serialize(made, serializers=("cuda", "dask", "pickle", "error"))
        self.assertEqual(header["serializer"], "cuda")
        # As the communication receives it.
        received = cupy.asarray(frames[0]).copy()
        for back in (deserialize(header, [received]), deserialize(*serialize(made)), deserialize_bytes(serialize_bytes(made))):
            self.assertEqual((type(back), back.device, back.shape), (DeviceClusterArray, "cuda:0", (4, 6)))
            numpy.testing.assert_array_equal(content(back), numbers)
        large = cupy.arange(COUNT * 32, dtype="f4")
        back = deserialize(*serialize(ClusterArray.wrap(large)))
        self.assertTrue(bool((cupy.asarray(back) == large).all()))

    def test_bfloat16_and_arrays_without_elements(self):
        from distributed.protocol import deserialize, serialize

        bits = cupy.arange(24, dtype="u2").reshape(4, 6)
        made = DeviceClusterArray(dtypes.from_wire("bfloat16"), (4, 6), cuda.devices()[0], DeviceMemory(bits.data.ptr, bits))
        for families in (("cuda",), ("dask",)):
            back = deserialize(*serialize(made, serializers=families))
            self.assertEqual((back.dtype, back.shape, back.device), ("bfloat16", (4, 6), "cuda:0"))
            self.assertEqual(bytes(back.host_frames()[1][0]), bits.tobytes())
            empty = deserialize(*serialize(ClusterArray.wrap(cupy.zeros((0, 3))), serializers=families))
            self.assertEqual((empty.shape, empty.device), ((0, 3), "cuda:0"))

    @unittest.skipIf(cupy is None or cupy.cuda.runtime.getDeviceCount() < 2, "this needs two GPUs")
    def test_a_spilled_array_returns_to_its_own_gpu(self):
        from distributed.protocol import deserialize_bytes, serialize_bytes

        with cupy.cuda.Device(1):
            made = ClusterArray.wrap(cupy.arange(COUNT, dtype="f4"))
        back = deserialize_bytes(serialize_bytes(made))
        self.assertEqual((made.device, back.device), ("cuda:1", "cuda:1"))
        numpy.testing.assert_array_equal(content(back), numpy.arange(COUNT, dtype="f4"))


class HostCopies(GpuTest):
    def test_small_copies_are_page_locked_and_large_ones_are_not(self):
        for size, locked in ((1000, True), (1 << 20, True), (65 << 20, False)):
            address = numpy.frombuffer(page_locked.host_buffer(size), "u1").ctypes.data
            kind = cupy.cuda.runtime.pointerGetAttributes(address).type
            self.assertEqual(kind == cupy.cuda.runtime.memoryTypeHost, locked)


if __name__ == "__main__":
    unittest.main()
