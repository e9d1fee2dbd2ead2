"""Starts the product. The tools in this folder use it as any client would: with its document and over
HTTP."""
import json
import os
import pathlib
import subprocess
import sys

import pytest
import requests

# Rewritten assertions print the values that they compare.
pytest.register_assert_rewrite("demo")
from demo import Demo  # noqa: E402
from words import own_words  # noqa: E402

HERE = pathlib.Path(__file__).parent
ALERTMANAGER_TOKEN = "openapi-tests-alertmanager"
# The highest value of a workspace's limits, because the limits are not tested here.
MANY = 1_000_000


class Toolcrib(Demo):
    """The product with high limits."""

    def __init__(self):
        super().__init__("--lists-per-minute", str(MANY), "--alertmanager-webhook-token", ALERTMANAGER_TOKEN)
        self.tenants = [Tenant(self.base, told) for told in self.demo["workspaces"][:2]]
        self.system = self.demo["system_admin"]["token"]
        for tenant in self.tenants:
            limits = {f"{kind}_per_minute": MANY for kind in ("write", "read", "external")}
            tenant.send("patch", "/v1/settings", token=self.system, json={"limits": limits}).raise_for_status()
            # The same actions for both: an example in a list that only one of them has would count as its own words.
            tenant.send("patch", "/v1/packs/game", json={"enabled": True}).raise_for_status()
        self.document = requests.get(f"{self.base}/openapi.json", timeout=20).json()
        # Read before any test runs, because a caller who is refused by a workspace appears in its audit log.
        self.words = own_words(self)
        # For each tenant, the user ids of its members by subject.
        self.people = [{member["subject"]: member["user_id"] for member in tenant.send("get", "/v1/members").json()["items"]}
                       for tenant in self.tenants]

    def operations(self):
        """Path, method and operation of each operation."""
        for path, methods in self.document["paths"].items():
            for method, operation in methods.items():
                yield path, method, operation


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
    """Runs a program of this folder's packages or of this virtual environment. Returns what it printed."""
    places = [str(HERE / "node_modules" / ".bin"), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]
    # Switches off telemetry and update notices.
    quiet = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "NO_COLOR": "1"}
    env = {**os.environ, "PATH": os.pathsep.join(places), **quiet, **variables}
    # Node warns if both are set.
    env.pop("FORCE_COLOR", None)
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
    """The document of the running product, as a file."""
    place = tmp_path_factory.mktemp("document") / "openapi.json"
    place.write_text(json.dumps(toolcrib.document))
    return place
