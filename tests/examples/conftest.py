"""Starts the product once for the runs of the examples."""
import pytest

# Rewritten assertions print the values that they compare.
pytest.register_assert_rewrite("demo", "llm", "pages", "shapes", "conversation", "openai_side", "responses_side", "anthropic_side", "provider", "rest_service")
from demo import Demo  # noqa: E402


@pytest.fixture(scope="session")
def toolcrib():
    running = Demo()
    # The tests make more writes in a minute than a person does.
    running.ask("PATCH", "/v1/settings", {"limits": {"write_per_minute": 1000}}, who="system_admin")
    yield running
    running.close()
