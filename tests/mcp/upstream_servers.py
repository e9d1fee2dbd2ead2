"""Real MCP servers as processes on free ports."""
import asyncio
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import requests
from mcp import Client

HERE = pathlib.Path(__file__).parent


def package(name):
    """The program of a reference server."""
    return str(HERE / "node_modules" / "@modelcontextprotocol" / name / "dist" / "index.js")


class Server:
    """A process that prints `listening on PORT` and speaks streamable HTTP at `/mcp`."""

    def __init__(self, *command, env=None):
        self.process = subprocess.Popen(command, env={**os.environ, **(env or {})}, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        found = (re.fullmatch(r"listening on (\d+)\n", line) for line in self.process.stdout)
        self.port = next(line[1] for line in found if line)
        # The output is read to the end, so that a full pipe never blocks the process.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.port}/mcp"

    def listed(self):
        """The server's tools by name, as the official client lists them."""
        async def ask():
            async with Client(self.url) as client:
                return (await client.list_tools()).tools
        tools = asyncio.run(ask())
        return {tool.name: tool.model_dump(mode="json", by_alias=True) for tool in tools}

    def close(self):
        self.process.kill()
        self.process.wait()


class RecordingServer(Server):
    """One of the servers in `servers`, which say what they received."""

    def __init__(self, script, *arguments):
        super().__init__(sys.executable, str(HERE / "servers" / script), *arguments)

    def received(self, method):
        """The messages with this method since the start, each with `params` and `headers`."""
        kept = requests.get(self.url.replace("/mcp", "/received"), timeout=10).json()
        return [message for message in kept if message["method"] == method]

    def calls(self, tool):
        """The arguments of each received call of this tool."""
        calls = [call["params"] for call in self.received("tools/call")]
        return [call["arguments"] for call in calls if call["name"] == tool]

    def change(self, **what):
        answer = requests.post(self.url.replace("/mcp", "/change"), json=what, timeout=10)
        assert answer.status_code == 200, answer.text
        return answer.json()["tools"]


def everything(port=0):
    """The reference server, which has sessions and speaks the older revisions only."""
    listening = str(HERE / "servers" / "listening.mjs")
    return Server("node", "--import", listening, package("server-everything"), "streamableHttp",
                  env={"PORT": str(port)})


def filesystem(folder):
    """The reference server for files, which speaks stdio only."""
    return RecordingServer("bridge.py", "node", package("server-filesystem"), str(folder))


def at_once(count, call):
    """Returns what `count` calls at the same time return."""
    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(lambda _: call(), range(count)))


def digest(tool):
    """The digest of a listed tool: SHA-256 of its canonical form. These definitions have no fractions and no
    characters that Python sorts or writes in another way than RFC 8785."""
    form = {"form": "mcp-tool/1", "name": tool["name"], "description": tool.get("description"),
            "input_schema": tool["inputSchema"], "output_schema": tool.get("outputSchema")}
    text = json.dumps(form, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
