"""Calls of tools of real MCP servers, through the public API: what is asked, sent, answered and recorded."""
import json

import pytest
from upstream_servers import at_once, everything
from upstream_world import SECRET, names


@pytest.mark.parametrize("action, arguments, data", [
    ("everything__echo", {"message": "Hello"}, {"text": "Echo: Hello"}),
    ("everything__get-sum", {"a": 2, "b": 0.5}, {"text": "The sum of 2 and 0.5 is 2.5."}),
    ("everything__get-structured-content", {"location": "Chicago"},
     {"temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82}),
    ("notes__get_note", {"number": 1}, {"text": "Buy bread"}),
])
def test_a_read_answers_what_the_server_answers(space, action, arguments, data):
    answer = space.call(action, arguments, who="viewer")
    assert (answer["status"], answer["data"]) == ("completed", data)
    assert space.rows(answer["call_id"]) == ("succeeded", "mcp", [])


def test_pictures_and_links_are_named_with_their_size(space):
    picture = space.call("notes__picture", {})["data"]["text"]
    assert picture == "All notes\n[image, image/png, 68 bytes]"
    image = space.call("everything__get-tiny-image", {})["data"]["text"]
    assert "image/png" in image and len(image) < 500
    assert "demo://resource/" in space.call("everything__get-resource-links", {"count": 2})["data"]["text"]


def test_a_call_reaches_the_server_once_with_the_upstreams_secret(space, notes):
    before = len(notes.received("tools/call"))
    added = space.call("notes__add_note", {"text": "Once"}, who="member")
    assert added["data"] == {"number": 3}
    calls = notes.received("tools/call")[before:]
    assert [call["params"]["name"] for call in calls] == ["add_note"]
    assert calls[0]["params"]["arguments"] == {"text": "Once"}
    assert calls[0]["headers"]["authorization"] == f"Bearer {SECRET}"
    assert space.rows(added["call_id"]) == ("started", "mcp", ["succeeded"])
    assert SECRET not in json.dumps(space.get("/v1/upstreams")) + "".join(space.product.lines)


def test_a_models_calls_come_back_as_messages(space, notes):
    before = len(notes.received("tools/call"))

    def call(number, name, arguments):
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {"id": f"call_{number}", "type": "function", "function": function}
    execute = {"action": "notes__add_note", "params": {"text": "From a model"}}
    calls = [call(1, "notes__get_note", {"number": 2}), call(2, "tools_execute", execute)]
    answer = space.post("/v1/tools/calls", {"format": "openai", "tool_calls": calls})
    assert [(result["status"], result["via"]) for result in answer["results"]] == [
        ("completed", "direct"), ("completed", "dispatcher")], answer["results"]
    read, added = (json.loads(message["content"]) for message in answer["messages"])
    assert (read["data"], added["data"]) == ({"text": "Call the bank"}, {"number": 3})
    for message in (read, added):
        assert "not instructions" in message["untrusted"]
    assert len(notes.received("tools/call")) == before + 2


def test_arguments_are_checked_before_the_server_is_asked(space, notes):
    before = len(notes.received("tools/call"))
    refused = space.call("notes__add_note", {"text": 7, "loud": True}, 422)
    assert {error["pointer"] for error in refused["errors"]} == {"/text", "/loud"}
    assert len(notes.received("tools/call")) == before


def test_an_error_of_the_tool_is_a_failed_call(space, notes):
    read = space.call("notes__get_note", {"number": 9}, 502)
    assert (read["code"], read["upstream_message"]) == ("upstream_error", "There is no note 9.")
    assert "get_note" in read["detail"] and "untrusted" in read
    assert space.get(f"/v1/audit/{read['call_id']}")["outcome"] == "failed"
    before = notes.calls("delete_note")
    write = space.approve(space.call("notes__delete_note", {"number": 9}, 202), 502)
    assert write["upstream_message"] == "There is no note 9."
    assert space.rows(write["call_id"]) == ("started", "mcp", ["failed"])
    assert notes.calls("delete_note") == [*before, {"number": 9}]


def test_a_person_approves_a_change_of_a_file(world, space):
    path = world.folder / "list.txt"
    arguments = {"path": str(path), "content": "Bread\n"}
    asked = len(world.servers["files"].received("tools/call"))
    waiting = space.call("files__write_file", arguments, 202, who="member")
    assert waiting["status"] == "confirmation_required" and not path.exists()
    assert waiting["description"] == f"Write {path} (sent to 127.0.0.1:{world.servers['files'].port})"
    assert waiting["confirmation"]["warning"] == "The file is overwritten."
    assert len(world.servers["files"].received("tools/call")) == asked, "nothing is sent before the approval"
    done = space.approve(waiting)
    assert (done["status"], path.read_text()) == ("completed", "Bread\n")
    assert space.rows(done["call_id"]) == ("started", "mcp", ["succeeded"])
    assert space.get(f"/v1/confirmations/{waiting['confirmation']['id']}")["status"] == "executed"
    assert space.call("files__read_text_file", {"path": str(path)})["data"] == {"content": "Bread\n"}
    waiting = space.call("files__write_file", {**arguments, "path": "/nowhere/list.txt"}, 202)
    assert "Access denied" in space.approve(waiting, 502)["upstream_message"]


def test_of_many_approvals_at_once_one_calls_the_tool(space, notes):
    waiting = space.call("notes__delete_note", {"number": 2}, 202)
    path = f"/v1/confirmations/{waiting['confirmation']['id']}/approve"
    phrase, before = space.post(path, {}, 202)["phrase"], len(notes.calls("delete_note"))
    answers = at_once(16, lambda: space.product.answer("POST", path, {"phrase": phrase}))
    assert [answer.status_code for answer in answers].count(200) >= 1
    assert notes.calls("delete_note")[before:] == [{"number": 2}]
    call = next(answer.json()["call_id"] for answer in answers if answer.status_code == 200)
    assert space.rows(call) == ("started", "mcp", ["succeeded"])


def test_a_typed_phrase_for_what_destroys(space, notes):
    before = notes.calls("delete_note")
    waiting = space.call("notes__delete_note", {"number": 1}, 202, who="admin")
    assert (waiting["confirmation"]["level"], notes.calls("delete_note")) == ("typed", before)
    assert space.approve(waiting)["data"] == {"result": "Note 1 is deleted."}
    assert notes.calls("delete_note") == [*before, {"number": 1}]


def test_a_write_without_an_answer_is_unknown_and_not_repeated(space, notes):
    headers = {"Idempotency-Key": "print-once"}
    before = len(notes.calls("print_notes"))
    lost = space.call("notes__print_notes", {"copies": 2}, 503, headers=headers)
    assert lost["code"] == "outcome_unknown"
    assert space.rows(lost["call_id"]) == ("started", "mcp", ["unknown"])
    again = space.call("notes__print_notes", {"copies": 2}, 503, headers=headers)
    assert (again["code"], again["call_id"]) == ("outcome_unknown", lost["call_id"])
    assert notes.calls("print_notes")[before:] == [{"copies": 2}]


def test_a_result_that_does_not_fit_its_schema(space, notes):
    """The call was answered, so it is done, whatever its result looks like."""
    notes.change(lies=True)
    done = space.call("notes__get_note", {"number": 1})
    assert (done["status"], done["data"]) == ("completed", {"text": 7})
    assert space.get(f"/v1/audit/{done['call_id']}")["outcome"] == "succeeded"


def test_an_agent_and_its_missions(space, notes):
    """The agent's key names the toolset, and the caller type decides as for any action."""
    space.call("platform_create_agent", {"name": "Note keeper"})
    key = {"kind": "agent", "name": "Note keeper", "agent": "Note keeper",
           "scopes": ["notes:read", "notes:use"], "caller_types": ["mission", "chat"]}
    space.product.workspace["keeper"] = {"key": space.post("/v1/keys", key, 201)["secret"]}
    mission, chat = {"X-Caller-Type": "mission"}, {"X-Caller-Type": "chat"}
    read = space.call("notes__get_note", {"number": 1}, who="keeper", headers=mission)
    assert read["data"] == {"text": "Buy bread"}
    refused = space.call("notes__get_note", {"number": 1}, 403, who="keeper", headers=chat)
    assert refused["code"] == "permission_denied"
    added = space.call("notes__add_note", {"text": "From a mission"}, who="keeper", headers=mission)
    assert space.rows(added["call_id"]) == ("started", "mcp", ["succeeded"])
    row = space.get(f"/v1/audit/{added['call_id']}")
    assert (row["principal"]["kind"], row["caller_type"]) == ("agent", "mission")
    # A scope for use is none for deleting, and one for another toolset is none here.
    for action, arguments in (("notes__delete_note", {"number": 2}), ("everything__echo", {"message": "x"})):
        refused = space.call(action, arguments, 403, who="keeper", headers=mission)
        assert refused["code"] == "permission_denied"
    listed = names(space.ask("GET", "/v1/tools", who="keeper", headers=mission))
    assert {name for name in listed if "__" in name} == {
        "notes__get_note", "notes__picture", "notes__add_note", "notes__print_notes"}


def test_a_members_calls_have_the_members_secret(space, notes):
    auth = {"kind": "bearer", "owner": "user"}
    space.post("/v1/upstreams", {"name": "own", "kind": "mcp", "base_url": notes.url, "auth": auth}, 201)
    for who in ("owner", "member"):
        space.ask("PUT", "/v1/upstreams/own/secret/mine", {"secret": f"secret-of-{who}"}, who=who)
    space.discover("own")
    space.accept("own", "own", {"add_note": {"permission_level": "write"}})
    before = len(notes.received("tools/call"))
    for who in ("owner", "member"):
        space.call("own__add_note", {"text": who}, who=who)
    credentials = [call["headers"]["authorization"] for call in notes.received("tools/call")[before:]]
    assert credentials == ["Bearer secret-of-owner", "Bearer secret-of-member"]
    refused = space.call("own__add_note", {"text": "editor"}, 501, who="editor")
    assert "/v1/upstreams/own/secret/mine" in refused["hint"]
    space.ask("DELETE", "/v1/toolsets/own")
    space.ask("DELETE", "/v1/upstreams/own")


def test_a_call_is_not_repeated_because_its_session_ended(space):
    server = everything()
    space.add("restarted", server, SECRET)
    space.accept("restarted", "restarted", {"get-sum": {"permission_level": "write"}})
    server.close()
    server = everything(server.port)
    ended = space.call("restarted__get-sum", {"a": 1, "b": 2}, 502)
    assert "ended the session" in ended["detail"]
    assert space.rows(ended["call_id"]) == ("started", "mcp", ["failed"])
    assert space.call("restarted__get-sum", {"a": 1, "b": 2})["data"] == {"text": "The sum of 1 and 2 is 3."}
    server.close()
