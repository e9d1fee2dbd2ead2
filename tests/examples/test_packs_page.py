"""docs/packs.md from top to bottom: the pack of the examples is built outside of the workspace, runs on both databases, and
answers what the page shows."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from demo import Demo
from pages import ROOT, Page

PAGE = Page("docs/packs.md")
# The blocks that are not run in the reader's shell, by name.
APART = {
    "build": "the fixture builds a copy, beside the dependencies that the tests have built",
    "demo": "runs until it is stopped; the fixture starts it",
}


@pytest.fixture(scope="module")
def binary(tmp_path_factory):
    """Builds a copy of the example with the versions, the profile and the resolver of the workspace, so that what is built
    already serves."""
    target = pathlib.Path(os.environ["TEST_BIN"]).parents[1]
    copy = tmp_path_factory.mktemp("pack") / "notes"
    shutil.copytree(ROOT / "examples/packs/notes", copy, ignore=shutil.ignore_patterns("target", "Cargo.lock"))
    shutil.copy(ROOT / "Cargo.lock", copy)
    manifest, workspace = (copy / "Cargo.toml").read_text(), (ROOT / "Cargo.toml").read_text()
    manifest = manifest.replace("../../..", str(ROOT)).replace("[workspace]", '[workspace]\nresolver = "1"')
    profiles = re.search(r"^\[profile\.dev\].*?(?=^# For load tests)", workspace, re.S | re.M)[0]
    (copy / "Cargo.toml").write_text(f"{manifest}\n{profiles}")
    built = subprocess.run(["cargo", "build", "--offline", "--target-dir", target], cwd=copy, text=True, capture_output=True,
                           timeout=900)
    assert built.returncode == 0, built.stderr
    return target / "debug/notes"


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def product(request, binary):
    flags = []
    if request.param == "postgres":
        server = os.environ["TEST_PG_URL"]
        for sql in ("DROP DATABASE IF EXISTS packs_page WITH (FORCE)", "CREATE DATABASE packs_page"):
            subprocess.run(["psql", "-q", server, "-c", sql], check=True)
        flags = ["--database", f"{server.rsplit('/', 1)[0]}/packs_page"]
    running = Demo(*flags, binary=binary)
    running.flags = flags
    yield running
    running.close()


def test_the_page_runs(product, tmp_path):
    assert PAGE.commands("demo").endswith("notes serve --demo\n")
    PAGE.run(product, tmp_path, APART)


def test_a_build_without_the_pack_serves_its_database(product, binary):
    owner = product.workspace["id"]
    product.post("/v1/actions/notes_add_note", {"text": "kept"})
    product.stop()
    without = Demo(*product.flags, folder=product.folder)
    assert without.workspace["id"] == owner
    assert "notes_" not in str(without.get("/v1/tools"))
    refused = without.answer("POST", "/v1/actions/notes_list_notes", {})
    assert (refused.status_code, refused.json()["code"]) == (404, "unknown_action")
    without.post("/v1/actions/platform_list_agents", {})
    without.stop()
    again = Demo(*product.flags, binary=binary, folder=product.folder)
    assert "kept" in [note["text"] for note in again.post("/v1/actions/notes_list_notes", {})["data"]["items"]]
    again.stop()


def test_the_pack_is_small():
    lines = [line for file in (ROOT / "examples/packs/notes/src").glob("*.rs") for line in file.open()]
    assert len(lines) <= 115, "a pack of one's own is read in a few minutes"


def test_every_command_is_run_but_these():
    named = [block.name for block in PAGE.blocks if block.kind == "sh" and block.name]
    assert sorted(named) == sorted(APART), "each block runs, or has a reason here"
