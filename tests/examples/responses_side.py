"""The Responses API as the fake provider speaks it: what it must be sent, and how it says its answer."""
import itertools
import json

from conversation import Conversation, check_answered
from openai.types.responses import Response
from shapes import CHOICE, MESSAGES, exact

IDS = itertools.count(1)
KNOWN = {"model", "input", "instructions", "tools", "tool_choice", "include", "temperature", "max_output_tokens"}


class Responses:
    @staticmethod
    def check(headers, body):
        assert headers["Authorization"] == "Bearer fake-key", headers["Authorization"]
        assert body["model"] == "fake-model" and body.keys() <= KNOWN, body.keys() - KNOWN
        exact(MESSAGES["openai_responses"], body["input"])
        assert ("tool_choice" in body) <= ("tools" in body)
        if "tools" in body:
            assert body["tools"], "an empty list of tools is refused"
            exact(CHOICE["openai_responses"], body.get("tool_choice", "auto"))
        texts, answers, waiting = [], [], []
        for item in body["input"]:
            if item.get("type") == "function_call_output":
                answers.append(item)
            elif item.get("type") == "function_call":
                if answers:
                    check_turn(waiting, answers)
                    answers, waiting = [], []
                waiting.append(item)
            else:
                # A message ends a turn, or begins one of texts and calls.
                check_turn(waiting, answers)
                answers, waiting = [], []
                texts.append(text_of(item))
        check_turn(waiting, answers)
        outputs = {answer["call_id"]: answer["output"] for answer in answers}
        pairs = [(call["name"], outputs[call["call_id"]]) for call in waiting]
        return Conversation("openai_responses", body.get("tools", []), texts, pairs)

    @staticmethod
    def say(parts, body):
        """Texts and calls as items; an item has an id of its own beside that of the call."""
        output = [message(part) if isinstance(part, str) else call(*part) for part in parts]
        response = {"id": f"resp_{next(IDS)}", "object": "response", "created_at": 1, "model": "fake-model", "status": "completed",
                    "output": output, "tools": body.get("tools", []), "tool_choice": body.get("tool_choice", "auto"),
                    "parallel_tool_calls": True, "error": None, "incomplete_details": None, "instructions": None, "metadata": None,
                    "temperature": None, "top_p": None,
                    "usage": {"input_tokens": 1, "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
                              "output_tokens": 1, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2}}
        return Response.model_validate(response).to_dict()


def message(text):
    content = [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]
    return {"type": "message", "id": f"msg_{next(IDS)}", "role": "assistant", "status": "completed", "content": content}


def call(name, arguments):
    number = next(IDS)
    return {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": name, "status": "completed",
            "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments)}


def text_of(message):
    assert message["role"] in ("user", "assistant"), message["role"]
    content = message["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def check_turn(calls, answers):
    """Outputs name their calls: the API takes them in any order."""
    called, answered = ([item["call_id"] for item in items] for items in (calls, answers))
    check_answered(called, sorted(answered, key=lambda one: called.index(one) if one in called else len(called)))
