"""Calls and responses in the OpenAI SDK's own types of the Responses API."""
import json

from openai.types.responses import Response
from shapes import MESSAGES, exact


def turn(*calls):
    """A response as the SDK parses it, with other items around its calls."""
    response = Response.model_validate({
        "id": "resp_1", "object": "response", "created_at": 1, "model": "some-model", "status": "completed",
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None,
        "instructions": None, "metadata": None, "temperature": None, "top_p": None,
        "output": [{"type": "reasoning", "id": "rs_1", "summary": []},
                   *({"type": "function_call", "id": f"fc_{cid}", "call_id": cid, "name": name, "arguments": arguments,
                      "status": "completed"} for cid, name, arguments in calls)]})
    return [item.to_dict() for item in response.output]


def test_a_turn_passes_through_unchanged(toolcrib):
    output = turn(("call_a", "platform_list_agents", '{"limit":1}'),
                  ("call_b", "platform_execute", '{"action":"platform_get_workspace_info","params":{}}'),
                  ("call_c", "platform_create_agent", '{"temperature":9}'),
                  ("call_d", "platform_list_agents", "{not json"))
    body = toolcrib.post("/v1/tools/calls", {"format": "openai_responses", "tool_calls": output})
    exact(MESSAGES["openai_responses"], [{"role": "user", "content": "hello"}, *output, *body["messages"]])
    assert [item["call_id"] for item in body["messages"]] == ["call_a", "call_b", "call_c", "call_d"]
    assert [json.loads(item["output"])["status"] for item in body["messages"]] == ["completed", "completed", "refused", "refused"]


def test_a_decision_answers_the_same_call(toolcrib):
    toolcrib.post("/v1/actions/platform_create_agent", {"name": "Waits in Responses"})
    call = ("call_w", "platform_execute", '{"action":"platform_delete_agent","params":{"agent":"Waits in Responses"}}')
    body = toolcrib.post("/v1/tools/calls", {"format": "openai_responses", "tool_calls": turn(call)})
    denied = toolcrib.post(f"/v1/confirmations/{body['results'][0]['confirmation']['id']}/deny", {})
    exact(MESSAGES["openai_responses"], body["messages"] + denied["messages"])
    [waiting], [final] = body["messages"], denied["messages"]
    assert waiting["call_id"] == final["call_id"] == "call_w"
    assert json.loads(waiting["output"])["status"] == "confirmation_required"
    assert json.loads(final["output"])["status"] == "refused"
