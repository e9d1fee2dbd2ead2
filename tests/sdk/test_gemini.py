"""Calls and responses in the types of Google's own package."""
from google.genai import types
from shapes import MESSAGES, exact


def turn(*calls):
    """A model's content as the package parses and dumps it, with text before its calls."""
    content = types.Content.model_validate({"role": "model", "parts": [
        {"text": "I look."}, *({"functionCall": call} for call in calls)]})
    return content.model_dump(mode="json", by_alias=True, exclude_none=True)


def test_a_turn_passes_through_unchanged(toolcrib):
    content = turn({"id": "a", "name": "platform_list_agents", "args": {"limit": 1}},
                   {"name": "platform_execute", "args": {"action": "platform_get_workspace_info", "params": {}}},
                   {"id": "c", "name": "platform_create_agent", "args": {"temperature": 9}})
    body = toolcrib.post("/v1/tools/calls", {"format": "gemini", "tool_calls": content["parts"]})
    exact(MESSAGES["gemini"], [{"role": "user", "parts": [{"text": "hello"}]}, content, *body["messages"]])
    [answer] = body["messages"]
    responses = [part["functionResponse"] for part in answer["parts"]]
    assert answer["role"] == "user"
    # A response has an id only if the model gave one.
    assert [r.get("id") for r in responses] == ["a", None, "c"]
    assert [r["name"] for r in responses] == ["platform_list_agents", "platform_execute", "platform_create_agent"]
    assert [r["response"]["status"] for r in responses] == ["completed", "completed", "refused"]


def test_parts_in_the_spelling_of_the_package_pass_too(toolcrib):
    part = types.Part.from_function_call(name="platform_list_agents", args={"limit": 1}).model_dump(mode="json", exclude_none=True)
    body = toolcrib.post("/v1/tools/calls", {"format": "gemini", "tool_calls": [part]})
    exact(MESSAGES["gemini"], body["messages"])
    assert body["results"][0]["ok"]


def test_a_decision_answers_the_same_call(toolcrib):
    toolcrib.post("/v1/actions/platform_create_agent", {"name": "Waits in Gemini"})
    call = {"id": "w", "name": "platform_execute", "args": {"action": "platform_delete_agent", "params": {"agent": "Waits in Gemini"}}}
    body = toolcrib.post("/v1/tools/calls", {"format": "gemini", "tool_calls": turn(call)["parts"]})
    denied = toolcrib.post(f"/v1/confirmations/{body['results'][0]['confirmation']['id']}/deny", {"reason": "no"})
    exact(MESSAGES["gemini"], body["messages"] + denied["messages"])
    waiting, final = (answer[0]["parts"][0]["functionResponse"] for answer in (body["messages"], denied["messages"]))
    assert (waiting["id"], waiting["name"]) == (final["id"], final["name"]) == ("w", "platform_execute")
    assert [waiting["response"]["status"], final["response"]["status"]] == ["confirmation_required", "refused"]
