"""A page of a server whose kernels run at another one; prints what it saw as JSON. Arguments: the server's address, its token."""

import asyncio
import json
import sys
import uuid
from datetime import datetime, timezone

from jupyter_server.services.kernels.connection.base import deserialize_binary_message, serialize_binary_message
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

TIMEOUT = 90
url, token = sys.argv[1:]
authorization = {"Authorization": f"token {token}"}


async def api(method, path, body=None):
    text = None if body is None else json.dumps(body)
    request = HTTPRequest(f"{url}/api/{path}", method, authorization, text, request_timeout=TIMEOUT, allow_nonstandard_methods=True)
    response = await AsyncHTTPClient().fetch(request)
    return json.loads(response.body) if response.body else None


class Page:
    """The messages of one kernel over its websocket, in the form that jupyter_server uses with a gateway."""

    @classmethod
    async def open(cls, kernel_id):
        page = cls()
        page.session = str(uuid.uuid4())
        address = f"{url.replace('http', 'ws', 1)}/api/kernels/{kernel_id}/channels?session_id={page.session}"
        page.socket = await websocket_connect(HTTPRequest(address, headers=authorization), max_message_size=2**30)
        page.messages = []
        page.waiting = []
        page.reading = asyncio.ensure_future(page._read())
        return page

    async def _read(self):
        while (data := await self.socket.read_message()) is not None:
            message = deserialize_binary_message(data) if isinstance(data, bytes) else json.loads(data)
            self.messages.append(message)
            for test, future in self.waiting:
                if not future.done() and test(message):
                    future.set_result(message)
        for _, future in self.waiting:
            if not future.done():
                future.set_exception(RuntimeError("the server closed the connection"))

    async def message(self, test):
        for message in self.messages:
            if test(message):
                return message
        future = asyncio.get_running_loop().create_future()
        self.waiting.append((test, future))
        return await asyncio.wait_for(future, TIMEOUT)

    def send(self, channel, kind, content, buffers=()):
        header = {"msg_id": str(uuid.uuid4()), "msg_type": kind, "session": self.session, "username": "page", "version": "5.4"}
        header["date"] = datetime.now(timezone.utc).isoformat()
        message = {"channel": channel, "header": header, "parent_header": {}, "metadata": {}, "content": content}
        if buffers:
            self.socket.write_message(serialize_binary_message({**message, "buffers": list(buffers)}), binary=True)
        else:
            self.socket.write_message(json.dumps(message))
        return header["msg_id"]

    async def idle(self, sent):
        await self.message(
            lambda m: m["msg_type"] == "status" and m["parent_header"].get("msg_id") == sent and m["content"]["execution_state"] == "idle"
        )

    async def request(self, kind, content, channel="shell"):
        sent = self.send(channel, kind, content)
        reply = await self.message(lambda m: m["channel"] == channel and m["parent_header"].get("msg_id") == sent)
        await self.idle(sent)
        return reply["content"]

    def execute(self, code):
        return self.request("execute_request", {"code": code, "silent": False, "store_history": True})

    async def printed(self, expression):
        """What a cell prints: an expression without colours."""
        before = len(self.messages)
        reply = await self.execute(f"console.log(String({expression}))")
        assert reply["status"] == "ok", reply
        text = [m["content"]["text"] for m in self.messages[before:] if m["msg_type"] == "stream"]
        return "".join(text).strip()


def changes_to(value):
    """Whether a message sets the binary value of a widget."""
    return lambda message: message["msg_type"] == "comm_msg" and message.get("buffers") == [value]


async def main():
    session = await api("POST", "sessions", {"path": "a.ipynb", "name": "a", "type": "notebook", "kernel": {"name": "stridelab"}})
    kernel = session["kernel"]["id"]
    page = await Page.open(kernel)
    seen = {"specs": sorted((await api("GET", "kernelspecs"))["kernelspecs"])}
    seen["info"] = (await page.request("kernel_info_request", {}))["implementation"]
    seen["result"] = await page.printed("6 * 7")
    seen["processes"] = json.loads(await page.printed("JSON.stringify([process.ppid, process.pid])"))
    seen["matches"] = (await page.request("complete_request", {"code": "process.vers", "cursor_pos": 12}))["matches"]

    await page.execute("import { Image } from 'stridelab/widgets'; const photo = new Image({ value: new Uint8Array([0, 255, 7]) }); photo")
    opened = await page.message(lambda m: m["msg_type"] == "comm_open" and m["content"]["data"].get("buffer_paths") == [["value"]])
    seen["opened"] = list(opened["buffers"][0])
    comm = opened["content"]["comm_id"]
    update = {"comm_id": comm, "data": {"method": "update", "state": {}, "buffer_paths": [["value"]]}}
    await page.idle(page.send("shell", "comm_msg", update, [bytes([128, 1])]))
    seen["received"] = await page.printed("photo.value")
    await page.execute("photo.value = new Uint8Array([254, 0])")
    changed = await page.message(changes_to(bytes([254, 0])))
    seen["changed"] = changed["content"]["data"]["method"]

    await page.execute("photo.value = new Uint8Array(12 * 2 ** 20)")
    await page.message(changes_to(bytes(12 * 2**20)))
    await page.execute("photo.value = new Uint8Array([254, 0])")

    loop = page.send("shell", "execute_request", {"code": "while (true) {}", "silent": False})
    await page.message(lambda m: m["msg_type"] == "execute_input" and m["parent_header"]["msg_id"] == loop)
    await api("POST", f"kernels/{kernel}/interrupt", {})
    reply = await page.message(lambda m: m["channel"] == "shell" and m["parent_header"].get("msg_id") == loop)
    await page.idle(loop)
    seen["interrupted"] = reply["content"]["status"]
    seen["kept"] = await page.printed("photo.value")

    await api("POST", f"kernels/{kernel}/restart", {})
    # JupyterLab connects anew too: the server then waits until it receives what the new process publishes.
    page.socket.close()
    page = await Page.open(kernel)
    seen["restarted"] = await page.printed("typeof photo")
    seen["processes"] += json.loads(await page.printed("JSON.stringify([process.ppid, process.pid])"))
    await api("DELETE", f"sessions/{session['id']}")
    page.socket.close()
    print(json.dumps(seen))


asyncio.run(main())
