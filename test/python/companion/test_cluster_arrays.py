"""Arrays of a cluster in host memory, without Dask."""

import array
import copy
import errno
import gc
import json
import os
import pickle
import threading
import unittest
import weakref
from unittest import mock

from stridelab import sharing
from stridelab.cluster import host_blocks
from stridelab.cluster.arrays import ClusterArray
from stridelab.sharing import dlpack, dtypes, memory_files, reaper
from stridelab.sharing.errors import IpcError

# Elements that take more memory than an array in ordinary memory has.
LARGE = 20_000


def passed_on(export):
    """Opens the array of a grant that was converted to JSON and back."""
    return sharing.open_grant(json.loads(json.dumps(export.grant())), [os.dup(descriptor) for descriptor in export.files])


class Described:
    """An array of any dtype and layout in host memory."""

    def __init__(self, data, wire, shape, strides=None, offset=0):
        found = dtypes.from_wire(wire)
        self.dtype = found
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": found.typestr or f"|V{found.itemsize}",
            "strides": strides,
            "data": data,
            "offset": offset,
            **({"descr": found.descr} if found.descr else {}),
        }


class Cluster(unittest.TestCase):
    def tearDown(self):
        gc.collect()
        self.assertTrue(reaper.idle())

    def owned(self, thing):
        export = sharing.make_grant(thing)
        with passed_on(export) as opened:
            made = ClusterArray.own(opened)
        export.close()
        return made

    def bytes_of(self, made):
        """The elements through a grant, as another process reads them."""
        export = sharing.make_grant(made)
        with passed_on(export) as opened:
            target = bytearray(max(opened.nbytes, 1))
            opened.pack_into(memory_files.address_of(target))
            self.assertTrue(opened.readonly)
            self.assertEqual((opened.dtype, opened.shape), (made.dtype, made.shape))
            result = bytes(target[: opened.nbytes])
        export.close()
        return result


class Owned(Cluster):
    def test_it_is_a_copy_that_outlives_the_owner_and_is_shared_without_another(self):
        for size, copied in ((3, True), (LARGE, False)):
            source = array.array("d", range(size))
            made = self.owned(source)
            self.assertIsInstance(made, ClusterArray)
            self.assertEqual((made.shape, made.dtype, made.ndim, made.size, made.device), ((size,), "float64", 1, size, "cpu"))
            self.assertEqual((made.nbytes, made.strides, made.itemsize, made.readonly, len(made)), (size * 8, (8,), 8, True, size))
            self.assertEqual(repr(made), f"<stridelab.HostClusterArray shape=({size},) dtype=float64 device=cpu readonly>")
            for _ in range(2):
                export = sharing.make_grant(made)
                # Each memory file takes a descriptor, so small arrays have none of their own.
                self.assertEqual((export.way, export.copied), ("memfd", copied))
                export.close()
            self.assertEqual((self.bytes_of(made), made.memoryview().tolist()), (source.tobytes(), source.tolist()))

    def test_small_arrays_take_no_descriptors(self):
        before = len(os.listdir("/proc/self/fd"))
        kept = [self.owned(b"abcd") for _ in range(20)]
        for made in kept:
            sharing.make_grant(made).close()
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_the_limit_of_open_files_is_raised_and_then_named(self):
        def full(nbytes):
            raise OSError(errno.EMFILE, "Too many open files")

        limits = [(1024, 4096)]
        with mock.patch.object(host_blocks, "resource") as resource, mock.patch.object(host_blocks, "make_block", full):
            resource.getrlimit = lambda _: limits[-1]
            resource.setrlimit = lambda _, limit: limits.append(limit)
            for word in ("Too many open files", "ulimit -Hn"):
                with self.assertRaisesRegex(OSError, word):
                    host_blocks.allocate(LARGE * 8)
        self.assertEqual(limits[1:], [(4096, 4096)])

    def test_other_layouts_are_packed(self):
        made = self.owned(memoryview(bytes(range(9)))[::-4])
        self.assertEqual((made.memoryview().tolist(), made.strides), ([8, 4, 0], (1,)))

    def test_scalars_and_arrays_without_elements(self):
        scalar = self.owned(Described(memoryview(array.array("f", [2.5])), "float32", ()))
        self.assertEqual((scalar.shape, scalar.nbytes, scalar.memoryview().tolist()), ((), 4, 2.5))
        with self.assertRaises(TypeError):
            len(scalar)
        empty = self.owned(Described(b"", "float32", (2, 0, 3)))
        self.assertEqual((empty.shape, empty.size, empty.strides, self.bytes_of(empty)), ((2, 0, 3), 0, (12, 12, 4), b""))

    def test_a_closed_array_cannot_be_owned(self):
        export = sharing.make_grant(b"abc")
        with passed_on(export) as opened:
            pass
        with self.assertRaisesRegex(ValueError, "closed"):
            ClusterArray.own(opened)
        export.close()


class Wrapped(Cluster):
    def test_the_memory_is_the_object_s_and_lives_as_long_as_it_is_used(self):
        class Kept(bytearray):
            pass

        source = Kept(b"abcd")
        ended = weakref.ref(source)
        made = ClusterArray.wrap(source)
        source[0] = 120
        self.assertEqual(bytes(made.memoryview()), b"xbcd")
        self.assertIs(ClusterArray.wrap(made), made)
        view = made.memoryview()
        del source, made
        gc.collect()
        self.assertIsNotNone(ended())
        del view
        gc.collect()
        self.assertIsNone(ended())

    def test_nobody_can_write(self):
        made = ClusterArray.wrap(bytearray(b"abcd"))
        with self.assertRaises(TypeError):
            made.memoryview()[0] = 1
        with self.assertRaises(TypeError):
            made.__array_interface__["data"][0] = 1
        capsule = made.__dlpack__(max_version=(1, 0))
        managed = dlpack._Versioned.from_address(dlpack._pointer_of(capsule, b"dltensor_versioned"))
        self.assertEqual(managed.flags, dlpack.READ_ONLY)
        with self.assertRaisesRegex(BufferError, "rule 137"):
            made.__dlpack__()
        # A copy belongs to its consumer.
        made.__dlpack__(copy=True)

    def test_a_capsule_of_another_library_is_released_once(self):
        ends = []

        class Producer:
            def __dlpack_device__(self):
                return dlpack.CPU, 0

            def __dlpack__(self, **arguments):
                memory = array.array("f", [1, 2])
                kept = memory_files.make_block(8)
                kept[:] = memory.tobytes()
                weakref.finalize(kept, ends.append, 1)
                view = sharing.layout.view_over(dtypes.from_wire("float32"), (2,), (4,), False)
                return dlpack.export(memory_files.address_of(kept), view, (1, 0), 0, arguments["max_version"], kept)

        made = ClusterArray.wrap(Producer())
        self.assertEqual((made.memoryview().tolist(), ends), ([1, 2], []))
        del made
        gc.collect()
        dlpack.sweep()
        self.assertEqual(ends, [1])

    def test_the_first_grant_moves_the_elements_to_memory_that_can_be_shared(self):
        source = bytes(range(256)) * LARGE
        made = ClusterArray.wrap(source)
        old = made.memoryview()
        addresses = set()
        threads = [threading.Thread(target=lambda: addresses.add(memory_files.address_of(self.granted(made)))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(addresses), 1)
        self.assertNotIn(memory_files.address_of(source), addresses)
        self.assertEqual((self.bytes_of(made), bytes(old)), (source, source))

    def granted(self, made):
        sharing.make_grant(made).close()
        return made.memoryview()

    def test_memory_that_can_be_shared_stays(self):
        block = memoryview(memory_files.make_block(LARGE * 4)).cast("i", (2, LARGE // 2))
        made = ClusterArray.wrap(block)
        export = sharing.make_grant(made)
        with passed_on(export) as opened:
            block[1, 1] = 7
            self.assertEqual((export.copied, opened.memoryview()[1, 1]), (False, 7))
        export.close()

    def test_what_cannot_be_wrapped_says_why(self):
        export = sharing.make_grant(b"abc")
        with passed_on(export) as opened, self.assertRaisesRegex(IpcError, "ClusterArray.own"):
            ClusterArray.wrap(opened)
        export.close()
        with self.assertRaisesRegex(IpcError, "int is not an array"):
            ClusterArray.wrap(3)


class Pickled(Cluster):
    def round_trip(self, made, protocol):
        buffers = []
        if protocol < 5:
            return pickle.loads(pickle.dumps(made, protocol))
        data = pickle.dumps(made, protocol, buffer_callback=buffers.append)
        return pickle.loads(data, buffers=buffers)

    def test_every_dtype_and_shape_comes_back(self):
        record = [["a", "<i4"], ["b", "<f8", [2]]]
        names = [*dtypes._FIXED, "bytes5", "str3", "void8", "datetime64[ns]", "timedelta64[s]", record]
        for wire in names:
            itemsize = dtypes.from_wire(wire).itemsize
            data = bytes(range(6 * itemsize))
            for shape, strides, offset, content in (
                ((2, 3), None, 0, data),
                ((), None, 0, data[:itemsize]),
                ((0, 3), None, 0, b""),
                ((6,), (-itemsize,), 5 * itemsize, b"".join(data[i * itemsize : (i + 1) * itemsize] for i in reversed(range(6)))),
            ):
                for made in (f(Described(data, wire, shape, strides, offset)) for f in (ClusterArray.wrap, self.owned)):
                    for protocol in (4, 5):
                        back = self.round_trip(made, protocol)
                        self.assertEqual((type(back), back.dtype, back.shape, back.readonly), (type(made), made.dtype, made.shape, True))
                        self.assertEqual(back._view.dtype, made._view.dtype)
                        self.assertEqual(self.bytes_of(back), content)

    def test_protocol_5_passes_the_memory_itself(self):
        made = ClusterArray.wrap(bytearray(1000))
        buffers = []
        self.assertLess(len(pickle.dumps(made, 5, buffer_callback=buffers.append)), 400)
        self.assertEqual(memory_files.address_of(buffers[0]), memory_files.address_of(made.memoryview()))
        back = self.round_trip(made, 5)
        self.assertEqual(memory_files.address_of(back.memoryview()), memory_files.address_of(made.memoryview()))

    def test_copies_are_equal(self):
        made = ClusterArray.wrap(b"abcd")
        for back in (copy.copy(made), copy.deepcopy(made)):
            self.assertEqual(bytes(back.memoryview()), b"abcd")

    def test_a_buffer_of_another_size_is_refused(self):
        restore, (header, _) = ClusterArray.wrap(b"abcd").__reduce_ex__(5)
        with self.assertRaisesRegex(ValueError, "3 bytes, but uint8 elements"):
            restore(header, [b"abc"])


if __name__ == "__main__":
    unittest.main()
