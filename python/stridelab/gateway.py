"""The connection of a page to a kernel at another server, by Jupyter's gateway client, for widgets and pictures.

The class of jupyter_server forwards every message as text, so that a message with buffers ends the connection
(jupyter-widgets/ipywidgets#3798). It also refuses the form of messages that JupyterLab prefers, so that JupyterLab connects twice.
The configuration of the page's server replaces the class:

    c.ServerApp.kernel_websocket_connection_class = "stridelab.gateway.BinaryGatewayConnection"
"""

from __future__ import annotations

import asyncio
from typing import Any

from jupyter_server.gateway.connections import GatewayWebSocketConnection
from jupyter_server.gateway.gateway_client import GatewayClient
from jupyter_server.utils import url_path_join
from tornado.escape import url_escape
from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClientConnection, WebSocketClosedError, websocket_connect
from traitlets import Unicode

# The kernel's own limit; Tornado's is 10 MiB.
_MAX_MESSAGE_BYTES = 2**30


class BinaryGatewayConnection(GatewayWebSocketConnection):
    """Forwards messages unchanged, in the form that the page and the gateway's server agree on."""

    # None stands for the form that jupyter_server prefers without a gateway.
    kernel_ws_protocol = Unicode(None, allow_none=True, config=True)

    async def connect(self) -> None:
        """Connects to the gateway's server. Tornado delivers messages of the page once this returns."""
        client = GatewayClient.instance()
        address = url_path_join(client.ws_url or "", client.kernels_endpoint, url_escape(self.kernel_id), "channels")
        if self.session_id:
            address += f"?session_id={url_escape(self.session_id)}"
        form = self.websocket_handler.selected_subprotocol
        request = HTTPRequest(address, **client.load_connection_args())
        forms = [form] if form else None
        self.ws = await websocket_connect(request, subprotocols=forms, max_message_size=_MAX_MESSAGE_BYTES)
        if self.disconnected:
            self.ws.close()
        else:
            self._forwarding = asyncio.ensure_future(self._forward(self.ws))

    async def _forward(self, gateway: WebSocketClientConnection) -> None:
        try:
            while (message := await gateway.read_message()) is not None:
                await self.websocket_handler.write_message(message, binary=isinstance(message, bytes))
        except WebSocketClosedError:
            gateway.close()
        # If the gateway closed it, the page connects again.
        self.websocket_handler.close()

    def handle_incoming_message(self, message: Any) -> None:
        """Sends a message of the page to the gateway's server."""
        if self.ws is not None and not self.disconnected:
            self.ws.write_message(message, binary=isinstance(message, bytes))
