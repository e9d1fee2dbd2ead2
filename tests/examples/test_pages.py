"""Pages whose commands run against a demo that was just started, from top to bottom, on SQLite."""
import os
import pathlib
import sys

import pytest
from demo import Demo
from pages import Page

PAGES = ["quick-start", "mission-agent", "approvals", "mcp-clients", "audit", "confirmations", "mcp"]


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
