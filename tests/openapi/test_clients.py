"""Clients that others' generators made from the document compile, and talk to the running product."""
import importlib
import json
import pkgutil
import shutil
import sys

from conftest import HERE, tool


def place(toolcrib):
    tenant = toolcrib.tenants[0]
    return {"TOOLCRIB_URL": toolcrib.base, "TOOLCRIB_TOKEN": tenant.token, "TOOLCRIB_WORKSPACE": tenant.id}


def heard(toolcrib, printed):
    """What the client printed, compared with what the product says of the same agent."""
    told = json.loads(printed.strip().splitlines()[-1])
    agent = toolcrib.tenants[0].send("post", "/v1/actions/platform_get_agent", json={"agent": told["id"]}).json()
    assert told == {"id": agent["data"]["id"], "refused": "invalid_arguments", "waits": "pending"}
    return agent["data"]["name"]


def test_a_typescript_client_compiles_and_calls(toolcrib, document):
    # Beside the packages, where the compiler finds them.
    folder = HERE / "node_modules" / ".client"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(HERE / "client", folder)
    (folder / "package.json").write_text('{"type": "module"}')
    tool("openapi-typescript", document, "--output", folder / "schema.d.ts", "--alphabetize", cwd=folder)
    tool("tsc", "--project", folder, cwd=folder)
    assert heard(toolcrib, tool("node", folder / "out" / "main.js", **place(toolcrib))) == "Made in TypeScript"


def test_a_python_client_compiles_and_calls(toolcrib, document, tmp_path):
    tool("openapi-python-client", "generate", "--path", document, "--meta", "none", "--fail-on-warning",
         "--output-path", tmp_path / "toolcrib_client", cwd=tmp_path)
    sys.path.insert(0, str(tmp_path))
    package = importlib.import_module("toolcrib_client")
    modules = [module.name for module in pkgutil.walk_packages(package.__path__, "toolcrib_client.")]
    for name in modules:
        importlib.import_module(name)
    operations = {operation["operationId"] for *_, operation in toolcrib.operations()}
    made = {name.rpartition(".")[2] for name in modules if name.startswith("toolcrib_client.api.")}
    assert operations <= made, operations - made
    assert heard(toolcrib, tool("python", HERE / "client" / "call.py", tmp_path, **place(toolcrib))) == "Made in Python"
