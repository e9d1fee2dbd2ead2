"""What a chatbot does, with each client and the product."""
import json
import uuid

import pytest
import requests
from scripted import Relay


@pytest.fixture
def confirmed_writes(toolcrib):
    toolcrib.ask("PATCH", "/v1/settings", {"approval_mode": "confirm_writes"})
    yield
    toolcrib.ask("PATCH", "/v1/settings", {"approval_mode": "standard"})


def test_tools_are_listed_and_found(step):
    listed = step("lists")
    assert "platform_execute" in listed["openai"] and listed["strategy"] == "filtered"
    assert "platform_delete_agent" in listed["openai"]
    assert "platform_execute" in listed["anthropic"] and listed["tool_choice"] == {"type": "auto"}
    assert len(listed["found"]) == 2 and "platform_get_cost_breakdown" in listed["found"]
    assert listed["schemas"] == [False, False]


def test_calls_of_a_model_are_passed_through(step):
    turn = step("calls", text=f"The shop closes at {uuid.uuid4()}", key=str(uuid.uuid4()))
    assert turn["statuses"] == ["completed", "refused"] and turn["messages"] == ["call_0", "call_1"]
    assert turn["unhandled"] == ["get_weather"]
    # Two turns of their own, then one that is sent twice.
    assert turn["replayed"] == [False, False, False, True]
    assert turn["action"] == "completed"


def test_a_person_denies_one_call_and_approves_another(step, confirmed_writes):
    given = {"texts": [f"{word} {uuid.uuid4()}" for word in ("Kept", "Changed")], "other": f"Other {uuid.uuid4()}"}
    done = step("decisions", session=str(uuid.uuid4()), **given)
    assert done["open"] and (done["denied"], done["reason"]) == ("denied", "not this one")
    assert (done["approved"], done["granted_by"], done["ended"]) == ("completed", "user", "executed")
    assert done["memory"] == given["other"] and done["messages"] == ["call_0"]


def test_a_typed_confirmation_needs_its_phrase(step, toolcrib):
    name = f"Doomed {uuid.uuid4().hex}"
    toolcrib.post("/v1/actions/platform_create_agent", {"name": name})
    assert step("typed", agent=name) == {"phrase": name, "wrong": "phrase_mismatch", "status": "completed"}
    assert toolcrib.answer("POST", "/v1/actions/platform_get_agent", {"agent": name}).status_code == 404


def test_the_application_runs_a_call_and_reports_its_outcome(step):
    done = step("outcomes")
    assert done["claim"] == [False, True] and done["listed"]
    assert done["arguments"] == {"title": "Call back"} and done["again"] == "conflict"
    assert (done["ended"], done["now"]) == ("succeeded", "succeeded")
    assert done["messages"] == ["call_1", "call_0"]


def create_and_listen(toolcrib, create):
    """What `create` returns, and the ID of the event of it: a position from which no later event is missed."""
    address = f"{toolcrib.base}/v1/events?types=agent.created"
    with requests.get(address, headers=toolcrib.headers(), stream=True, timeout=30) as stream:
        lines = stream.iter_lines(chunk_size=1, decode_unicode=True)
        assert ": listening" in (next(lines), next(lines))
        created = create()
        return created, next(line for line in lines if line.startswith("id: ")).removeprefix("id: ")


def test_events_go_on_after_a_lost_connection(client, toolcrib):
    def create(name):
        return toolcrib.post("/v1/actions/platform_create_agent", {"name": name})["data"]["id"]

    workspace, owner = toolcrib.workspace["id"], toolcrib.workspace["owner"]["token"]
    marks = [f"{word} {uuid.uuid4().hex}" for word in ("Before", "First", "Missed", "Last")]
    relay = Relay(int(toolcrib.base.rsplit(":", 1)[1]))
    before, position = create_and_listen(toolcrib, lambda: create(marks[0]))
    process = client.start("events", relay.url, token=owner, workspace=workspace, types=["agent.created", "agent.updated"],
                           count=3, last_event_id=position)
    try:
        ids = [create(marks[1])]
        seen = [json.loads(process.stdout.readline())]
        relay.cut()
        ids += [create(marks[2]), create(marks[3])]
        printed, errors = process.communicate(timeout=30)
        assert process.returncode == 0, errors
        seen += [json.loads(line) for line in printed.splitlines()[:2]]
        assert before not in json.dumps(seen)
        # Each once, in order.
        assert [next(one for one in ids if one in json.dumps(event)) for event in seen] == ids
        assert {event["type"] for event in seen} == {"agent.created"} and len({event["id"] for event in seen}) == 3
        assert all(event["data"]["event_id"] == event["id"] for event in seen)
    finally:
        process.kill()
        process.communicate()
        relay.close()


def test_each_kind_of_error(step, toolcrib):
    confirmation = toolcrib.post("/v1/actions/platform_delete_agent", {"agent": "Release Writer"}, status=202)["confirmation"]["id"]
    toolcrib.post(f"/v1/confirmations/{confirmation}/deny", {})
    asked = [("POST", "/v1/actions/platform_create_agent", {"name": "Scout", "temprature": 0.1}),
             ("POST", "/v1/actions/platform_make_coffee", {}),
             ("POST", f"/v1/confirmations/{confirmation}/approve", {}),
             ("GET", "/v1/confirmations?limit=many"),
             ("GET", "/v1/me")]
    invalid, unknown, decided, query, me = step("failures", requests=asked)
    assert (invalid["status"], invalid["code"]) == (422, "invalid_arguments")
    assert [error["pointer"] for error in invalid["errors"]] == ["/temprature"]
    assert (unknown["status"], unknown["code"]) == (404, "unknown_action") and unknown["hint"]
    assert (decided["status"], decided["code"]) == (409, "already_decided")
    assert (query["status"], query["code"]) == (422, "invalid_arguments")
    assert me["answer"]["workspace"]
    [refused] = step("failures", token="no token", requests=[("GET", "/v1/me")])
    assert (refused["status"], refused["code"]) == (401, "unauthenticated")
    viewer = toolcrib.workspace["viewer"]["token"]
    [forbidden] = step("failures", token=viewer, requests=[("POST", "/v1/actions/platform_create_agent", {"name": "Scout"})])
    assert (forbidden["status"], forbidden["code"]) == (403, "permission_denied") and forbidden["detail"]


def test_a_limit_that_is_reached_says_how_long_to_wait(step, toolcrib):
    toolcrib.ask("PATCH", "/v1/settings", {"limits": {"read_per_minute": 1}}, who="system_admin")
    try:
        answers = step("failures", retry_seconds=0, requests=[("POST", "/v1/actions/platform_list_agents", {})] * 3)
    finally:
        toolcrib.ask("PATCH", "/v1/settings", {"limits": {"read_per_minute": 600}}, who="system_admin")
    assert (answers[-1]["status"], answers[-1]["code"]) == (429, "rate_limited") and answers[-1]["retry_after"] >= 1
