"""The Chat Completions API of the scripted provider: the requests that it accepts, and its responses."""
import itertools
import json

from conversation import Conversation, check_answered
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from shapes import CHOICE, MESSAGES, exact

IDS = itertools.count(1)
KNOWN = {"model", "messages", "tools", "tool_choice", "stream", "stream_options", "temperature", "max_tokens"}


class OpenAI:
    @staticmethod
    def check(headers, body):
        assert headers["Authorization"] == "Bearer fake-key", headers["Authorization"]
        assert body["model"] == "fake-model" and body.keys() <= KNOWN, body.keys() - KNOWN
        exact(MESSAGES["openai"], body["messages"])
        assert ("tool_choice" in body) <= ("tools" in body)
        if "tools" in body:
            assert body["tools"], "an empty list of tools is refused"
            exact(CHOICE["openai"], body.get("tool_choice", "auto"))
        answers, waiting = [], []
        for message in body["messages"]:
            if message["role"] == "tool":
                answers.append(message)
                continue
            check_answered([call["id"] for call in waiting], [answer["tool_call_id"] for answer in answers])
            waiting, answers = message.get("tool_calls") or [], []
        check_answered([call["id"] for call in waiting], [answer["tool_call_id"] for answer in answers])
        texts = [m["content"] for m in body["messages"] if m["role"] in ("user", "assistant") and m.get("content")]
        pairs = [(call["function"]["name"], answer["content"]) for call, answer in zip(waiting, answers)]
        return Conversation("openai", body.get("tools", []), texts, pairs)

    @staticmethod
    def say(parts, body):
        text = "".join(part for part in parts if isinstance(part, str)) or None
        calls = [{"id": f"call_{next(IDS)}", "type": "function",
                  "function": {"name": part[0], "arguments": part[1] if isinstance(part[1], str) else json.dumps(part[1])}}
                 for part in parts if isinstance(part, tuple)]
        why = "tool_calls" if calls else "stop"
        if body.get("stream"):
            return chunks(text, calls, why)
        message = {"role": "assistant", "content": text, "refusal": None, "annotations": []} | ({"tool_calls": calls} if calls else {})
        choice = {"message": message, "logprobs": None, "finish_reason": why}
        return ChatCompletion.model_validate(whole("chat.completion", choice)).to_dict()


def whole(kind, choice):
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": "fake-model",
            "choices": [{"index": 0, **choice}]} | ({"usage": usage} if kind == "chat.completion" else {})


def chunks(text, calls, why):
    """The message as a stream of words, with arguments cut in the middle."""
    deltas = [{"role": "assistant", "content": ""}]
    deltas += [{"content": word} for word in (text or "").split(" ") for word in (word, " ")][:-1]
    for index, call in enumerate(calls):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        deltas.append({"tool_calls": [{"index": index, **call, "function": {"name": name, "arguments": ""}}]})
        deltas += [{"tool_calls": [{"index": index, "function": {"arguments": arguments[at:at + 7]}}]}
                   for at in range(0, len(arguments), 7)]
    for delta, reason in [*((delta, None) for delta in deltas), ({}, why)]:
        chunk = whole("chat.completion.chunk", {"delta": delta, "finish_reason": reason})
        yield f"data: {json.dumps(ChatCompletionChunk.model_validate(chunk).to_dict())}\n\n"
    yield "data: [DONE]\n\n"
