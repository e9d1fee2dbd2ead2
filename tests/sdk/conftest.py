"""Starts the product once. The tests build their requests with the providers' own SDK types."""
import pytest

# Rewritten assertions print the values that they compare.
pytest.register_assert_rewrite("demo", "shapes")
from demo import Demo  # noqa: E402


@pytest.fixture(scope="session")
def toolcrib():
    running = Demo()
    yield running
    running.close()
