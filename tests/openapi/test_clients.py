"""docs/openapi.md from top to bottom: clients made by other people's generators compile and call the
running product."""
import json
import re
import sys

import pytest

from conftest import HERE, tool

PAGE = (HERE.parents[1] / "docs" / "openapi.md").read_text()


def blocks(heading):
    """Language and text of the blocks under a heading, up to the next one."""
    section = re.search(rf"^#+ {heading}\n(.*?)(?=^#+ |\Z)", PAGE, re.M | re.S)
    return re.findall(r"^```(\w+)\n(.*?)^```$", section.group(1), re.M | re.S)


def follow(heading, language, program, folder):
    """Writes the program and runs the commands. Returns what they printed last. Blocks that install
    packages or run elsewhere are `console` and left out, because the packages come from this folder's
    lists."""
    (folder / program).write_text("".join(text for kind, text in blocks(heading) if kind == language))
    commands = [text for kind, text in blocks("A client in two languages") + blocks(heading) if kind == "sh"]
    assert len(commands) == 2, commands
    printed = tool("bash", "-euc", "".join(commands), cwd=folder)
    return json.loads(printed.strip().splitlines()[-1])


@pytest.fixture
def folder(toolcrib, tmp_path):
    (tmp_path / ".toolcrib").symlink_to(toolcrib.folder)
    (tmp_path / "examples").symlink_to(HERE.parents[1] / "examples")
    (tmp_path / "node_modules").symlink_to(HERE / "node_modules")
    (tmp_path / "package.json").write_text('{ "type": "module" }')
    return tmp_path


def heard(toolcrib, told):
    """Compares what the client printed with what the product says about the same agent. Returns the
    agent's name."""
    agent = toolcrib.tenants[0].send("post", "/v1/actions/platform_get_agent", json={"agent": told["agent"]}).json()
    assert told == {"agent": agent["data"]["id"], "refused": "invalid_arguments", "waits": "pending"}
    return agent["data"]["name"]


def test_a_typescript_client_compiles_and_calls(toolcrib, folder):
    assert heard(toolcrib, follow("TypeScript", "ts", "main.ts", folder)) == "Made in TypeScript"


def test_a_python_client_compiles_and_calls(toolcrib, folder):
    assert heard(toolcrib, follow("Python", "python", "main.py", folder)) == "Made in Python"
    package = folder / "toolcrib_client"
    modules = [".".join(place.relative_to(folder).with_suffix("").parts) for place in sorted(package.rglob("*.py"))]
    tool(sys.executable, "-c", "\n".join(f"import {name}" for name in modules), cwd=folder)
    operations = {operation["operationId"] for *_, operation in toolcrib.operations()}
    made = {name.rpartition(".")[2] for name in modules if name.startswith("toolcrib_client.api.")}
    assert operations <= made, operations - made
