"""Starts the kernel as Jupyter's own kernel manager does: encrypted, by provisioners, by the handshake. Run by managers.test.ts."""

import json
import os
import shutil
import signal
import sys
import unittest
import uuid
from contextlib import contextmanager

import jupyter_client
from jupyter_client import BlockingKernelClient, KernelManager
from jupyter_client.kernelspec import KernelSpecManager

TIMEOUT = 60
ENCRYPTS = hasattr(KernelManager, "transport_encryption")
VERSION = tuple(int(part) for part in jupyter_client.__version__.split(".")[:2])
needs_encryption = unittest.skipUnless(ENCRYPTS, f"jupyter_client {jupyter_client.__version__} does not encrypt")


def registered_spec():
    with open(os.path.join(KernelSpecManager().get_kernel_spec("stridelab").resource_dir, "kernel.json")) as file:
        return json.load(file)


def variant(name, **changes):
    """Registers a copy of the kernelspec with changed fields, and returns its name."""
    folder = os.path.join(os.environ["JUPYTER_PATH"], "kernels", name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(os.path.join(folder, "kernel.json"), "w") as file:
        json.dump({**registered_spec(), **changes}, file)
    return name


def with_metadata(name, **changes):
    metadata = {**registered_spec()["metadata"], **changes}
    return variant(name, metadata={key: value for key, value in metadata.items() if value is not None})


def provisioned(name, provisioner, **fields):
    stanza = {"provisioner_name": provisioner, "config": {"greeting": "hello"} if provisioner == "watching-provisioner" else {}}
    metadata = {**registered_spec()["metadata"], "kernel_provisioner": stanza}
    return variant(name, metadata=metadata, **fields)


@contextmanager
def running(kernel_name, encryption=None, transport="tcp"):
    """A started kernel: its manager, and a client that has its answer to kernel_info."""
    runtime = os.environ["JUPYTER_RUNTIME_DIR"]
    kernel_id = str(uuid.uuid4())
    manager = KernelManager(kernel_name=kernel_name, kernel_id=kernel_id, transport=transport)
    # As Jupyter's server names it.
    manager.connection_file = os.path.join(runtime, f"kernel-{kernel_id}.json")
    if transport == "ipc":
        manager.ip = os.path.join(runtime, "ipc")
    if encryption is not None:
        manager.transport_encryption = encryption
    try:
        manager.start_kernel(stderr=sys.stderr)
        client = connected(manager)
        try:
            yield manager, client
        finally:
            client.stop_channels()
    finally:
        if manager.has_kernel:
            manager.shutdown_kernel()


def connected(manager):
    # KernelManager.client of jupyter_client 8.9 fails when there are keys.
    client = BlockingKernelClient()
    client.load_connection_file(manager.connection_file)
    client.start_channels()
    client.wait_for_ready(timeout=TIMEOUT)
    return client


def result_of(client, code):
    results = []

    def keep(message):
        if message["msg_type"] == "execute_result":
            results.append(message["content"]["data"]["text/plain"])

    reply = client.execute_interactive(code, output_hook=keep, timeout=TIMEOUT)
    assert reply["content"]["status"] == "ok", reply["content"]
    # Simple values are shown in colour.
    return results[0].replace("\x1b[33m", "").replace("\x1b[39m", "").replace("\x1b[32m", "").strip("'") if results else None


def connection_file(manager):
    with open(manager.connection_file) as file:
        return json.load(file)


class EncryptionTests(unittest.TestCase):
    def encrypted(self, kernel_name, encryption, transport="tcp"):
        with running(kernel_name, encryption, transport) as (manager, client):
            self.assertEqual(result_of(client, "1 + 1"), "2")
            self.assertTrue(client.is_alive())
            return "curve_secretkey" in connection_file(manager)

    @needs_encryption
    def test_required_with_the_registered_kernelspec(self):
        self.assertIsInstance(registered_spec()["metadata"]["supported_encryption"], list)
        self.assertTrue(self.encrypted("stridelab", "required"))

    @needs_encryption
    def test_required_with_the_entry_as_text(self):
        self.assertTrue(self.encrypted(with_metadata("as-text", supported_encryption="curve"), "required"))

    @unittest.skipIf(VERSION < (8, 10), "jupyter_client 8.9 encrypts tcp only")
    def test_required_over_ipc(self):
        self.assertTrue(self.encrypted("stridelab", "required", "ipc"))

    @needs_encryption
    def test_auto_follows_the_entry(self):
        self.assertTrue(self.encrypted("stridelab", "auto"))
        self.assertFalse(self.encrypted(with_metadata("no-entry", supported_encryption=None), "auto"))

    @needs_encryption
    def test_a_restart_keeps_the_keys(self):
        with running("stridelab", "required") as (manager, client):
            before = connection_file(manager)
            result_of(client, "globalThis.kept = 1")
            manager.restart_kernel()
            client.wait_for_ready(timeout=TIMEOUT)
            self.assertEqual(result_of(client, "typeof kept"), "undefined")
            self.assertEqual(connection_file(manager), before)

    def test_default(self):
        with running("stridelab") as (manager, client):
            self.assertEqual(result_of(client, "1 + 1"), "2")
            self.assertNotIn("curve_secretkey", connection_file(manager))


class ProvisionerTests(unittest.TestCase):
    def interrupted(self, manager, client):
        """Interrupts a busy loop; a further cell runs."""
        request = client.execute("while (true) {}")
        while client.get_iopub_msg(timeout=TIMEOUT)["msg_type"] != "execute_input":
            pass
        manager.interrupt_kernel()
        reply = client.get_shell_msg(timeout=TIMEOUT)
        self.assertEqual(reply["parent_header"]["msg_id"], request)
        self.assertEqual(reply["content"]["status"], "error")
        self.assertEqual(result_of(client, "2 + 2"), "4")

    def watched(self, name, encryption=None, **fields):
        with running(provisioned(name, "watching-provisioner", **fields), encryption) as (manager, client):
            provisioner = manager.provisioner
            self.assertEqual(result_of(client, "process.env.GREETING"), "hello")
            self.interrupted(manager, client)
            client.stop_channels()
            manager.shutdown_kernel()
            self.assertFalse(manager.is_alive())
            return provisioner.calls

    def test_starts_interrupts_and_stops(self):
        self.assertEqual(self.watched("watched"), ["pre_launch", "shutdown_requested", "cleanup"])

    def test_interrupts_by_a_signal(self):
        # The manager also interrupts before it shuts a kernel down.
        interrupts = [f"signal {signal.SIGINT:d}"] * 2
        calls = self.watched("signalled", interrupt_mode="signal")
        self.assertEqual(calls, ["pre_launch", *interrupts, "shutdown_requested", "cleanup"])

    @needs_encryption
    def test_encrypted(self):
        self.assertEqual(self.watched("secret", "required"), ["pre_launch", "shutdown_requested", "cleanup"])


class HandshakeTests(unittest.TestCase):
    def registered(self, name, encryption=None):
        with running(provisioned(name, "handshake-provisioner"), encryption) as (manager, client):
            self.assertEqual(result_of(client, "1 + 1"), "2")
            info = manager.get_connection_info()
            client.stop_channels()
            manager.restart_kernel()
            again = connected(manager)
            try:
                self.assertEqual(result_of(again, "typeof kept"), "undefined")
                self.assertTrue(again.is_alive())
            finally:
                again.stop_channels()
            return info

    def test_registers_at_each_start(self):
        self.assertNotIn("curve_publickey", self.registered("handshake"))

    @needs_encryption
    def test_encrypted(self):
        self.assertIn("curve_publickey", self.registered("secret-handshake", "required"))


if __name__ == "__main__":
    os.makedirs(os.environ["JUPYTER_RUNTIME_DIR"], exist_ok=True)
    unittest.main(verbosity=2)
