"""The Messages API of the scripted provider: the requests that it accepts, and its responses."""
import itertools
import json

from anthropic.types import Message, RawMessageStreamEvent
from conversation import Conversation, check_answered
from pydantic import TypeAdapter
from shapes import CHOICE, MESSAGES, exact

IDS = itertools.count(1)
EVENT = TypeAdapter(RawMessageStreamEvent)
KNOWN = {"model", "messages", "tools", "tool_choice", "stream", "max_tokens", "system", "temperature"}


class Anthropic:
    @staticmethod
    def check(headers, body):
        # Either header may have the key.
        assert "fake-key" in (headers["X-Api-Key"], (headers["Authorization"] or "").removeprefix("Bearer "))
        assert headers["Anthropic-Version"]
        assert body["model"] == "fake-model" and body["max_tokens"] > 0 and body.keys() <= KNOWN, body.keys() - KNOWN
        exact(MESSAGES["anthropic"], body["messages"])
        assert ("tool_choice" in body) <= ("tools" in body)
        if "tools" in body:
            assert body["tools"], "an empty list of tools is refused"
            exact(CHOICE["anthropic"], body.get("tool_choice", {"type": "auto"}))
        roles = [message["role"] for message in body["messages"]]
        assert roles == (["user", "assistant"] * len(roles))[:len(roles)] and roles[-1] == "user", roles
        waiting, answers = [], []
        for message in body["messages"]:
            content = [] if isinstance(message["content"], str) else message["content"]
            answers = [block for block in content if block["type"] == "tool_result"]
            check_answered([block["id"] for block in waiting], [block["tool_use_id"] for block in answers])
            waiting, asked = [block for block in content if block["type"] == "tool_use"], waiting
        assert not waiting
        texts = [block["text"] for m in body["messages"] if not isinstance(m["content"], str)
                 for block in m["content"] if block["type"] == "text"]
        for answer in answers:
            assert answer.get("is_error", False) == (json.loads(answer["content"])["status"] in ("refused", "failed"))
        pairs = [(call["name"], answer["content"]) for call, answer in zip(asked, answers)] if answers else []
        return Conversation("anthropic", body.get("tools", []), texts, pairs)

    @staticmethod
    def say(parts, body):
        content = [{"type": "text", "text": part} if isinstance(part, str) else
                   {"type": "tool_use", "id": f"toolu_{next(IDS)}", "name": part[0], "input": part[1]} for part in parts]
        why = "tool_use" if any(block["type"] == "tool_use" for block in content) else "end_turn"
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "fake-model", "content": content,
                   "stop_reason": why, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
        Message.model_validate(message)
        return events(message) if body.get("stream") else message


def events(message):
    """The message as a stream, with texts and arguments cut in the middle."""
    def event(kind, **data):
        EVENT.validate_python({"type": kind, **data})
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n"

    yield event("message_start", message=message | {"content": [], "stop_reason": None})
    yield 'event: ping\ndata: {"type": "ping"}\n\n'
    for index, block in enumerate(message["content"]):
        text = block["text"] if block["type"] == "text" else json.dumps(block["input"])
        empty = {"text": ""} if block["type"] == "text" else {"input": {}}
        yield event("content_block_start", index=index, content_block=block | empty)
        for at in range(0, len(text), 7):
            piece = text[at:at + 7]
            delta = ({"type": "text_delta", "text": piece} if block["type"] == "text" else
                     {"type": "input_json_delta", "partial_json": piece})
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    yield event("message_delta", delta={"stop_reason": message["stop_reason"], "stop_sequence": None},
                usage={"output_tokens": 9})
    yield event("message_stop")
