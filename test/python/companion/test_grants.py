"""Grants that are sent and opened in one process."""

import array
import json
import os
import unittest

from stridelab import sharing
from stridelab.sharing import dtypes, layout, memory_files, reaper, token
from stridelab.sharing.errors import IpcError
from stridelab.sharing.lease import Lease


def passed_on(export):
    """Opens the array of a grant that was converted to JSON and back."""
    files = [os.dup(descriptor) for descriptor in export.files]
    return sharing.open_grant(json.loads(json.dumps(export.grant())), files)


class Types(unittest.TestCase):
    def test_rules_32_to_44_every_name_has_one_type(self):
        names = list(dtypes._FIXED) + [
            "bytes5",
            "str3",
            "void8",
            "datetime64[ns]",
            "timedelta64",
            "datetime64[25us]",
            "float32_x4",
            "int4_x2",
        ]
        for name in names:
            found = dtypes.from_wire(name)
            self.assertEqual(found.name, name)
            if found.typestr is not None:
                self.assertEqual(dtypes.from_typestr(found.typestr), found)
            if found.dlpack is not None:
                self.assertEqual(dtypes.from_dlpack(*found.dlpack), found)
        sizes = [dtypes.from_wire(name).itemsize for name in ("bytes5", "str3", "void8", "float32_x4", "int4_x2", "int4", "bfloat16")]
        self.assertEqual(sizes, [5, 12, 8, 16, 1, 1, 2])

    def test_rules_46_47_records_come_back_as_numpy_writes_them(self):
        descr = [("a", "<i4"), (("title", "b"), "<f8", (2, 3)), ("", "|V4"), ("c", [("x", "|u1")])]
        found = dtypes.from_typestr("|V57", descr)
        self.assertEqual(found.itemsize, 57)
        wired = dtypes.from_wire(json.loads(json.dumps(found.wire)))
        self.assertEqual(wired.descr, descr)
        self.assertEqual(wired.itemsize, 57)

    def test_rules_41_42_131_what_cannot_cross_is_refused_by_name(self):
        for typestr, word in (("|O", "objects"), ("|O8", "objects"), (">f4", "big-endian"), ("<f16", "<f16"), ("nonsense", "typestr")):
            with self.assertRaisesRegex(IpcError, word):
                dtypes.from_typestr(typestr)
        for name in ("float128", "float32_x0", "int4_x3", "bytes0", 3, None):
            with self.assertRaises(IpcError):
                dtypes.from_wire(name)
        with self.assertRaisesRegex(IpcError, "rule 131"):
            dtypes.from_dlpack(99, 8, 1)


class Views(unittest.TestCase):
    def fields(self, **changed):
        fields = {"dtype": "float32", "shape": [2, 3], "strides": [-12, 4], "first": 12, "bytes": 24, "readOnly": False}
        return {**fields, **changed}

    def test_rules_23_24_the_extent_counts_backward_strides(self):
        self.assertEqual(layout.extent((2, 3), (-12, 4), 4), (-12, 12))
        self.assertEqual(layout.extent((0, 3), (-12, 4), 4), (0, 0))
        self.assertEqual(layout.extent((), (), 4), (0, 4))
        self.assertEqual(layout.extent((5,), (0,), 4), (0, 4))
        self.assertEqual(layout.read_view(self.fields()).first, 12)

    def test_rule_195_elements_outside_the_bytes_are_refused(self):
        for changed in ({"first": 8}, {"bytes": 23}, {"shape": [3, 3]}, {"strides": [-12, 5]}, {"shape": [2]}, {"first": -1}):
            with self.assertRaises(IpcError):
                layout.read_view(self.fields(**changed))
        for changed in ({"shape": [2, 3.0]}, {"strides": None}, {"bytes": True}, {"shape": ["2", 3]}):
            with self.assertRaises(IpcError):
                layout.read_view(self.fields(**changed))


class Tokens(unittest.TestCase):
    def test_a_token_is_its_text_its_json_or_its_dict(self):
        socket, key = "stridelab-12-abc", "0123456789abcdef" * 2
        fields = token.fields_of(socket, key)
        for given in (
            fields,
            json.dumps(fields),
            token.text_of(socket, key),
            f" {token.text_of(socket, key)}\n",
            json.dumps(token.text_of(socket, key)),
        ):
            self.assertEqual(token.parse(given), (socket, key))
        with self.assertRaisesRegex(IpcError, "version 2"):
            token.parse({**fields, "stridelabShare": 2})
        for given in ("", "x", None, 3, {}, {**fields, "key": "g" * 32}, {**fields, "socket": "../x"}, token.text_of(socket, key) + "0"):
            with self.assertRaisesRegex(IpcError, "is not the token"):
                token.parse(given)


class Grants(unittest.TestCase):
    def tearDown(self):
        self.assertTrue(reaper.idle())

    def test_memory_of_shared_empty_goes_without_a_copy(self):
        made = memoryview(memory_files.make_block(48)).cast("B").cast("i", (3, 4))
        export = sharing.make_grant(made)
        with passed_on(export) as opened:
            seen = opened.memoryview()
            made[1, 2] = 7
            self.assertEqual((export.way, export.copied, seen[1, 2], seen.shape), ("memfd", False, 7, (3, 4)))
            seen[0, 0] = 5
            self.assertEqual(made[0, 0], 5)
        export.close()
        export.close()

    def test_other_memory_is_copied_once_and_said_so(self):
        source = array.array("d", [1, 2, 3])
        export = sharing.make_grant(source)
        source[0] = 9
        with passed_on(export) as opened:
            self.assertEqual((export.copied, opened.dtype, opened.memoryview().tolist()), (True, "float64", [1, 2, 3]))
        export.close()

    def test_rule_59_what_is_read_only_stays_so(self):
        for export in (sharing.make_grant(b"abc"), sharing.make_grant(bytearray(b"abc"), read_only=True)):
            with passed_on(export) as opened:
                self.assertTrue(opened.readonly)
                with self.assertRaises(TypeError):
                    opened.memoryview()[0] = 1
            export.close()

    def test_negative_strides_and_empty_and_scalar_arrays(self):
        for made, seen in ((memoryview(bytes(range(9)))[::-4], [8, 4, 0]), (memoryview(b""), [])):
            export = sharing.make_grant(made)
            with passed_on(export) as opened:
                self.assertEqual(opened.memoryview().tolist(), seen)
                self.assertEqual(len(opened), len(seen))
            export.close()

    def test_rule_14_attributes_are_there_where_they_apply(self):
        export = sharing.make_grant(b"abc")
        with passed_on(export) as opened:
            self.assertTrue(hasattr(opened, "__array_interface__"))
            self.assertFalse(hasattr(opened, "__cuda_array_interface__"))
            self.assertEqual(opened.__dlpack_device__(), (1, 0))
            self.assertIn("shape=(3,) dtype=uint8 device=cpu readonly", repr(opened))
        export.close()
        grant = {**export.grant(), "view": {"dtype": "bfloat16", "shape": [0], "strides": [2], "first": 0, "bytes": 0, "readOnly": False}}
        with sharing.open_grant({**grant, "way": "none"}) as opened:
            self.assertFalse(hasattr(opened, "__array_interface__"))

    def test_rule_101_a_closed_array_says_so_and_its_views_stay(self):
        export = sharing.make_grant(bytearray(b"abc"))
        opened = passed_on(export)
        view = opened.memoryview()
        opened.close()
        opened.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            opened.memoryview()
        self.assertEqual(view.tolist(), [97, 98, 99])
        export.close()

    def test_the_link_is_told_once_and_after_the_last_view(self):
        class Link:
            closed = 0

            def alive(self):
                return True

            def close(self):
                self.closed += 1

        link = Link()
        export = sharing.make_grant(bytearray(b"abc"))
        opened = sharing.open_grant(export.grant(), [os.dup(export.files[0])], link=link)
        view, capsule = opened.memoryview(), opened.__dlpack__()
        opened.close()
        del opened, view
        self.assertFalse(reaper.idle(0.05))
        self.assertEqual(link.closed, 0)
        del capsule
        self.assertTrue(reaper.idle())
        self.assertEqual(link.closed, 1)
        export.close()

    def test_descriptors_are_closed_whatever_happens(self):
        before = len(os.listdir("/proc/self/fd"))
        export = sharing.make_grant(bytearray(64))
        grant = export.grant()
        bad = [
            {**grant, "way": "no"},
            {**grant, "memory": {"block": 2**40, "offset": 0}},
            {**grant, "memory": {"block": 64, "offset": 1}},
            {**grant, "memory": {"block": 64, "offset": -1}},
            {**grant, "memory": {}},
            {**grant, "view": None},
            {},
        ]
        for one in bad:
            with self.assertRaises(IpcError):
                sharing.open_grant(one, [os.dup(export.files[0])])
        with self.assertRaisesRegex(IpcError, "ulimit"):
            sharing.open_grant(grant, [])
        export.close()
        del export
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_rules_144_147_153_what_host_memory_does_not_do(self):
        export = sharing.make_grant(bytearray(b"abc"))
        with passed_on(export) as opened:
            for arguments in ({"stream": 1}, {"dl_device": (2, 0)}):
                with self.assertRaises(BufferError):
                    opened.__dlpack__(**arguments)
            opened.__dlpack__(dl_device=(1, 0), copy=False, max_version=(1, 0))
            opened.__dlpack__(copy=True)
        export.close()

    def test_what_is_no_array_is_refused(self):
        with self.assertRaisesRegex(IpcError, "int is not an array"):
            sharing.make_grant(3)
        export = sharing.make_grant(b"abc")
        with passed_on(export) as opened, self.assertRaisesRegex(IpcError, "another process"):
            sharing.make_grant(opened)
        export.close()


class Opener:
    """The channel to a process that opens an array; it counts the lease's openers as the grant reaches it."""

    def __init__(self, lease, sends):
        self.lease = lease
        self.sends = sends
        self.seen = []

    def send(self, fields, files=()):
        self.seen.append(self.lease.openers)
        if isinstance(self.sends, Exception):
            raise self.sends
        return self.sends


class Leases(unittest.TestCase):
    def test_a_process_that_has_its_grant_is_among_the_openers(self):
        for sends, answer, openers in ((True, None, 1), (False, None, 0), (ValueError("too long"), "too long", 0)):
            lease = Lease(sharing.make_grant(b"abcd"), "socket", None, lambda key: None)
            opener = Opener(lease, sends)
            self.assertEqual(lease.admit(opener), answer)
            self.assertEqual((opener.seen, lease.openers), ([1], openers))
            lease.release()
            self.assertEqual(lease.drained(0), openers == 0)
            lease.dismiss(opener)
            self.assertTrue(lease.drained(0))


if __name__ == "__main__":
    unittest.main()
