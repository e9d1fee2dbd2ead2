"""docs/toolsets.md and docs/toolset-document.md from top to bottom: what a reader saves is saved, all commands run,
and the answers are those that the page shows."""
import os
import re
import subprocess
import sys

import pytest
from demo import Demo
from pages import Page

PAGE, FORMAT = Page("docs/toolsets.md"), Page("docs/toolset-document.md")
# The blocks that are not run in the reader's shell, by name.
APART = {
    "build": "the test has a binary",
    "desk": "runs until it is stopped; the fixture starts it",
    "demo": "runs until it is stopped; the fixture starts it with these arguments",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("page")
    PAGE.save_files(made)
    FORMAT.save_files(made)
    return made


@pytest.fixture(scope="module")
def desk(folder):
    """The reader's service on a free port, which it prints."""
    assert PAGE.commands("desk") == "python3 desk.py\n"
    process = subprocess.Popen([sys.executable, "desk.py"], cwd=folder, env={**os.environ, "DESK_PORT": "0"}, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    yield re.fullmatch(r"the desk listens on 127\.0\.0\.1:(\d+)\n", process.stdout.readline())[1]
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def product():
    running = Demo(*PAGE.serve_flags("demo"))
    yield running
    running.close()


def test_the_page_runs(product, desk, folder):
    printed = "".join(PAGE.run(product, folder, APART, DESK_PORT=desk))
    for line in ("desk.toml: no defects in 3 tools of `desk`", "| `desk__close_ticket` | write | simple |", "`desk` stored, version 3",
                 "  added: desk__print_ticket", '"desk__get_ticket"\n"desk__close_ticket"\n"desk__print_ticket"\n'):
        assert line in printed, printed
    assert printed.count('"desk__close_ticket"\n') == 2, "the owner's list and the agent's have it"
    assert "…" not in printed


def test_the_page_of_the_document_runs(folder):
    printed = FORMAT.run(None, folder, ())
    assert "no defects in 15 tools of `orion`" in printed[0] and "no defects in 1 tool of `helpdesk`" in printed[1], printed


def test_every_command_is_run_but_these():
    for page, apart in ((PAGE, set(APART)), (FORMAT, set())):
        named = [block.name for block in page.blocks if block.kind == "sh" and block.name]
        assert sorted(named) == sorted(apart), "each block runs, or has a reason here"
        assert {block.kind for block in page.blocks} <= {"sh", "json", "toml", "yaml", "python"} | {""}
