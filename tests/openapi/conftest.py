"""Starts the product; the tools of this folder meet it as any client would: by its document and over HTTP."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import pytest
import requests

from words import own_words

HERE = pathlib.Path(__file__).parent
ALERTMANAGER_TOKEN = "openapi-tests-alertmanager"
# What a workspace may at most be allowed: the limits are not what is tested here.
MANY = 1_000_000


class Toolcrib:
    """One `serve --demo` process with generous limits."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="toolcrib-openapi-"))
        env = {key: value for key, value in os.environ.items() if not key.startswith("TOOLCRIB_")}
        self.log = self.folder / "serve.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [os.environ["TEST_BIN"], "serve", "--demo", "--data-dir", str(self.folder / "data"),
                 "--bind", "127.0.0.1:0", "--lists-per-minute", str(MANY),
                 "--alertmanager-webhook-token", ALERTMANAGER_TOKEN],
                stdout=subprocess.PIPE, stderr=log, text=True, env=env)
        for line in self.process.stdout:
            found = re.search(r"listening on (http://\S+)", line)
            if found:
                self.base = found.group(1)
                break
        demo = json.loads((self.folder / "data" / "demo.json").read_text())
        self.tenants = [Tenant(self.base, told) for told in demo["workspaces"][:2]]
        self.system = demo["system_admin"]["token"]
        for tenant in self.tenants:
            limits = {f"{kind}_per_minute": MANY for kind in ("write", "read", "external")}
            tenant.send("patch", "/v1/settings", token=self.system, json={"limits": limits}).raise_for_status()
        self.document = requests.get(f"{self.base}/openapi.json", timeout=20).json()
        # Before anything is tried: who is turned away at a workspace's door stands in its audit log.
        self.words = own_words(self)

    def operations(self):
        """Path, method, operation."""
        for path, methods in self.document["paths"].items():
            for method, operation in methods.items():
                yield path, method, operation

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)


class Tenant:
    """A workspace and its owner."""

    def __init__(self, base, told):
        self.base, self.id, self.token = base, told["id"], told["owner"]["token"]
        self.owner, self.service = told["owner"]["user_id"], told["service"]["key"]

    def headers(self, token=None):
        return {"Authorization": f"Bearer {token or self.token}", "X-Workspace-Id": self.id}

    def send(self, method, path, token=None, **request):
        return requests.request(method, self.base + path, headers=self.headers(token), timeout=60, **request)


def tool(name, *arguments, cwd=HERE, ok=True, timeout=280, **variables):
    """Runs a program of this folder's packages or of this virtual environment; what it printed."""
    places = [str(HERE / "node_modules" / ".bin"), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]
    # Tools that phone home are told not to.
    quiet = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "NO_COLOR": "1"}
    env = {**os.environ, "PATH": os.pathsep.join(places), **quiet, **variables}
    ran = subprocess.run([name, *map(str, arguments)], cwd=cwd, env=env, timeout=timeout, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert not ok or ran.returncode == 0, f"{name} ended with {ran.returncode}\n{ran.stdout[-20_000:]}"
    return ran.stdout


@pytest.fixture(scope="session")
def toolcrib():
    running = Toolcrib()
    yield running
    running.close()


@pytest.fixture(scope="session")
def document(toolcrib, tmp_path_factory):
    """The document that the running product gives, as a file."""
    place = tmp_path_factory.mktemp("document") / "openapi.json"
    place.write_text(json.dumps(toolcrib.document))
    return place
