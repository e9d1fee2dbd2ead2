"""Packs both clients, installs them where nothing else is, and starts the product that they call."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

# Rewritten assertions print the values that they compare.
pytest.register_assert_rewrite("demo", "local_server", "scripted")
from demo import Demo  # noqa: E402

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
TOOLSET = ROOT / "examples/toolsets/orion.toml"


def command(*arguments, cwd, **env):
    """Runs a command. Returns what it printed."""
    ran = subprocess.run([*map(str, arguments)], cwd=cwd, env={**os.environ, **env}, text=True, capture_output=True, timeout=120)
    assert ran.returncode == 0, f"{ran.stdout}{ran.stderr}"
    return ran.stdout


def copied(name, folder):
    """A client's sources without what was built from them, so that nothing is written into the repository."""
    built = shutil.ignore_patterns("dist", "node_modules", "__pycache__")
    return shutil.copytree(ROOT / "clients" / name, folder / name, ignore=built)


class Packed:
    """The files that are published, and the program that uses the client that was installed from them."""

    def __init__(self, archives, program):
        self.archives, self.program = archives, program


@pytest.fixture(scope="session")
def python_package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("python")
    source = copied("python", folder)
    command(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, source, cwd=folder)
    [wheel], [sdist] = folder.glob("*.whl"), folder.glob("*.tar.gz")
    # With the pip of this environment: its own takes the longest to install.
    command(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    python = folder / "venv/bin/python"
    command(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--disable-pip-version-check", wheel, cwd=folder)
    return Packed([wheel, sdist], [python, "-I", HERE / "scenario.py"])


@pytest.fixture(scope="session")
def typescript_package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("typescript")
    source = copied("typescript", folder)
    (source / "node_modules").symlink_to(ROOT / "clients/typescript/node_modules")
    # Packing compiles.
    command("npm", "pack", "--silent", "--pack-destination", folder, cwd=source)
    [archive] = folder.glob("*.tgz")
    program = folder / "program"
    program.mkdir()
    (program / "package.json").write_text('{ "private": true, "type": "module" }')
    command("npm", "install", "--silent", "--offline", "--no-audit", "--no-fund", archive, cwd=program)
    # A program beside the package finds it.
    shutil.copy(HERE / "scenario.ts", program)
    return Packed([archive], ["node", program / "scenario.ts"])


@pytest.fixture(scope="session")
def toolcrib():
    running = Demo("--toolset", str(TOOLSET))
    running.ask("PATCH", "/v1/settings", {"limits": {"write_per_minute": 1000}}, who="system_admin")
    running.ask("PATCH", "/v1/toolsets/orion", {"enabled": True})
    yield running
    running.close()


class Client:
    """Runs steps of the scenario with one client."""

    def __init__(self, program, kind):
        self.program, self.kind = program, kind

    def start(self, step, base, token="a token", workspace="a workspace", **given):
        """Starts a step. It prints JSON lines."""
        env = {"BASE": base, "TOKEN": token, "WORKSPACE": workspace, "STEP": step, "KIND": self.kind, "GIVEN": json.dumps(given)}
        return subprocess.Popen([*map(str, self.program)], env={**os.environ, **env, "NO_PROXY": "127.0.0.1"}, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, step, base, **given):
        """Runs a step to its end. Returns what it printed last."""
        process = self.start(step, base, **given)
        printed, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        return json.loads(printed.splitlines()[-1])


@pytest.fixture(scope="session", params=["python", "python with asyncio", "typescript"])
def client(request):
    package = request.getfixturevalue("typescript_package" if request.param == "typescript" else "python_package")
    return Client(package.program, "async" if "asyncio" in request.param else "sync")


@pytest.fixture
def step(client, toolcrib):
    """Runs a step of the scenario against the product, as its owner or with another token."""
    def run(name, token=None, **given):
        workspace = toolcrib.workspace
        return client.run(name, toolcrib.base, token=token or workspace["owner"]["token"], workspace=workspace["id"], **given)
    return run
