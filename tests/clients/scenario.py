"""One step of what a chatbot does, with the installed package: `STEP` names it, and `GIVEN` has its parameters."""
import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, cast

import httpx
from toolcrib import AsyncToolcrib, Event, Toolcrib, ToolcribError

Given = dict[str, Any]
KIND = os.environ["KIND"]


class Awaitables:
    """The client without asyncio, with the shape of the other one."""

    def __init__(self, client: Toolcrib) -> None:
        self.client = client

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.client, name)

        async def call(*arguments: Any, **named: Any) -> Any:
            return method(*arguments, **named)

        return call

    def with_options(self, **changes: Any) -> "Awaitables":
        return Awaitables(self.client.with_options(**changes))

    async def events(self, **named: Any) -> AsyncIterator[Event]:
        for event in self.client.events(**named):
            yield event


def call(number: str, name: str, arguments: Given) -> Given:
    return {"id": number, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def told(error: ToolcribError) -> Given:
    return {"status": error.status, "code": error.code, "detail": error.detail, "hint": error.hint, "errors": error.errors,
            "call": error.call, "retry_after": error.retry_after}


async def lists(crib: AsyncToolcrib, given: Given) -> Any:
    listed = await crib.list_tools(strategy="filtered", query="delete an agent", context=["Which agents are there?"])
    messages = await crib.list_tools(format="anthropic", detail="names", max_tokens=4000)
    found = await crib.search_tools("what did we spend on models", limit=2, include_schema=False)
    return {"openai": [tool["function"]["name"] for tool in listed["tools"]], "strategy": listed["strategy"],
            "anthropic": [tool["name"] for tool in messages["tools"]], "tool_choice": messages.get("tool_choice"),
            "found": [item["name"] for item in found["items"]], "schemas": ["parameters" in item for item in found["items"]]}


async def calls(crib: AsyncToolcrib, given: Given) -> Any:
    turn = await crib.call_tools([call("call_0", "platform_list_agents", {"limit": 1}),
                                  call("call_1", "platform_get_agent", {"agent": "nobody"}), call("call_2", "get_weather", {})],
                                 foreign="skip")
    write = [call("call_0", "platform_store_memory", {"content": given["text"]})]
    first = await crib.call_tools(write)
    # Providers number the calls of each turn anew.
    second = await crib.call_tools(write)
    named = [await crib.call_tools(write, idempotency_key=given["key"]) for _ in range(2)]
    action = await crib.call_action("platform_list_agents", {"limit": 1})
    return {"statuses": [result["status"] for result in turn["results"]],
            "messages": [message["tool_call_id"] for message in turn["messages"]],
            "unhandled": [left["name"] for left in turn["unhandled"]],
            "replayed": [result["replayed"] for one in (first, second, *named) for result in one["results"]
                         if result["status"] == "completed"],
            "action": action["status"]}


async def waiting(crib: AsyncToolcrib, name: str, arguments: Given) -> str:
    turn = await crib.call_tools([call("call_0", name, arguments)])
    [result] = turn["results"]
    assert result["status"] == "confirmation_required", result
    return result["confirmation"]["id"]


async def decisions(crib: AsyncToolcrib, given: Given) -> Any:
    kept, changed = [await waiting(crib, "platform_store_memory", {"content": text}) for text in given["texts"]]
    open_ones = await crib.list_confirmations(status="open", session=given["session"], decidable=True)
    denied = await crib.deny(kept, reason="not this one")
    approved = await crib.approve(changed, arguments={"content": given["other"]})
    assert approved["status"] == "completed"
    ended = await crib.get_confirmation(changed, wait=1)
    return {"open": sorted(item["id"] for item in open_ones["items"]) == sorted([kept, changed]), "denied": denied["status"],
            "reason": denied["reason"], "approved": approved["status"], "granted_by": approved["granted_by"],
            "memory": approved["data"]["content"], "ended": ended["status"],
            "messages": [message["tool_call_id"] for message in ended.get("messages", [])]}


async def typed(crib: AsyncToolcrib, given: Given) -> Any:
    confirmation = await waiting(crib, "platform_delete_agent", {"agent": given["agent"]})
    first = await crib.approve(confirmation)
    assert first["status"] == "phrase_required"
    try:
        await crib.approve(confirmation, phrase="something else")
        wrong = ""
    except ToolcribError as error:
        wrong = error.code
    second = await crib.approve(confirmation, phrase=first["phrase"])
    return {"phrase": first["phrase"], "wrong": wrong, "status": second["status"]}


async def outcomes(crib: AsyncToolcrib, given: Given) -> Any:
    turn = await crib.call_tools([call("call_0", "orion__get_emails", {"query": "budget"}),
                                  call("call_1", "orion__create_task", {"title": "Call back"})])
    read, write = turn["results"]
    assert read["status"] == "client_execution_required" and write["status"] == "confirmation_required"
    to_run = await crib.approve(write["confirmation"]["id"])
    assert to_run["status"] == "client_execution_required"
    listed = await crib.list_calls(open=True, mine=True, limit=100)
    claimed = await crib.claim_call(to_run["call_id"])
    try:
        await crib.claim_call(to_run["call_id"])
        again = ""
    except ToolcribError as error:
        again = error.code
    ended = await crib.report_outcome(to_run["call_id"], "succeeded", output={"id": "t-1"})
    call_now = await crib.get_call(to_run["call_id"], wait=1)
    reported = await crib.report_outcomes([
        {"action": "orion__get_emails", "tool_call_id": "call_0", "status": "failed", "error": "the mailbox is closed"}])
    return {"claim": [read["claim"], to_run["claim"]], "listed": to_run["call_id"] in [item["call_id"] for item in listed["items"]],
            "arguments": claimed["arguments"], "again": again, "ended": ended["state"], "now": call_now["state"],
            "messages": [message["tool_call_id"] for message in (*call_now.get("messages", []), *reported["messages"])]}


async def events(crib: AsyncToolcrib, given: Given) -> Any:
    """Prints each event as it comes, until there are as many as were asked for."""
    wanted = given["count"]
    async with contextlib.aclosing(cast(Any, crib.events(types=given["types"], session=given.get("session"),
                                                         last_event_id=given.get("last_event_id")))) as stream:
        async for event in stream:
            print(json.dumps({"id": event.id, "type": event.type, "data": event.data}), flush=True)
            wanted -= 1
            if not wanted:
                break
    return None


async def failures(crib: AsyncToolcrib, given: Given) -> Any:
    """What each request raises: a list of method, path and body."""
    raised = []
    for request in given["requests"]:
        try:
            raised.append({"answer": await crib.request(*request)})
        except ToolcribError as error:
            raised.append(told(error))
    return raised


async def methods(crib: AsyncToolcrib, given: Given) -> Any:
    """What methods return or raise."""
    asked: dict[str, Callable[[], Awaitable[Any]]] = {
        "list": lambda: crib.list_tools(),
        "calls": lambda: crib.call_tools([call("call_0", "platform_list_agents", {})]),
        "action": lambda: crib.call_action("platform_list_agents"),
        "approve": lambda: crib.approve("a/b"),
        "claim": lambda: crib.claim_call("c1"),
        "outcome": lambda: crib.report_outcome("c1", "not_run", error="no paper"),
        "confirmations": lambda: crib.list_confirmations(mine=True),
    }
    ends = []
    for name in given["methods"]:
        try:
            ends.append({"answer": await asked[name]()})
        except ToolcribError as error:
            ends.append(told(error))
    return ends


async def options(crib: AsyncToolcrib, given: Given) -> Any:
    """What the other clients of one client send, which the product's stand-in answers with."""
    turns = iter(["first", "second"])
    other = crib.with_options(token=lambda: next(turns), session="talk-2", on_behalf_of="somebody", caller_type="chat")
    return [await who.request("GET", "/v1/me") for who in (other, other, crib)]


STEPS: list[Callable[[AsyncToolcrib, Given], Awaitable[Any]]] = [
    lists, calls, decisions, typed, outcomes, events, failures, methods, options]


def bytewise(text: str) -> httpx.MockTransport:
    """Answers with this stream, in pieces of one byte."""
    pieces = [bytes([byte]) for byte in text.encode()]

    async def one_by_one() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    return httpx.MockTransport(lambda _: httpx.Response(200, content=one_by_one() if KIND == "async" else iter(pieces)))


async def main() -> None:
    step = next(step for step in STEPS if getattr(step, "__name__") == os.environ["STEP"])
    given: Given = json.loads(os.environ["GIVEN"])
    base, token, workspace = (os.environ[name] for name in ("BASE", "TOKEN", "WORKSPACE"))
    options: Given = {"workspace": workspace, "session": given.get("session"), "retry_seconds": given.get("retry_seconds", 30),
                      "transport": bytewise(given["stream"]) if "stream" in given else None}
    if KIND == "async":
        async with AsyncToolcrib(base, token, **options) as crib:
            print(json.dumps(await step(crib, given)))
    else:
        with Toolcrib(base, token, **options) as client:
            print(json.dumps(await step(cast(AsyncToolcrib, Awaitables(client)), given)))


asyncio.run(main())
