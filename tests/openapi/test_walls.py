"""Every operation of the document, without a credential and with another tenant's."""
import re

import pytest
import requests
from requests.adapters import HTTPAdapter

from words import UUID


class From(HTTPAdapter):
    """Sends from an address of its own, because each address may fail to authenticate 60 times a minute."""

    def __init__(self, address):
        self.address = address
        super().__init__()

    def init_poolmanager(self, *arguments, **options):
        super().init_poolmanager(*arguments, source_address=(self.address, 0), **options)


def guarded(toolcrib):
    for path, method, operation in toolcrib.operations():
        if operation.get("security") != []:
            yield method, path


CALL = {"id": "call_1", "type": "function", "function": {"name": "platform_list_agents", "arguments": "{}"}}
# An id that nobody has.
NOBODY = "0197a000-0000-7000-8000-000000000000"
REPORT = {"status": "failed"}
# These check the body before the workspace.
FRAMES = {
    "/v1/tools/search": {"query": "agents"},
    "/v1/tools/calls": {"tool_calls": [CALL]},
    "/v1/tools/outcomes": {"outcomes": [{"call_id": NOBODY, **REPORT}]},
    f"/v1/calls/{NOBODY}/outcome": REPORT,
}


def asked(method, path):
    """A request that lacks nothing but the right."""
    return {} if method == "get" else {"json": FRAMES.get(path, {})}


def refused(answer):
    """The code of the refusal, or those of a model's calls."""
    told = answer.json()
    return {result["error"]["code"] for result in told["results"]} if "results" in told else {told.get("code")}


@pytest.mark.parametrize("header", [None, "Basic b3duZXI6b3duZXI=", "Bearer of bad news", "Bearer x.y.z"])
def test_without_a_credential_every_operation_is_401(toolcrib, header):
    headers = {"Authorization": header} if header else {}
    with requests.Session() as session:
        answers = []
        for number, (method, path) in enumerate(guarded(toolcrib)):
            if number % 50 == 0:
                session.mount("http://", From(f"127.0.1.{1 + number // 50}"))
            url = toolcrib.base + re.sub(r"\{\w+\}", NOBODY, path)
            answer = session.request(method, url, headers=headers, timeout=20, **asked(method, path))
            answers.append((answer.status_code, answer.headers["Content-Type"], method, path))
    wrong = [answer for answer in answers if answer[:2] != (401, "application/problem+json")]
    assert len(answers) > 140 and not wrong, wrong


def test_public_operations_need_no_credential(toolcrib):
    public = [path for path, _, operation in toolcrib.operations() if operation.get("security") == []]
    assert public and not [path for path in public if path.startswith("/v1/")], public


def test_no_operation_opens_another_tenants_workspace(toolcrib):
    mine, theirs = toolcrib.tenants
    opened = []
    for method, path in guarded(toolcrib):
        if path == "/v1/hooks/alertmanager":
            continue
        path = re.sub(r"\{\w+\}", NOBODY, path)
        answer = theirs.send(method, path, token=mine.token, **asked(method, path))
        if refused(answer) != {"permission_denied"}:
            opened.append((method, path, answer.status_code, answer.text[:200]))
    assert not opened, opened


def test_no_path_leads_to_what_another_tenant_has(toolcrib):
    """Each operation with a name in its path, called for things that the other tenant has."""
    mine, theirs = toolcrib.tenants
    held = toolcrib.words[1]
    ids = sorted(word for word in held if UUID.fullmatch(word))[::25]
    led = []
    # A session's id is any text of the caller, and never leads to another caller's session.
    paths = [(method, path) for method, path in guarded(toolcrib) if "{" in path and "/sessions/" not in path]
    for method, path in paths:
        for each in ids:
            answer = mine.send(method, re.sub(r"\{\w+\}", each, path), **asked(method, path))
            told = [word for word in held - {each} if word in answer.text]
            # A thread is a name that the client chooses: the stream of one that does not exist is empty.
            empty = (204,) if path.endswith("/chat/{thread}/stream") else ()
            if answer.status_code not in (403, 404, 422, 429, *empty) or told:
                led.append((method, path, each, answer.status_code, told[:3], answer.text[:300]))
    assert len(paths) > 20 and len(ids) > 5 and not led, led[:10]
