"""The protocol's own conformance suite: every scenario that a revision scores passes, except those listed
here."""
import pathlib
import re
import subprocess

import pytest
import requests
import yaml

SUITE = pathlib.Path(__file__).parent / "node_modules" / "@modelcontextprotocol" / "conformance"


# In this revision, a server sends requests to its client on a stream that belongs to a session. The endpoint
# has no sessions, so that any process can answer any request, and sends no requests to clients in this
# revision.
NEED_A_SESSION = {
    "tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums"}


@pytest.mark.parametrize("revision, scored, failing", [("2026-07-28", 37, set()), ("2025-11-25", 30, NEED_A_SESSION)])
def test_every_scored_scenario_passes(fixtures, tmp_path, revision, scored, failing):
    required = yaml.safe_load((SUITE / "requirements" / f"{revision}.yaml").read_text())["server"]
    assert len(required) == scored
    done = subprocess.run(
        ["node", str(SUITE / "dist" / "index.js"), "server", "--url", f"{fixtures}/mcp",
         "--requirements", revision, "--output-dir", str(tmp_path)],
        capture_output=True, text=True, timeout=280)
    print(done.stdout)
    results = {name: mark for mark, name in re.findall(r"([✓✗]) ([\w-]+): \d+ passed", done.stdout)}
    missing = [name for name in required if name not in results]
    assert not missing, done.stdout + done.stderr
    assert {name for name in required if results[name] == "✗"} == failing, done.stdout + done.stderr


def test_without_the_feature_there_are_no_fixtures(toolcrib):
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "test_simple_text", "arguments": {}}}
    head = {**toolcrib.headers(), "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    answer = requests.post(f"{toolcrib.base}/mcp", json=call, headers=head, timeout=20).json()
    assert answer["error"]["code"] == -32602, answer
    listed = {**call, "method": "tools/list", "params": {}}
    names = [tool["name"] for tool in requests.post(f"{toolcrib.base}/mcp", json=listed, headers=head, timeout=20).json()["result"]["tools"]]
    assert len(names) == 17 and not [name for name in names if not name.startswith("platform_")]
