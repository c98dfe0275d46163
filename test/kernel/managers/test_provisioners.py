"""Kernel provisioners for tests: one that records what it is asked to do, and one that starts kernels by the handshake of JEP 66."""

import hashlib
import hmac
import json

import zmq
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from jupyter_client.provisioning.provisioner_base import KernelProvisionerBase
from traitlets import Unicode

PORTS = ["shell_port", "iopub_port", "stdin_port", "control_port", "hb_port"]
START_MS = 60_000


class WatchingProvisioner(LocalProvisioner):
    """Passes a variable to the kernel, and records the calls."""

    greeting = Unicode(config=True)

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.calls = []

    async def pre_launch(self, **kwargs):
        self.calls.append("pre_launch")
        kwargs = await super().pre_launch(**kwargs)
        kwargs["env"] = {**kwargs["env"], "GREETING": self.greeting}
        return kwargs

    async def send_signal(self, signum):
        self.calls.append(f"signal {signum:d}")
        await super().send_signal(signum)

    async def shutdown_requested(self, restart=False):
        self.calls.append("shutdown_requested")
        await super().shutdown_requested(restart)

    async def cleanup(self, restart=False):
        self.calls.append("cleanup")
        await super().cleanup(restart)


class HandshakeProvisioner(LocalProvisioner):
    """Gives the kernel a registration file, and learns from the kernel which ports it uses."""

    async def pre_launch(self, **kwargs):
        manager = self.parent
        kwargs.pop("transport_encryption", None)
        self.service = zmq.Context.instance().socket(zmq.ROUTER)
        self.service.linger = 0
        port = self.service.bind_to_random_port("tcp://127.0.0.1")
        self.keys = {}
        if getattr(manager, "transport_encryption", "disabled") != "disabled":
            public, secret = zmq.curve_keypair()
            self.keys = {"curve_publickey": public.decode(), "curve_secretkey": secret.decode()}
        registration = {
            "kernel_id": self.kernel_id,
            "transport": "tcp",
            "registration_ip": "127.0.0.1",
            "registration_port": port,
            "signature_scheme": manager.session.signature_scheme,
            "key": manager.session.key.decode(),
            **self.keys,
        }
        with open(manager.connection_file, "w") as file:
            json.dump(registration, file)
        return await KernelProvisionerBase.pre_launch(self, cmd=manager.format_kernel_cmd(), **kwargs)

    async def launch_kernel(self, cmd, **kwargs):
        manager = self.parent
        self.connection_info = {}
        await super().launch_kernel(cmd, **kwargs)
        with self.service:
            if not self.service.poll(START_MS):
                raise RuntimeError("the kernel did not register its ports")
            identity, _, signature, content = self.service.recv_multipart()
            if signature != self._sign(content):
                raise RuntimeError("the registration has a wrong signature")
            registered = json.loads(content)
            if registered["kernel_id"] != self.kernel_id:
                raise RuntimeError(f"another kernel registered: {registered['kernel_id']}")
            self.service.send_multipart([identity, b"<IDS|MSG>", self._sign(b"ACK"), b"ACK"])
        self.connection_info = {
            **{name: int(registered[name]) for name in PORTS},
            "transport": "tcp",
            "ip": "127.0.0.1",
            "key": manager.session.key,
            "signature_scheme": manager.session.signature_scheme,
            **self.keys,
        }
        return self.connection_info

    def _sign(self, content):
        return hmac.new(self.parent.session.key, content, hashlib.sha256).hexdigest().encode()
