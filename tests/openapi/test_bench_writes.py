"""The calls that `scripts/bench actions` measures: every write is varied, and each call does work. No time is judged: machines
differ."""
import json
import os
import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).parents[2] / "scripts/lib/bench"))
from prepare import Measured, filled  # noqa: E402
from walkthrough import actions, kind, platform_tools  # noqa: E402
from writes import WRITES, check  # noqa: E402

# As many as make a target be used again.
CALLS = 24


def test_every_write_is_varied():
    tools = platform_tools(actions(os.environ["TEST_BIN"]))
    writes = {name for name, one in tools.items() if kind(one) == "write"}
    check(writes)
    with pytest.raises(SystemExit, match="how calls of new_action are varied"):
        check(writes | {"new_action"})
    with pytest.raises(SystemExit, match="there is no write create_agent"):
        check(writes - {"create_agent"})


def test_each_call_changes_something():
    product = Measured(os.environ["TEST_BIN"], None, actions(os.environ["TEST_BIN"]))
    try:
        for _ in product.walk():
            pass
        for action in WRITES:
            calls = product.calls(action, CALLS // 2)
            for n in range(CALLS if not WRITES[action].uses else len(calls)):
                path, workspace, body = calls[n % len(calls)]
                [answer] = product.post_all([(path, workspace, filled(body, "", n))])
                assert answer["status"] == "completed" and answer["data"].get("changed", True), (action, json.dumps(answer))
    finally:
        product.remove()
