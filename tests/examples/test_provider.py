"""The scripted provider refuses what the real ones refuse. Otherwise the runs with it would prove nothing."""
import copy
import json

import pytest
import requests
from provider import Provider

DONE = json.dumps({"status": "completed", "description": "x", "data": {}})
SCHEMA = {"type": "object", "properties": {"limit": {"type": "integer"}}}


def openai_request():
    call = {"type": "function", "function": {"name": "platform_x", "arguments": "{}"}}
    return {"model": "fake-model", "tool_choice": "auto",
            "tools": [{"type": "function", "function": {"name": "platform_x", "description": "x", "parameters": SCHEMA}}],
            "messages": [{"role": "user", "content": "hello"},
                         {"role": "assistant", "tool_calls": [{"id": "a", **call}, {"id": "b", **call}]},
                         {"role": "tool", "tool_call_id": "a", "content": DONE},
                         {"role": "tool", "tool_call_id": "b", "content": DONE}]}


def responses_request():
    call = {"type": "function_call", "name": "platform_x", "arguments": "{}"}
    return {"model": "fake-model", "tool_choice": "auto",
            "tools": [{"type": "function", "name": "platform_x", "description": "x", "parameters": SCHEMA, "strict": False}],
            "input": [{"role": "user", "content": "hello"}, {"call_id": "a", **call}, {"call_id": "b", **call},
                      {"type": "function_call_output", "call_id": "a", "output": DONE},
                      {"type": "function_call_output", "call_id": "b", "output": DONE}]}


def anthropic_request():
    return {"model": "fake-model", "max_tokens": 10, "tool_choice": {"type": "auto"},
            "tools": [{"name": "platform_x", "description": "x", "input_schema": SCHEMA}],
            "messages": [{"role": "user", "content": "hello"},
                         {"role": "assistant", "content": [{"type": "tool_use", "id": i, "name": "platform_x", "input": {}} for i in "ab"]},
                         {"role": "user", "content": [{"type": "tool_result", "tool_use_id": i, "content": DONE} for i in "ab"]}]}


SIDES = {"openai": ("/v1/chat/completions", openai_request, {"Authorization": "Bearer fake-key"}),
         "responses": ("/v1/responses", responses_request, {"Authorization": "Bearer fake-key"}),
         "anthropic": ("/v1/messages", anthropic_request, {"X-Api-Key": "fake-key", "Anthropic-Version": "2023-06-01"})}

# Each mistake, and how to put it into a request. `answers` is the list with the results of the turn.
WRONG = {
    "a call without an answer": lambda body, answers: answers.pop(),
    "two answers to a call": lambda body, answers: answers.append(copy.deepcopy(answers[-1])),
    "answers in another order": lambda body, answers: answers.append(answers.pop(-2)),
    "an answer to no call": lambda body, answers: answers[-1].update({next(k for k in answers[-1] if k.endswith("_id")): "zz"}),
    "an unknown key in an answer": lambda body, answers: answers[-1].update(surprise=1),
    "an answer that is not ours": lambda body, answers: answers[-1].update(
        {"output" if "output" in answers[-1] else "content": '{"status": "waiting"}'}),
    "an unknown key in a tool": lambda body, answers: body["tools"][0].update(surprise=1),
    "a tool twice": lambda body, answers: body["tools"].append(body["tools"][0]),
    "a schema that is none": lambda body, answers: schema(body).update(type="strin"),
    "a reference in a schema": lambda body, answers: schema(body)["properties"].update(y={"$ref": "#/$defs/y"}),
    "no tools, but a choice": lambda body, answers: body.pop("tools"),
    "an empty list of tools": lambda body, answers: body.update(tools=[]),
    "an unknown parameter": lambda body, answers: body.update(strategy="full"),
    "no model": lambda body, answers: body.pop("model"),
    "roles out of order": lambda body, answers: items(body).insert(1, {"role": "tool", "content": "x", "tool_call_id": "a"}),
}
# Responses' outputs name their calls, and may come in any order.
ORDERED = "answers in another order"


def items(body):
    """The conversation of a request."""
    return body["input"] if "input" in body else body["messages"]


def schema(body):
    """The schema of the only tool, which the test may change."""
    tool = body["tools"][0] = copy.deepcopy(body["tools"][0])
    return tool["input_schema"] if "input_schema" in tool else tool.get("function", tool)["parameters"]


def send(form, wrong=None, headers=None, say=lambda model: ["hello"]):
    path, build, right = SIDES[form]
    body = build()
    if wrong:
        wrong(body, items(body)[-1]["content"] if form == "anthropic" else items(body))
    provider = Provider([say])
    try:
        answer = requests.post(provider.url + path, json=body, headers=right if headers is None else headers, timeout=10)
        assert bool(provider.faults) == (answer.status_code == 400)
        return answer
    finally:
        provider.close()


@pytest.mark.parametrize("form", SIDES)
def test_a_sound_request_is_answered(form):
    answer = send(form)
    assert answer.status_code == 200 and "hello" in answer.text


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("form", SIDES)
def test_a_wrong_request_is_refused(form, wrong):
    fine = form == "responses" and wrong == ORDERED
    assert send(form, WRONG[wrong]).status_code == (200 if fine else 400)


@pytest.mark.parametrize("form", SIDES)
def test_a_request_without_a_key_is_refused(form):
    assert send(form, headers={"Anthropic-Version": "2023-06-01"}).status_code == 400


@pytest.mark.parametrize("form", SIDES)
def test_a_script_calls_only_what_is_offered(form):
    assert send(form, say=lambda model: [("platform_x", {"limit": 1})]).status_code == 200
    assert send(form, say=lambda model: [("platform_y", {})]).status_code == 400
    assert send(form, say=lambda model: [("platform_x", {"limit": "one"})]).status_code == 400
