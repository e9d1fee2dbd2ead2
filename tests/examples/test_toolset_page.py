"""docs/toolsets.md and docs/toolset-document.md from top to bottom: what a reader saves is saved, all commands
run, and the answers are those that the page shows."""
import os
import re
import subprocess
import sys
import threading

import pytest
from demo import Demo
from pages import Page

PAGE, FORMAT = Page("docs/toolsets.md"), Page("docs/toolset-document.md")
# The blocks that are not run in the reader's shell, by name.
APART = {
    "build": "the test has a binary",
    "desk": "runs until it is stopped; the fixture starts it",
    "demo": "runs until it is stopped; the fixture starts it with these arguments",
    "notes": "runs until it is stopped; the fixture starts it, and the package is installed",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("page")
    PAGE.save_files(made)
    FORMAT.save_files(made)
    return made


def start(folder, script, said, **env):
    """Starts a server of the reader on a free port. Returns it and the port, which a line like `said` has."""
    process = subprocess.Popen([sys.executable, script], cwd=folder, env={**os.environ, **env}, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = (re.search(said, line) for line in process.stdout)
    port = next(match[1] for match in found if match)
    # The output is read to the end, so that a full pipe never blocks the server.
    threading.Thread(target=process.stdout.read, daemon=True).start()
    return process, port


@pytest.fixture(scope="module")
def ports(folder):
    """The ports of the reader's servers, by the variables in which the page has them."""
    assert PAGE.commands("desk") == "python3 desk.py\n"
    assert PAGE.commands("notes") == "pip install fastmcp\npython3 notes.py\n"
    desk, desk_port = start(folder, "desk.py", r"listens on 127\.0\.0\.1:(\d+)", DESK_PORT="0")
    notes, notes_port = start(folder, "notes.py", r"running on http://127\.0\.0\.1:(\d+) ", NOTES_PORT="0",
                              FASTMCP_CHECK_FOR_UPDATES="off")
    yield {"DESK_PORT": desk_port, "NOTES_PORT": notes_port}
    for process in (desk, notes):
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def product():
    running = Demo(*PAGE.serve_flags("demo"))
    yield running
    running.close()


def test_the_page_runs(product, ports, folder):
    printed = "".join(PAGE.run(product, folder, APART, **ports))
    for line in ("desk.toml: no defects in 3 tools of `desk`", "| `desk__close_ticket` | write | simple |",
                 "`desk` stored, version 3", "  added: desk__print_ticket",
                 '"desk__get_ticket"\n"desk__close_ticket"\n"desk__print_ticket"\n'):
        assert line in printed, printed
    assert printed.count('"desk__close_ticket"\n') == 2, "the owner's list and the agent's have it"
    assert "…" not in printed


def test_the_page_of_the_document_runs(folder):
    printed = FORMAT.run(None, folder, ())
    assert "no defects in 15 tools of `orion`" in printed[0]
    assert "no defects in 1 tool of `helpdesk`" in printed[1]


def test_every_command_is_run_but_these():
    for page, apart in ((PAGE, set(APART)), (FORMAT, set())):
        named = [block.name for block in page.blocks if block.kind == "sh" and block.name]
        assert sorted(named) == sorted(apart), "each block runs, or has a reason here"
        assert {block.kind for block in page.blocks} <= {"sh", "json", "toml", "yaml", "python"} | {""}
