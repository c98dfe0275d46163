"""Capsules that the companion package exports, and capsules that it imports."""

import ctypes
import gc
import threading
import unittest

from stridelab.sharing import dlpack, reaper
from stridelab.sharing.dtypes import from_wire
from stridelab.sharing.errors import IpcError
from stridelab.sharing.layout import view_over

FLOAT = from_wire("float32")
CPU = (1, 0)


class Kept:
    """Memory that records when it is freed."""

    def __init__(self, ends):
        self.memory = ctypes.create_string_buffer(64)
        self.address = ctypes.addressof(self.memory)
        self.ends = ends

    def __del__(self):
        self.ends.append(1)


def take(capsule):
    """Takes the tensor from a capsule, as a consumer does."""
    name = dlpack._name_of(capsule)
    address = dlpack._pointer_of(capsule, name)
    dlpack._set_name(capsule, dlpack._USED[name])
    return (dlpack._Versioned if name == b"dltensor_versioned" else dlpack._Managed).from_address(address), address


def drop(managed, address):
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)(address)


class Exports(unittest.TestCase):
    def setUp(self):
        self.ends = []

    def export(self, shape=(2, 3), strides=(12, 4), dtype=FLOAT, flags=0, version=(1, 0)):
        kept = Kept(self.ends)
        return dlpack.export(kept.address, view_over(dtype, shape, strides, False), CPU, flags, version, kept)

    def test_rule_167_a_capsule_that_nobody_takes_frees_what_it_keeps(self):
        capsule = self.export()
        dlpack.sweep()
        self.assertEqual(self.ends, [])
        del capsule
        dlpack.sweep()
        self.assertEqual(self.ends, [1])

    def test_rules_168_171_the_deleter_runs_on_any_thread_and_what_it_frees_goes_once(self):
        capsule = self.export()
        managed, address = take(capsule)
        del capsule
        dlpack.sweep()
        self.assertEqual(self.ends, [])
        thread = threading.Thread(target=drop, args=(managed, address))
        thread.start()
        thread.join()
        dlpack.sweep()
        dlpack.sweep()
        self.assertEqual(self.ends, [1])

    def test_rules_110_115_118_121_the_struct_says_what_the_array_is(self):
        for version, kind in (((1, 3), dlpack._Versioned), ((0, 8), dlpack._Managed), (None, dlpack._Managed)):
            capsule = self.export((2, 1, 3), (-24, 999, 8), version=version)
            managed, address = take(capsule)
            self.assertIsInstance(managed, kind)
            tensor = managed.tensor
            self.assertEqual((tensor.ndim, tensor.code, tensor.bits, tensor.lanes), (3, 2, 32, 1))
            self.assertEqual((ctypes.c_int64 * 3).from_address(tensor.shape)[:], [2, 1, 3])
            self.assertEqual((ctypes.c_int64 * 3).from_address(tensor.strides)[:], [-6, 1, 2])
            drop(managed, address)
            del capsule
        dlpack.sweep()
        self.assertEqual(self.ends, [1, 1, 1])

    def test_rules_111_128_empty_arrays_have_no_address_and_padded_types_say_so(self):
        managed, address = take(self.export((0, 3)))
        self.assertIsNone(managed.tensor.data)
        drop(managed, address)
        managed, address = take(self.export((4,), (1,), from_wire("int4")))
        self.assertEqual(managed.flags, dlpack.PADDED)
        drop(managed, address)

    def test_rules_120_131_137_what_cannot_be_said_is_a_BufferError(self):
        for arguments in (
            {"strides": (14, 4)},
            {"dtype": from_wire("datetime64[s]"), "strides": (24, 8)},
            {"flags": dlpack.READ_ONLY, "version": None},
            {"dtype": from_wire("int4"), "strides": (3, 1), "version": (0, 8)},
        ):
            with self.assertRaises(BufferError):
                self.export(**arguments)
        gc.collect()
        self.assertEqual(len(self.ends), 4)

    def test_many_exports_leave_nothing(self):
        for _ in range(2000):
            managed, address = take(self.export())
            drop(managed, address)
            dlpack.sweep()
        self.assertEqual(dlpack.outstanding(), 0)
        self.assertEqual(len(self.ends), 2000)


class Producer:
    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **arguments):
        if "max_version" in arguments:
            raise TypeError("from before version 1")
        return self.capsule


class Imports(unittest.TestCase):
    def producer(self, ends, **arguments):
        kept = Kept(ends)
        view = view_over(FLOAT, (2,), (-4,), False)
        return Producer(dlpack.export(kept.address, view, CPU, 0, arguments.get("version"), kept))

    def test_rules_116_145_an_old_producer_is_asked_without_a_version(self):
        ends = []
        found = dlpack.Import(self.producer(ends), None)
        self.assertEqual((found.shape, found.strides, found.dtype, found.device), ((2,), (-4,), FLOAT, CPU))
        found.release()
        found.release()
        dlpack.sweep()
        self.assertEqual(ends, [1])

    def test_rule_165_a_capsule_is_taken_once(self):
        producer = self.producer([])
        dlpack.Import(producer, None).release()
        with self.assertRaisesRegex(IpcError, "rule 165"):
            dlpack.Import(producer, None)

    def test_rules_108_168_another_major_version_is_refused_and_freed(self):
        ends = []
        producer = self.producer(ends, version=(1, 0))
        managed = dlpack._Versioned.from_address(dlpack._pointer_of(producer.capsule, b"dltensor_versioned"))
        managed.major = 2
        with self.assertRaisesRegex(IpcError, "rule 108"):
            dlpack.Import(producer, None)
        # The deleter overwrote it.
        self.assertNotIn(managed.major, (1, 2))
        dlpack.sweep()
        self.assertEqual(ends, [1])

    def test_rules_113_117_byte_offset_counts_and_no_strides_are_row_major(self):
        producer = self.producer([], version=(1, 0))
        managed = dlpack._Versioned.from_address(dlpack._pointer_of(producer.capsule, b"dltensor_versioned"))
        managed.tensor.byte_offset = 8
        managed.tensor.strides = None
        found = dlpack.Import(producer, None)
        self.assertEqual(found.pointer, managed.tensor.data + 8)
        self.assertEqual(found.strides, (4,))
        found.release()

    def test_backward_strides_that_were_divided_as_unsigned_numbers_are_backward(self):
        producer = self.producer([], version=(1, 0))
        managed = dlpack._Versioned.from_address(dlpack._pointer_of(producer.capsule, b"dltensor_versioned"))
        ctypes.c_int64.from_address(managed.tensor.strides).value = (2**64 - 12) // 4
        found = dlpack.Import(producer, None)
        self.assertEqual(found.strides, (-12,))
        found.release()


class Thread(unittest.TestCase):
    def test_the_thread_ends_when_nothing_is_left(self):
        ends = []
        kept = Kept(ends)
        capsule = dlpack.export(kept.address, view_over(FLOAT, (1,), (4,), False), CPU, 0, None, kept)
        reaper.watch()
        del kept, capsule
        self.assertTrue(reaper.idle())
        self.assertEqual(ends, [1])


if __name__ == "__main__":
    unittest.main()
