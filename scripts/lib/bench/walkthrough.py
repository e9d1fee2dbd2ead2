"""Runs the walkthrough, one call of each action in an order in which all succeed, against the demo."""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import urllib.error

from run import HERE, call, start, stop

WALK = HERE.parents[2] / "tests/data/walkthrough.json"


class Product:
    """The demo on one database, started with more flags. It may be stopped and started again."""

    def __init__(self, binary, database, *flags):
        self.folder, self.database = tempfile.mkdtemp(prefix="toolcrib-walk-"), database
        self.command = [binary, "serve", "--demo", "--data-dir", self.folder, "--bind", "127.0.0.1:0", "--log-filter", "error",
                        *(["--database", database] if database else []), *flags]
        self.start()
        self.demo = json.loads((pathlib.Path(self.folder) / "demo.json").read_text())
        self.workspace = self.demo["workspaces"][0]
        place = [f"X-Workspace-Id: {self.workspace['id']}", "Content-Type: application/json"]
        self.owner = [f"Authorization: Bearer {self.workspace['owner']['token']}", *place]
        admin = f"Authorization: Bearer {self.demo['system_admin']['token']}"
        limits = {f"{kind}_per_minute": 1_000_000 for kind in ("write", "read", "external")}
        call("PATCH", f"{self.base}/v1/settings", [admin, *place], {"limits": limits})

    def start(self):
        self.process, self.base = start(self.command)

    def stop(self):
        stop(self.process)

    def remove(self):
        """Stops the process, and removes its files."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def post(self, path, body):
        try:
            return json.loads(call("POST", f"{self.base}/v1/{path}", self.owner, body)[1])
        except urllib.error.HTTPError as problem:
            raise SystemExit(f"{path} {body}: {problem.read().decode()}") from None

    def act(self, action, params):
        """Calls an action, and approves it where a person has to. Returns its data, and the request that ran it."""
        request = f"actions/platform_{action}", params
        answer, waits = self.post(*request), None
        while answer["status"] != "completed":
            waits = answer["confirmation"]["id"] if "confirmation" in answer else waits
            body = {"phrase": answer["phrase"]} if "phrase" in answer else {}
            request = f"confirmations/{waits}/approve", body
            answer = self.post(*request)
        return answer["data"], request


def walk(product):
    """Calls each action of the walkthrough. Yields its name and parameters, and the request that ran it."""
    saved = {}
    for step in steps(json.loads(WALK.read_text())):
        known = lambda value: saved[value[1:]] if isinstance(value, str) and re.fullmatch(r"\$[A-Z_]+", value) else value
        params = {name: known(value) for name, value in step["params"].items()}
        data, request = product.act(step["action"], params)
        saved.update({name: data[field] for name, field in step.get("save", {}).items()})
        yield step["action"], params, request


def steps(entries):
    for entry in entries:
        yield from steps(entry.get("before", []))
        yield entry


def actions(binary):
    """Each action's name without its prefix, with what `toolcrib actions list` says of it."""
    listed = subprocess.run([binary, "actions", "list", "--json"], capture_output=True, text=True, check=True).stdout
    return {one["name"].removeprefix("platform_"): one for one in json.loads(listed)}


def platform_tools(listed):
    """Those of `actions` that are the platform's tools: not a program's, and not a pack's."""
    return {name: one for name, one in listed.items() if one["surface"] == "tool" and one["name"].startswith("platform_")}


def kind(listed):
    """`read` or `write`."""
    return "read" if listed["permission_level"] == "read" else "write"
