"""Pages whose commands run against a demo that was just started, from top to bottom, on SQLite."""
import os
import pathlib
import re
import subprocess
import sys

import pytest
from demo import Demo
from pages import ROOT, Page

PAGES = ["quick-start", "mission-agent", "approvals", "mcp-clients", "audit", "confirmations", "mcp", "command-line"]


@pytest.mark.parametrize("name", PAGES)
def test_the_page_runs(name, tmp_path):
    page = Page(f"docs/{name}.md")
    page.save_files(tmp_path)
    product = Demo()
    # The packages that a page installs are those of the tests.
    path = f"{tmp_path}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    try:
        printed = page.run(product, tmp_path, (), PATH=path)
    finally:
        product.close()
    assert printed


def test_the_command_line_page_has_every_command():
    told = subprocess.run([os.environ["TEST_BIN"], "--help"], text=True, capture_output=True, check=True).stdout
    commands = re.findall(r"^  ([a-z-]+) ", re.search(r"^Commands:\n(.*?)\n\n", told, re.S | re.M)[1], re.M)
    table = re.findall(r"^\| (`.*?) \|", (ROOT / "docs/command-line.md").read_text(), re.M)
    listed = re.findall(r"`([a-z-]+)`", " ".join(table))
    assert sorted(listed) == sorted(commands)
