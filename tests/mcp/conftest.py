"""Starts the product, and the programs between it and the tests."""
import json
import os
import pathlib
import re
import subprocess
import tempfile

import pytest

# Rewritten assertions print the values that they compare.
pytest.register_assert_rewrite("demo", "upstream_world")
from demo import Demo  # noqa: E402
from upstream_world import World  # noqa: E402

HERE = pathlib.Path(__file__).parent


class Toolcrib(Demo):
    """The product and the owner of its first workspace."""

    def __init__(self):
        super().__init__("--mcp-origins", "http://localhost:*,http://127.0.0.1:*")
        self.token, self.id = self.workspace["owner"]["token"], self.workspace["id"]

    def approve(self, url):
        """Approves at this address as a person does, in both steps."""
        place = f"/v1/confirmations/{url.rsplit('/', 1)[1]}/approve"
        phrase = self.post(place, {}, 202)["phrase"]
        return self.post(place, {"phrase": phrase})


@pytest.fixture(scope="session")
def toolcrib():
    running = Toolcrib()
    yield running
    running.close()


@pytest.fixture(scope="session")
def proxy(toolcrib):
    """The address of a proxy before the service that adds a credential."""
    running = subprocess.Popen(
        ["node", str(HERE / "proxy.mjs"), toolcrib.base, toolcrib.token, toolcrib.id], stdout=subprocess.PIPE, text=True)
    # The proxy prints one line with its address.
    yield re.search(r"http://\S+", running.stdout.readline()).group()
    running.terminate()
    running.wait(20)


@pytest.fixture(scope="session")
def client(toolcrib):
    """Runs one of the Node programs in `clients` against the service. Returns the JSON that it printed."""
    def run(name, **more):
        env = {**os.environ, "BASE": toolcrib.base, "TOKEN": toolcrib.token, "WORKSPACE": toolcrib.id, **more}
        done = subprocess.run(
            ["node", str(HERE / "clients" / name)], env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr + done.stdout
        return json.loads(done.stdout.strip().splitlines()[-1])
    return run


@pytest.fixture(scope="session")
def world():
    # Its path is short, because a summary shows 50 characters of it.
    with tempfile.TemporaryDirectory() as folder:
        running = World(pathlib.Path(folder))
        yield running
        running.close()


@pytest.fixture
def space(world):
    return world.space


@pytest.fixture
def notes(world):
    """The server whose changes are undone after the test."""
    yield world.servers["notes"]
    world.servers["notes"].change(reset=True)
