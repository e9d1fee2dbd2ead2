"""docs/background.md from top to bottom, on SQLite, with a scripted model in place of the reader's."""
from llm import FakeModel
from pages import Page

PAGE = Page("docs/background.md")


def test_the_page_runs(tmp_path):
    model = FakeModel("qwen3:8b", {"Read the tickets": ("platform_list_tasks", {})})
    product = PAGE.demo_with(model)
    try:
        PAGE.run(product, tmp_path, {"start"})
    finally:
        product.close()
        model.close()
    # A call and its answer, for each of the two tasks.
    assert len(model.requests) == 4, model.requests
