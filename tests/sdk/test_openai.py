"""Tools, calls and messages in the OpenAI SDK's own types."""
import json

from openai.types.chat import ChatCompletion, ChatCompletionMessage
from shapes import MESSAGES, exact


def turn(*calls):
    """An assistant's message as the SDK parses it, dumped as applications pass it on."""
    completion = ChatCompletion.model_validate({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "some-model",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "logprobs": None, "message": {
            "role": "assistant", "content": None, "refusal": None,
            "tool_calls": [{"id": cid, "type": "function", "function": {"name": name, "arguments": arguments}}
                           for cid, name, arguments in calls]}}]})
    return completion.choices[0].message


def test_a_turn_passes_through_unchanged(toolcrib):
    message = turn(("call_a", "platform_list_agents", '{"limit":1}'),
                   ("call_b", "platform_execute", '{"action":"platform_get_workspace_info","params":{}}'),
                   ("call_c", "platform_create_agent", '{"temperature":9}'),
                   ("call_d", "platform_list_agents", "{not json"))
    calls = [call.model_dump() for call in message.tool_calls]
    body = toolcrib.post("/v1/tools/calls", {"format": "openai", "tool_calls": calls})
    assert [m["tool_call_id"] for m in body["messages"]] == ["call_a", "call_b", "call_c", "call_d"]
    for answer in body["messages"]:
        assert answer["role"] == "tool" and json.loads(answer["content"])
    assert [result["ok"] for result in body["results"]] == [True, True, False, False]
    # The conversation as it is sent back to the provider.
    assert isinstance(message, ChatCompletionMessage)
    exact(MESSAGES["openai"], [{"role": "user", "content": "hello"}, message.model_dump(exclude_none=True), *body["messages"]])


def test_other_tools_of_the_application_are_left_to_it(toolcrib):
    message = turn(("call_a", "get_weather", '{"city":"x"}'), ("call_b", "platform_list_agents", "{}"))
    calls = [call.model_dump() for call in message.tool_calls]
    body = toolcrib.post("/v1/tools/calls", {"format": "openai", "tool_calls": calls, "foreign": "skip"})
    assert [m["tool_call_id"] for m in body["messages"]] == ["call_b"]
    assert "call_a" in json.dumps(body["unhandled"])
