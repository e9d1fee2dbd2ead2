"""Tools of real MCP servers, through the public API only: what is discovered, accepted, listed, called and recorded."""
import json

import pytest
import upstream_servers
from conftest import Toolcrib
from upstream_servers import WRONG_PIN, Workspace, digest

SECRET = "notes-4kd93QmZ"
# What a person sets in the drafts, by slug and the tool's name at the server.
FIELDS = {
    "everything": {
        "echo": {"permission_level": "read", "promoted": True},
        "get-sum": {"permission_level": "read"},
        "get-structured-content": {"permission_level": "read"},
        "get-tiny-image": {"permission_level": "read"},
        "get-resource-links": {"permission_level": "read"},
    },
    "files": {
        "read_text_file": {"permission_level": "read"},
        "list_directory": {"permission_level": "read"},
        "write_file": {"permission_level": "write", "confirmation": "simple", "warning": "The file is overwritten.",
                       "confirm_text": "Write {path}"},
    },
    "notes": {
        "get_note": {"permission_level": "read", "accessible_by": {"types": ["mission", "api"]}, "promoted": True},
        "picture": {"permission_level": "read"},
        "add_note": {"permission_level": "write"},
        "delete_note": {"permission_level": "destructive", "confirmation": "typed", "warning": "The note is gone.",
                        "confirm_text": "Delete note {number}"},
        "print_notes": {"permission_level": "write", "timeout_seconds": 1},
    },
}


class World:
    def __init__(self, folder):
        self.folder = folder
        (folder / "plan.txt").write_text("Water the plants\n")
        self.servers = {"everything": upstream_servers.everything(), "files": upstream_servers.filesystem(folder),
                        "notes": upstream_servers.RecordingServer("notes.py")}
        self.product = Toolcrib("--upstream-hosts", "127.0.0.1")
        limits = {"write_per_minute": 1000, "external_per_minute": 1000}
        self.product.ask("PATCH", "/v1/settings", {"limits": limits}, who="system_admin")
        self.space = Workspace(self.product)
        self.discovered = {name: self.space.add(name, server, SECRET) for name, server in self.servers.items()}
        self.stored = {name: self.space.accept(name, name, fields) for name, fields in FIELDS.items()}

    def close(self):
        self.product.close()
        for server in self.servers.values():
            server.close()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    running = World(tmp_path_factory.mktemp("files"))
    yield running
    running.close()


@pytest.fixture
def space(world):
    return world.space


@pytest.fixture
def notes(world):
    yield world.servers["notes"]
    world.servers["notes"].change(reset=True)


@pytest.mark.parametrize("name, server, described", [
    ("everything", "mcp-servers/everything 2.0.0", 13), ("files", "bridge 4.2.3", 14), ("notes", "notes 1.0", 5)])
def test_what_a_server_lists_is_shown(world, name, server, described):
    listed, shown = world.servers[name].listed(), world.discovered[name]
    assert (shown["server"], shown["left_out"], len(shown["tools"])) == (server, [], described)
    for view in shown["tools"]:
        tool = listed[view["tool"]]
        assert (view["digest"], view["description"]) == (digest(tool), tool["description"])
        assert (view["input_schema"], view.get("output_schema")) == (tool["inputSchema"], tool.get("outputSchema"))
        hints = tool["annotations"] or {}
        destroys = hints.get("readOnlyHint") is False and hints.get("destructiveHint") is True
        assert (view["destructive_hint"], view["current"], view["pins"]) == (destroys, True, [])
    assert {view["tool"] for view in shown["tools"]} == listed.keys()


def test_stored_tools_are_shown_without_asking_the_server(world, space, notes):
    asked = len(notes.received("tools/list"))
    views = space.tools("notes")
    assert {name: view["digest"] for name, view in views.items()} == {
        view["tool"]: view["digest"] for view in world.discovered["notes"]["tools"]}
    pins = views["add_note"]["pins"]
    assert [(pin["slug"], pin["tool"], pin["state"]) for pin in pins] == [("notes", "notes__add_note", "equal")]
    assert len(notes.received("tools/list")) == asked


def test_an_import_makes_drafts_that_nobody_has(world, space, notes):
    made = space.drafts("trial", "notes", exclude=["picture"])
    tools = {tool["name"]: tool for tool in made["document"]["tools"]}
    assert tools.keys() == {"get_note", "add_note", "delete_note", "print_notes"} and made["left_out"] == []
    views = space.tools("notes")
    for name, tool in tools.items():
        assert tool["draft"] is True and "accessible_by" not in tool
        assert tool["mcp"] == {"upstream": "notes", "tool": name, "pin": views[name]["digest"]}
        # An annotation raises a level and never lowers one.
        assert tool["permission_level"] == ("destructive" if name == "delete_note" else "write")
    space.ask("PUT", "/v1/toolsets/trial", made["document"])
    assert "trial__" not in json.dumps(space.get("/v1/tools", strategy="all", detail="names"))
    refused = space.call("trial__add_note", {"text": "From a draft"}, 403)
    assert (refused["code"], notes.calls("add_note")) == ("permission_denied", [])
    space.ask("DELETE", "/v1/toolsets/trial")


def test_an_import_of_nothing_discovered_says_what_to_do(world, space, notes):
    space.post("/v1/upstreams", {"name": "later", "kind": "mcp", "base_url": notes.url}, 201)
    refused = space.post("/v1/toolsets/import", {"slug": "later", "upstream": "later"}, 409)
    assert "/v1/upstreams/later/discover" in json.dumps(refused)
    space.discover("later")
    assert len(space.drafts("later", "later")["document"]["tools"]) == 5
    space.ask("DELETE", "/v1/upstreams/later")


def test_another_pin_than_the_current_one_is_refused(space):
    document = space.get("/v1/toolsets/notes")["document"]
    tool = next(tool for tool in document["tools"] if tool["name"] == "add_note")
    current, tool["mcp"]["pin"] = tool["mcp"]["pin"], WRONG_PIN
    refused = space.ask("PUT", "/v1/toolsets/notes", document, status=409)
    told = json.dumps(refused)
    assert refused["code"] == "conflict" and "add_note" in told and current in told and WRONG_PIN in told
    assert space.get("/v1/toolsets/notes")["document"] != document


def names(listed):
    """The tools of a list, with those that the dispatcher runs."""
    found = {tool["function"]["name"] for tool in listed["tools"]}
    dispatcher = next((tool for tool in listed["tools"] if tool["function"]["name"] == "tools_execute"), None)
    return found | set(dispatcher["function"]["parameters"]["properties"]["action"]["enum"] if dispatcher else ())


@pytest.mark.parametrize("who, beyond", [
    ("viewer", {"files__write_file", "notes__add_note", "notes__print_notes", "notes__delete_note"}),
    ("member", {"notes__delete_note"}), ("admin", set())])
def test_accepted_tools_are_listed_for_whom_they_are(space, who, beyond):
    accepted = {f"{slug}__{name}" for slug, fields in FIELDS.items() for name in fields}
    listed = names(space.get("/v1/tools", who=who))
    assert {name for name in listed if name.split("__")[0] in FIELDS} == accepted - beyond


def test_a_list_has_the_accepted_text_and_schema(world, space):
    listed = {tool["function"]["name"]: tool["function"] for tool in space.get("/v1/tools")["tools"]}
    tool = world.servers["everything"].listed()["echo"]
    shown = listed["everything__echo"]
    assert shown["description"] == tool["description"]
    assert shown["parameters"]["properties"]["message"]["description"] == "Message to echo"


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
    assert picture.startswith("All notes\n") and "image/png" in picture and "68" in picture and "iVBOR" not in picture
    image = space.call("everything__get-tiny-image", {})["data"]["text"]
    assert "image/png" in image and len(image) < 500
    assert "demo://resource/" in space.call("everything__get-resource-links", {"count": 2})["data"]["text"]


def test_a_call_reaches_the_server_once_with_the_upstreams_secret(space, notes):
    before = len(notes.received("tools/call"))
    added = space.call("notes__add_note", {"text": "Once"}, who="member")
    assert added["data"] == {"number": 3}
    calls = notes.received("tools/call")[before:]
    assert [(call["params"]["name"], call["params"]["arguments"]) for call in calls] == [("add_note", {"text": "Once"})]
    assert calls[0]["headers"]["authorization"] == f"Bearer {SECRET}"
    assert space.rows(added["call_id"]) == ("started", "mcp", ["succeeded"])
    assert SECRET not in json.dumps(space.get("/v1/upstreams")) + "".join(space.product.lines)


def test_a_models_calls_come_back_as_messages(space, notes):
    before = len(notes.received("tools/call"))

    def call(number, name, arguments):
        return {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    execute = {"action": "notes__add_note", "params": {"text": "From a model"}}
    turn = {"format": "openai", "tool_calls": [call(1, "notes__get_note", {"number": 2}), call(2, "tools_execute", execute)]}
    answer = space.post("/v1/tools/calls", turn)
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
    write = space.approve(space.call("notes__delete_note", {"number": 9}, 202), 502)
    assert write["upstream_message"] == "There is no note 9."
    assert space.rows(write["call_id"]) == ("started", "mcp", ["failed"])
    assert notes.calls("delete_note") == [{"number": 9}]


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
    outside = space.approve(space.call("files__write_file", {**arguments, "path": "/nowhere/list.txt"}, 202), 502)
    assert "Access denied" in outside["upstream_message"]


def test_a_typed_phrase_for_what_destroys(space, notes):
    waiting = space.call("notes__delete_note", {"number": 1}, 202, who="admin")
    assert (waiting["confirmation"]["level"], notes.calls("delete_note")[1:]) == ("typed", [])
    done = space.approve(waiting)
    assert done["data"] == {"result": "Note 1 is deleted."}
    assert notes.calls("delete_note")[-1] == {"number": 1}


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
    notes.change(lies=True)
    refused = space.call("notes__get_note", {"number": 1}, 502)
    assert refused["code"] == "upstream_error"
    assert space.get(f"/v1/audit/{refused['call_id']}")["outcome"] == "failed"


def test_an_agent_and_its_missions(world, space, notes):
    """The agent's key names the toolset, and the caller type decides as for any action."""
    space.call("platform_create_agent", {"name": "Note keeper"})
    made = space.post("/v1/keys", {"kind": "agent", "name": "Note keeper", "agent": "Note keeper",
                                   "scopes": ["notes:read", "notes:use"], "caller_types": ["mission", "chat"]}, 201)
    keys = world.product.workspace["keeper"] = {"key": made["secret"]}
    mission, chat = {"X-Caller-Type": "mission"}, {"X-Caller-Type": "chat"}
    assert keys and space.call("notes__get_note", {"number": 1}, who="keeper", headers=mission)["data"] == {"text": "Buy bread"}
    refused = space.call("notes__get_note", {"number": 1}, 403, who="keeper", headers=chat)
    assert refused["code"] == "permission_denied"
    added = space.call("notes__add_note", {"text": "From a mission"}, who="keeper", headers=mission)
    assert space.rows(added["call_id"]) == ("started", "mcp", ["succeeded"])
    row = space.get(f"/v1/audit/{added['call_id']}")
    assert (row["principal"]["kind"], row["caller_type"]) == ("agent", "mission")
    # A scope for use is none for deleting, and one for another toolset is none here.
    assert space.call("notes__delete_note", {"number": 2}, 403, who="keeper", headers=mission)["code"] == "permission_denied"
    assert space.call("everything__echo", {"message": "x"}, 403, who="keeper", headers=mission)["code"] == "permission_denied"
    listed = names(space.ask("GET", "/v1/tools", who="keeper", headers=mission))
    assert {name for name in listed if "__" in name} == {"notes__get_note", "notes__picture", "notes__add_note", "notes__print_notes"}


def test_a_tool_that_was_not_accepted_does_not_exist(space, notes):
    for action, arguments in (("everything__get-env", {}), ("files__move_file", {"source": "a", "destination": "b"})):
        assert space.call(action, arguments, 404)["code"] in ("not_found", "unknown_action")


def test_what_can_not_be_discovered(world, space):
    space.post("/v1/upstreams", {"name": "rest", "kind": "http", "base_url": world.servers["notes"].url + "/"}, 201)
    assert space.post("/v1/upstreams/rest/discover", {}, 422)["code"] == "invalid_arguments"
    gone = upstream_servers.RecordingServer("notes.py")
    gone.close()
    space.post("/v1/upstreams", {"name": "gone", "kind": "mcp", "base_url": gone.url}, 201)
    assert space.post("/v1/upstreams/gone/discover", {}, 502)["code"] == "upstream_error"
    for name in ("rest", "gone"):
        space.ask("DELETE", f"/v1/upstreams/{name}")
    for who in ("member", "agent"):
        assert space.post("/v1/upstreams/notes/discover", {}, 403, who=who)["code"] == "permission_denied"
