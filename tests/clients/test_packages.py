"""What is published of each client, and its types."""
import email
import json
import re
import sys
import tarfile
import typing
import zipfile

import pytest
from conftest import HERE, ROOT, command

LICENSE = (ROOT / "LICENSE").read_text()
SCHEMAS = json.loads((ROOT / "openapi/openapi.json").read_text())
TYPESCRIPT = ROOT / "clients/typescript"


def python_types():
    """Each dictionary of the Python client with its fields: the name of a field, and whether it is always there."""
    from toolcrib import types
    found = {}
    for name, kind in vars(types).items():
        if typing.is_typeddict(kind) and kind is not typing.TypedDict:
            found[name] = {field: field in kind.__required_keys__ for field in kind.__annotations__}
    return found


def typescript_types():
    text = (TYPESCRIPT / "src/types.ts").read_text()
    bodies = re.findall(r"^export interface (\w+)(?:<\w+>)? \{\n(.*?)^\}", text, re.M | re.S)
    return {name: {field: not optional for field, optional in re.findall(r"^  (\w+)(\??):", body, re.M)} for name, body in bodies}


def test_the_python_package_is_complete(python_package):
    wheel, sdist = python_package.archives
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        metadata = email.message_from_bytes(packed.read(next(name for name in names if name.endswith("/METADATA"))))
        assert packed.read(next(name for name in names if name.endswith("/LICENSE"))).decode() == LICENSE
    assert {"toolcrib/__init__.py", "toolcrib/py.typed"} <= set(names)
    assert (metadata["Name"], metadata["Version"], metadata.get_all("Requires-Dist")) == ("toolcrib", "0.1.0", ["httpx<1,>=0.27"])
    assert "AsyncToolcrib" in metadata.get_payload()
    with tarfile.open(sdist) as packed:
        assert {"toolcrib-0.1.0/LICENSE", "toolcrib-0.1.0/src/toolcrib/py.typed"} <= set(packed.getnames())


def test_the_typescript_package_is_complete(typescript_package):
    [archive] = typescript_package.archives
    with tarfile.open(archive) as packed:
        names = set(packed.getnames())
        package = json.load(packed.extractfile("package/package.json"))
        assert packed.extractfile("package/LICENSE").read().decode() == LICENSE
    modules = {path.stem for path in (TYPESCRIPT / "src").iterdir()}
    assert names == {f"package/{name}" for name in ("LICENSE", "README.md", "package.json")} | {
        f"package/dist/{name}.{kind}" for name in modules for kind in ("js", "d.ts")}
    assert (package["name"], package["version"], package.get("dependencies")) == ("toolcrib", "0.1.0", None)


def test_the_python_is_well_typed(python_package, tmp_path):
    python, *_ = python_package.program
    # With the installed package, as a reader's own checks are.
    command(sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, "--python-executable", python,
            "-p", "toolcrib", cwd=tmp_path)
    command(sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, "--python-executable", python,
            HERE / "scenario.py", cwd=tmp_path)


def test_the_typescript_is_well_typed(typescript_package):
    folder = typescript_package.program[1].parent
    (folder / "tsconfig.json").write_text(json.dumps({
        "compilerOptions": {"target": "es2024", "module": "nodenext", "strict": True, "noUncheckedIndexedAccess": True,
                            "noEmit": True, "types": ["node"],
                            "typeRoots": [str(ROOT / "examples/typescript/node_modules/@types")]},
        "files": ["scenario.ts"]}))
    command(TYPESCRIPT / "node_modules/.bin/tsc", cwd=folder)


def test_both_clients_have_the_same_types():
    python, typescript = python_types(), typescript_types()
    # The error of the Python client has the problem as it came.
    assert python == {name: fields for name, fields in typescript.items() if name != "Problem"}


@pytest.mark.parametrize("name", ["ArgError", "ClaimedCall", "Completed", "Confirmation", "OpenCall", "Outcomes", "PhraseRequired",
                                  "ToRun", "ToolAnswers", "ToolList", "ToolSearch", "Waiting"])
def test_the_types_are_those_of_the_api(name):
    schemas = SCHEMAS["components"]["schemas"]
    parts = schemas[name].get("allOf", [schemas[name]])
    parts = [schemas[part["$ref"].rsplit("/", 1)[1]] if "$ref" in part else part for part in parts]
    fields = {field for part in parts for field in part["properties"]}
    required = {field for part in parts for field in part.get("required", [])}
    ours = python_types()[name]
    # What only calls of models have.
    assert set(ours) - {"messages"} == fields - {"messages"}
    assert {field for field, always in ours.items() if always} <= required


def test_both_clients_have_the_same_methods():
    from toolcrib import AsyncToolcrib, Toolcrib
    text = (TYPESCRIPT / "src/client.ts").read_text()
    body = re.search(r"^export class Toolcrib \{\n(.*?)^\}", text, re.M | re.S)[1]
    typescript = set(re.findall(r"^  (?:async \*)?([a-z]\w+)\(", body, re.M)) - {"constructor"}

    def methods(client):
        return {name for name, value in vars(client).items() if callable(value) and not name.startswith("_")} - {"close"}

    def camel(name):
        return re.sub(r"_(\w)", lambda found: found[1].upper(), name)

    assert methods(Toolcrib) == methods(AsyncToolcrib)
    assert {camel(name) for name in methods(Toolcrib)} == typescript
    for language, names in (("python", methods(Toolcrib)), ("typescript", typescript)):
        page = (ROOT / "clients" / language / "README.md").read_text()
        assert [name for name in sorted(names) if not re.search(rf"[`.]{name}[`(]", page)] == [], language
