"""Tools, calls and messages in the Anthropic SDK's own types."""
import json

from anthropic.types import Message
from shapes import MESSAGES, exact


def turn(*blocks):
    """An assistant's message as the SDK parses it, with every kind of block that it may have."""
    return Message.model_validate({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "some-model", "stop_reason": "tool_use",
        "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
        "content": [{"type": "thinking", "thinking": "hm", "signature": "x"}, {"type": "text", "text": "I look."}, *blocks]})


def use(cid, name, arguments):
    return {"type": "tool_use", "id": cid, "name": name, "input": arguments}


def test_a_turn_passes_through_unchanged(toolcrib):
    message = turn(use("toolu_a", "platform_list_agents", {"limit": 1}),
                   use("toolu_b", "platform_execute", {"action": "platform_get_workspace_info", "params": {}}),
                   use("toolu_c", "platform_create_agent", {"temperature": 9}))
    content = [block.model_dump() for block in message.content]
    body = toolcrib.post("/v1/tools/calls", {"format": "anthropic", "tool_calls": content})
    exact(MESSAGES["anthropic"], [{"role": "user", "content": "hello"}, {"role": "assistant", "content": content}, *body["messages"]])
    [answer] = body["messages"]
    assert answer["role"] == "user"
    assert [block["tool_use_id"] for block in answer["content"]] == ["toolu_a", "toolu_b", "toolu_c"]
    assert [bool(block.get("is_error")) for block in answer["content"]] == [False, False, True]
    for block in answer["content"]:
        text = block["content"] if isinstance(block["content"], str) else block["content"][0]["text"]
        assert json.loads(text)["status"] in ("completed", "refused", "failed")


def test_a_call_that_waits_tells_the_model_not_to_repeat_it(toolcrib):
    made = toolcrib.post("/v1/actions/platform_create_agent", {"name": "Waits"})
    message = turn(use("toolu_d", "platform_execute", {"action": "platform_delete_agent", "params": {"agent": made["data"]["id"]}}))
    body = toolcrib.post("/v1/tools/calls", {"format": "anthropic", "tool_calls": [b.model_dump() for b in message.content]})
    exact(MESSAGES["anthropic"], body["messages"])
    assert body["results"][0]["status"] == "confirmation_required"
    assert body["results"][0]["confirmation"]["id"] in json.dumps(body["messages"])
