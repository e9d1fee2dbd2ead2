"""Serves an MCP server on a free port, and keeps the requests that it received: `GET /received`."""
import asyncio
import json
import socket

from starlette.middleware import Middleware
from starlette.responses import JSONResponse


class Record:
    """Keeps each message of a POST to the MCP path as it was received: method, parameters and credential."""

    def __init__(self, app, kept):
        self.app, self.kept = app, kept

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or scope["path"] != "/mcp" or scope["method"] != "POST":
            return await self.app(scope, receive, send)
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        try:
            read = json.loads(body)
            self.kept.append({"method": read["method"], "params": read.get("params", {}), "headers": headers})
        except (ValueError, KeyError, TypeError):
            self.kept.append({"method": None, "params": {}, "headers": headers})
        whole = [{"type": "http.request", "body": body, "more_body": False}]

        async def again():
            return whole.pop() if whole else await receive()
        await self.app(scope, again, send)


def serve(server, **settings):
    """Runs `server` until it is stopped. Prints its port when it listens."""
    kept = []

    @server.custom_route("/received", methods=["GET"])
    async def received(_request):
        return JSONResponse(kept)
    listening = socket.create_server(("127.0.0.1", 0))
    print(f"listening on {listening.getsockname()[1]}", flush=True)
    record = Middleware(Record, kept=kept)
    asyncio.run(server.run_http_async(
        show_banner=False, log_level="warning", sockets=[listening], middleware=[record], **settings))
