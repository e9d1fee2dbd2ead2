"""docs/missions.md from top to bottom, on SQLite."""
import pytest
from demo import Demo
from pages import Page


@pytest.fixture
def product():
    running = Demo()
    yield running
    running.close()


def test_the_page_runs(product, tmp_path):
    Page("docs/missions.md").run(product, tmp_path, {})
