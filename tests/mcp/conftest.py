"""Starts the product, and what stands between it and the tests."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import pytest
import requests

HERE = pathlib.Path(__file__).parent


class Toolcrib:
    """One `serve --demo` process and the owner of its first workspace."""

    def __init__(self, *flags):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="toolcrib-mcp-"))
        env = {key: value for key, value in os.environ.items() if not key.startswith("TOOLCRIB_")}
        place = ["--data-dir", str(self.folder), "--bind", "127.0.0.1:0"]
        self.process = subprocess.Popen(
            [os.environ["TEST_BIN"], "serve", "--demo", *place, *flags],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
        self.base = listening(self.process, r"listening on (http://\S+)")
        self.workspace = json.loads((self.folder / "demo.json").read_text())["workspaces"][0]
        self.token, self.id = self.workspace["owner"]["token"], self.workspace["id"]
        self.headers = {"Authorization": f"Bearer {self.token}", "X-Workspace-Id": self.id}

    def api(self, method, path, body=None, status=200):
        answer = requests.request(method, self.base + path, json=body, headers=self.headers, timeout=20)
        assert answer.status_code == status, answer.text
        return answer.json()

    def approve(self, url):
        """What a person does at the address: both steps."""
        place = f"/v1/confirmations/{url.rsplit('/', 1)[1]}/approve"
        phrase = self.api("POST", place, {}, 202)["phrase"]
        return self.api("POST", place, {"phrase": phrase})

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)


def listening(process, pattern):
    """The address in the line that says so; the rest of the output is read away, so that a full pipe never stops it."""
    for line in process.stdout:
        found = re.search(pattern, line)
        if found:
            subprocess.Popen(["cat"], stdin=process.stdout, stdout=subprocess.DEVNULL)
            return found.group(1)
    raise AssertionError("it ended before it listened")


@pytest.fixture(scope="session")
def toolcrib():
    running = Toolcrib()
    yield running
    running.close()


@pytest.fixture(scope="session")
def fixtures():
    """The address of a service with the suite's fixtures, behind a proxy that adds a credential."""
    running = Toolcrib("--conformance-fixtures")
    proxy = subprocess.Popen(
        ["node", str(HERE / "proxy.mjs"), running.base, running.token, running.id], stdout=subprocess.PIPE, text=True)
    yield listening(proxy, r"(http://\S+)")
    proxy.terminate()
    proxy.wait(20)
    running.close()


@pytest.fixture(scope="session")
def client(toolcrib):
    """Runs one of the Node programs in `clients` against the service; what it printed, as JSON."""
    def run(name, **more):
        env = {**os.environ, "BASE": toolcrib.base, "TOKEN": toolcrib.token, "WORKSPACE": toolcrib.id, **more}
        done = subprocess.run(
            ["node", str(HERE / "clients" / name)], env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr + done.stdout
        return json.loads(done.stdout.strip().splitlines()[-1])
    return run
