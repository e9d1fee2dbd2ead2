"""Makes what calls of writes need, over the API: targets, workspaces and requests for approval. Writes the calls to a file."""
import asyncio
import base64
import itertools
import json
import math
import pathlib
import re
import time

from run import call
from walkthrough import Product, kind, walk
from writes import MAKES, WRITES

CONNECTIONS = 16
# A target that may be used again is one of so many: by then its last call has ended, even if that one waited for a second.
SOME = 1_000
# The column of /proc/stat.
IDLE = 3
LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)


class Measured(Product):
    """The demo, whose limits do not matter."""

    def __init__(self, binary, database, listed):
        super().__init__(binary, database)
        self.listed, self.params, self.numbers = listed, {}, itertools.count(1)
        self.main = self.place = self.workspace["id"]
        most = {"open_confirmations": {"per_workspace": 100_000, "per_caller": 100_000}}
        call("PATCH", f"{self.base}/v1/settings", self.owner, most)

    def walk(self):
        """Runs the walkthrough. Yields each action after its call."""
        for action, params, _ in walk(self):
            # Of several calls the one with the most parameters is the action's own.
            if len(params) >= len(self.params.get(action, {})):
                self.params[action] = params
            yield action

    def post_all(self, calls, token=None):
        """Sends the calls, each with a path, a workspace and a body. Returns their answers, all of which are successes."""
        answers = [None] * len(calls)
        try:
            asyncio.run(self.share(enumerate(calls), answers, token or self.workspace["owner"]["token"]))
        except RuntimeError as problem:
            raise SystemExit(str(problem)) from None
        return answers

    async def share(self, calls, answers, token):
        await asyncio.gather(*(self.client(calls, answers, token) for _ in range(CONNECTIONS)))

    async def client(self, calls, answers, token):
        host, port = self.base.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        for at, (path, workspace, body) in calls:
            data = json.dumps(body).encode()
            head = [f"POST {path} HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {token}", f"X-Workspace-Id: {workspace}",
                    "Content-Type: application/json", f"Content-Length: {len(data)}", "\r\n"]
            writer.write("\r\n".join(head).encode() + data)
            head = await reader.readuntil(b"\r\n\r\n")
            answer = await reader.readexactly(int(LENGTH.search(head).group(1)))
            if not head.startswith(b"HTTP/1.1 2"):
                raise RuntimeError(f"{path} {body}: {answer.decode()}")
            answers[at] = json.loads(answer)
        writer.close()

    def rooms(self, count):
        """Makes workspaces of the demo's owner."""
        claims = self.workspace["owner"]["token"].split(".")[1]
        owner = {"subject": json.loads(base64.urlsafe_b64decode(claims + "=="))["sub"]}
        limits = {f"{kind}_per_minute": 1_000_000 for kind in ("write", "read", "external")}
        made = []
        while len(made) < count:
            # A workspace may have 120 calls of administration a minute, so that the next ones are made in a new one.
            calls = [("/v1/workspaces", self.place, {"name": f"Room {next(self.numbers)}", "owner": owner, "limits": limits})
                     for _ in range(min(100, count - len(made)))]
            made += [(one["id"], "") for one in self.post_all(calls, self.demo["system_admin"]["token"])]
            self.place = made[-1][0]
        return made

    def make(self, kind, count):
        """Makes things of a kind. Returns the workspace and the id of each."""
        if kind == "room":
            return self.rooms(count)
        how = MAKES[kind]
        parents = self.make(how.parent, math.ceil(count / how.times)) * how.times if how.parent else [(self.main, "")] * count
        calls = [(f"/v1/actions/platform_{how.action}", workspace, filled(how.params, target, next(self.numbers)))
                 for workspace, target in parents]
        return [(workspace, made["data"].get("id", "")) for (_, workspace, _), made in zip(calls, self.post_all(calls))]

    def calls(self, action, count):
        """Calls of an action, ready to be sent: so many, or fewer that may be repeated."""
        params = self.params[action]
        if kind(self.listed[action]) == "read":
            return [(f"/v1/actions/platform_{action}", self.main, params)]
        how = WRITES[action]
        targets = [(self.main, "")]
        if how.target:
            targets = self.make(how.target, math.ceil(count / how.uses) if how.uses else min(SOME, count))
        passes = how.uses or max(len(value) if isinstance(value, tuple) else 1 for value in how.vary.values())
        calls = [(f"/v1/actions/platform_{action}", workspace, filled(params | chosen(how.vary, at + turn), target))
                 for turn in range(passes) for at, (workspace, target) in enumerate(targets)]
        return calls if self.listed[action]["confirmation"] == "none" else self.approvals(action, calls)

    def approvals(self, action, calls):
        """Asks for the calls. Returns the approvals that run them."""
        asked = self.post_all(calls)
        approve = [(f"/v1/confirmations/{one['confirmation']['id']}/approve", workspace, {})
                   for (_, workspace, _), one in zip(calls, asked)]
        if self.listed[action]["confirmation"] != "typed":
            return approve
        typed = self.post_all(approve)
        return [(path, workspace, {"phrase": one["phrase"]}) for (path, workspace, _), one in zip(approve, typed)]


def chosen(vary, at):
    return {name: value[at % len(value)] if isinstance(value, tuple) else value for name, value in vary.items()}


def filled(params, target, number="{n}"):
    return json.loads(json.dumps(params).replace("{target}", target).replace("{n}", str(number)))


def write_file(path, calls):
    path.write_text("".join(f"{at}\t{workspace}\t{json.dumps(body)}\n" for at, workspace, body in calls))


def settle():
    """Waits until the work that follows calls, such as sealing their audit rows, is done: until the machine is idle, at most a
    second."""
    until, rest = time.monotonic() + 1, 0
    while rest < 0.9 and time.monotonic() < until:
        before = processor_times()
        time.sleep(0.1)
        passed = [now - then for now, then in zip(processor_times(), before)]
        rest = passed[IDLE] / sum(passed)


def processor_times():
    """The first line of /proc/stat: what all processors did since the start, in ticks."""
    return [int(ticks) for ticks in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
