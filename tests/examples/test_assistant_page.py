"""docs/assistant.md from top to bottom, on SQLite, with a scripted model in place of the reader's."""
import pytest
from llm import FakeModel
from pages import Page

PAGE = Page("docs/assistant.md")
SCRIPT = {
    "Create a task": ("platform_create_task", {"title": "Order more cartons", "description": "1,000 pieces, as last time"}),
    "Delete the agent Invoice Checker": ("platform_delete_agent", {"agent": "Invoice Checker"}),
    "Delete the agent Release Writer": ("platform_delete_agent", {"agent": "Release Writer"}),
}


@pytest.fixture
def model():
    running = FakeModel("qwen3:8b", SCRIPT)
    yield running
    running.close()


@pytest.fixture
def product(model):
    running = PAGE.demo_with(model)
    yield running
    running.close()


def test_the_page_runs(product, model, tmp_path):
    PAGE.run(product, tmp_path, {"start"})
    called = [request for request in model.requests if request["messages"][-1]["role"] == "tool"]
    # The created task and the deleted agent are answered; a run that is stopped asks no more.
    assert len(called) == 2, called
