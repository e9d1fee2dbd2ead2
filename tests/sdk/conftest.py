"""Starts the product once; what the tests send is built with the providers' own SDK types."""
import pytest

# Their assertions say what they compared.
pytest.register_assert_rewrite("demo", "shapes")
from demo import Demo  # noqa: E402


@pytest.fixture(scope="session")
def toolcrib():
    running = Demo()
    yield running
    running.close()
