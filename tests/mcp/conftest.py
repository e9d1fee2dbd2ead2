"""Starts the product, and the programs between it and the tests."""
import json
import os
import pathlib
import re
import subprocess

import pytest

# Rewritten assertions print the values that they compare.
pytest.register_assert_rewrite("demo", "upstream_world")
from demo import Demo  # noqa: E402
from upstream_world import World  # noqa: E402

HERE = pathlib.Path(__file__).parent


class Toolcrib(Demo):
    """The product and the owner of its first workspace."""

    def __init__(self, *flags, binary=None):
        super().__init__(*flags, binary=binary)
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
def fixtures():
    """The address of a service with the suite's fixtures, behind a proxy that adds a credential.

    `TEST_BIN_CONFORMANCE` was built with the feature `conformance`, which adds the fixtures and changes nothing else.
    """
    running = Toolcrib("--mcp-origins", "http://localhost:*,http://127.0.0.1:*",
                       binary=os.environ["TEST_BIN_CONFORMANCE"])
    proxy = subprocess.Popen(
        ["node", str(HERE / "proxy.mjs"), running.base, running.token, running.id], stdout=subprocess.PIPE, text=True)
    # The proxy prints one line with its address.
    yield re.search(r"http://\S+", proxy.stdout.readline()).group()
    proxy.terminate()
    proxy.wait(20)
    running.close()


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
def world(tmp_path_factory):
    running = World(tmp_path_factory.mktemp("files"))
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
