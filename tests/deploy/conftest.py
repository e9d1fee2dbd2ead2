"""Helm, the product's settings, and the values with which the chart is rendered."""
import json
import os
import subprocess

import pytest

pytest.register_assert_rewrite("chart", "pods", "demo")
from chart import Chart  # noqa: E402


@pytest.fixture(scope="session")
def chart(tmp_path_factory):
    return Chart(tmp_path_factory.mktemp("helm"))


@pytest.fixture(scope="session")
def settings():
    """The JSON Schema of each setting, by its key."""
    said = subprocess.run([os.environ["TEST_BIN"], "config", "schema"], check=True, capture_output=True, text=True)
    return json.loads(said.stdout)["properties"]
