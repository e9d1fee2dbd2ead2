"""Tools of real MCP servers, through the public API only: what is discovered, accepted and listed."""
import json

import pytest
from upstream_servers import RecordingServer, digest
from upstream_world import FIELDS, names

# The digest of a definition that no server has.
WRONG_PIN = "sha256:" + "0" * 64


@pytest.mark.parametrize("name, server, described", [
    ("everything", "mcp-servers/everything 2.0.0", 13), ("files", "bridge 4.2.3", 14),
    ("notes", "notes 1.0", 5)])
def test_what_a_server_lists_is_shown(world, name, server, described):
    listed, shown = world.servers[name].listed(), world.discovered[name]
    assert (shown["server"], shown["left_out"], len(shown["tools"])) == (server, [], described)
    for view in shown["tools"]:
        tool = listed[view["tool"]]
        assert (view["digest"], view["description"]) == (digest(tool), tool["description"])
        assert view["input_schema"] == tool["inputSchema"]
        assert view.get("output_schema") == tool.get("outputSchema")
        hints = tool["annotations"] or {}
        destroys = hints.get("readOnlyHint") is False and hints.get("destructiveHint") is True
        assert (view["destructive_hint"], view["current"], view["pins"]) == (destroys, True, [])
    assert {view["tool"] for view in shown["tools"]} == listed.keys()


def test_stored_tools_are_shown_without_asking_the_server(world, space, notes):
    asked = len(notes.received("tools/list"))
    views = space.tools("notes")
    assert {name: view["digest"] for name, view in views.items()} == {
        view["tool"]: view["digest"] for view in world.discovered["notes"]["tools"]}
    (pin,) = views["add_note"]["pins"]
    assert (pin["slug"], pin["tool"], pin["state"]) == ("notes", "notes__add_note", "equal")
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
    assert refused["code"] == "permission_denied" and {"text": "From a draft"} not in notes.calls("add_note")
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


def test_a_tool_that_was_not_accepted_does_not_exist(space, notes):
    move = {"source": "a", "destination": "b"}
    for action, arguments in (("everything__get-env", {}), ("files__move_file", move)):
        assert space.call(action, arguments, 404)["code"] == "unknown_action"


def test_what_can_not_be_discovered(world, space):
    rest = {"name": "rest", "kind": "http", "base_url": f"{world.servers['notes'].url}/"}
    space.post("/v1/upstreams", rest, 201)
    assert space.post("/v1/upstreams/rest/discover", {}, 422)["code"] == "invalid_arguments"
    gone = RecordingServer("notes.py")
    gone.close()
    space.post("/v1/upstreams", {"name": "gone", "kind": "mcp", "base_url": gone.url}, 201)
    assert space.post("/v1/upstreams/gone/discover", {}, 502)["code"] == "upstream_error"
    for name in ("rest", "gone"):
        space.ask("DELETE", f"/v1/upstreams/{name}")
    for who in ("member", "agent"):
        assert space.post("/v1/upstreams/notes/discover", {}, 403, who=who)["code"] == "permission_denied"
