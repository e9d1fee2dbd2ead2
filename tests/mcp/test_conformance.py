"""The protocol's own conformance suite, for what this service declares: tools, without sessions.

Most scenarios call tools, prompts and resources that only a server made for the suite has. Those scenarios fail here,
and of them only the format of the messages is checked.
"""
import json
import pathlib
import re
import subprocess

import pytest

SUITE = pathlib.Path(__file__).parent / "node_modules" / "@modelcontextprotocol" / "conformance"

# For each revision, the scenarios that pass.
PASS = {
    "2026-07-28": {
        "dns-rebinding-protection", "http-header-validation", "input-required-result-unsupported-methods",
        "input-required-result-validate-input", "sep-2164-resource-not-found", "server-sse-multiple-streams",
        "tools-list"},
    "2025-11-25": {
        "dns-rebinding-protection", "ping", "server-initialize", "tools-list"},
}
# Of these scenarios, the checks that need what only a server made for the suite has. Their other checks pass.
UNTESTABLE = {
    "2026-07-28": {
        "server-stateless": {
            "sep-2575-http-server-no-independent-requests-on-stream", "sep-2575-missing-capability-http-400",
            "sep-2575-server-no-log-without-loglevel", "sep-2575-server-rejects-undeclared-capability"},
        "caching": {
            "sep-2549-prompts-list-caching-hints", "sep-2549-resources-list-caching-hints",
            "sep-2549-resources-templates-list-caching-hints"},
    },
    "2025-11-25": {},
}


@pytest.fixture(scope="module", params=list(PASS))
def revision(request):
    return request.param


@pytest.fixture(scope="module")
def checks(revision, proxy, tmp_path_factory):
    """For each scenario of the revision, its checks: pairs of an id and a status."""
    folder = tmp_path_factory.mktemp("conformance")
    done = subprocess.run(
        ["node", str(SUITE / "dist" / "index.js"), "server", "--url", f"{proxy}/mcp", "--requirements", revision,
         "--output-dir", str(folder)],
        capture_output=True, text=True, timeout=280)
    found = {}
    for file in folder.glob("server-*/checks.json"):
        scenario = re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT.*", file.parent.name)[1]
        found[scenario] = [(check["id"], check["status"]) for check in json.loads(file.read_text())]
    assert len(found) > 25, done.stdout + done.stderr
    return found


def failed(checks):
    return {name for name, status in checks if status == "FAILURE"}


def test_what_is_declared_passes(revision, checks):
    for scenario in PASS[revision]:
        passed = [name for name, status in checks[scenario] if status == "SUCCESS"]
        assert passed and not failed(checks[scenario]), (scenario, checks[scenario])


def test_checks_without_the_suites_tools_pass(revision, checks):
    for scenario, untestable in UNTESTABLE[revision].items():
        assert failed(checks[scenario]) == untestable, checks[scenario]


def test_every_message_has_the_protocols_format(checks):
    formats = [status for of_one in checks.values() for name, status in of_one if name == "wire-schema-valid"]
    assert len(formats) > 20 and set(formats) == {"SUCCESS"}, checks
