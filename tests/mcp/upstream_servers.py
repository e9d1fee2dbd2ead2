"""Real MCP servers as processes on free ports, and a workspace that has their tools."""
import asyncio
import hashlib
import json
import pathlib
import re
import subprocess
import sys

import requests
from mcp import Client

HERE = pathlib.Path(__file__).parent
PACKAGES = HERE / "node_modules" / "@modelcontextprotocol"
# The digest of a definition that no server has.
WRONG_PIN = "sha256:" + "0" * 64


class Server:
    """A process that prints `listening on PORT` and speaks streamable HTTP at `/mcp`."""

    def __init__(self, *command, **options):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **options)
        found = (re.fullmatch(r"listening on (\d+)\n", line) for line in self.process.stdout)
        self.port = next(line[1] for line in found if line)
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
        return [call["params"]["arguments"] for call in self.received("tools/call") if call["params"]["name"] == tool]

    def change(self, **what):
        answer = requests.post(self.url.replace("/mcp", "/change"), json=what, timeout=10)
        assert answer.status_code == 200, answer.text
        return answer.json()["tools"]


def everything():
    """The reference server, whose port is that of the variable `PORT`."""
    return Server("node", "--import", str(HERE / "servers" / "listening.mjs"),
                  str(PACKAGES / "server-everything" / "dist" / "index.js"), "streamableHttp", env={"PORT": "0"})


def filesystem(folder):
    """The reference server for files, which speaks stdio only."""
    return RecordingServer("bridge.py", "node", str(PACKAGES / "server-filesystem" / "dist" / "index.js"), str(folder))


def digest(tool):
    """The digest of a listed tool: SHA-256 of its canonical form. These definitions have neither fractions nor
    characters that RFC 8785 and Python sort or write in different ways."""
    form = {"form": "mcp-tool/1", "name": tool["name"], "description": tool.get("description"),
            "input_schema": tool["inputSchema"], "output_schema": tool.get("outputSchema")}
    text = json.dumps(form, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


class Workspace:
    """The first workspace of a demo, which calls MCP servers."""

    def __init__(self, product):
        self.product = product
        self.get, self.post, self.ask = product.get, product.post, product.ask

    def add(self, name, server, secret):
        """Adds an upstream with the secret, and asks it for its tools."""
        self.post("/v1/upstreams", {"name": name, "kind": "mcp", "base_url": server.url, "auth": {"kind": "bearer"}}, 201)
        self.ask("PUT", f"/v1/upstreams/{name}/secret", {"secret": secret})
        return self.discover(name)

    def discover(self, name):
        return self.post(f"/v1/upstreams/{name}/discover", {})

    def tools(self, name):
        """The upstream's tools by name, as they are stored."""
        return {view["tool"]: view for view in self.get(f"/v1/upstreams/{name}/tools")["tools"]}

    def drafts(self, slug, upstream, **more):
        return self.post("/v1/toolsets/import", {"slug": slug, "upstream": upstream, **more})

    def accept(self, slug, upstream, fields, status=200):
        """Imports the tools in `fields`, sets these fields of each, and stores the document: that is the acceptance.
        """
        document = self.drafts(slug, upstream, include=list(fields))["document"]
        for tool in document["tools"]:
            del tool["draft"]
            tool.update({"accessible_by": "everyone", **fields[tool["mcp"]["tool"]]})
        return self.ask("PUT", f"/v1/toolsets/{slug}", document, status=status)

    def call(self, action, arguments, status=200, who="owner", headers=None):
        return self.post(f"/v1/actions/{action}", arguments, status, who, headers)

    def approve(self, waiting, status=200):
        """Approves the call that this answer says is waiting. Gives the phrase where one is asked for."""
        path = f"/v1/confirmations/{waiting['confirmation']['id']}/approve"
        if waiting["confirmation"]["level"] == "typed":
            phrase = self.post(path, {}, 202)["phrase"]
            return self.post(path, {"phrase": phrase}, status)
        return self.post(path, {}, status)

    def rows(self, call_id):
        """The outcome of the call's row, the executor, and the outcomes of its outcome rows."""
        row = self.get(f"/v1/audit/{call_id}")
        return row["outcome"], row["executor"], [outcome["outcome"] for outcome in row.get("outcomes", [])]
