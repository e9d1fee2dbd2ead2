"""A chatbot whose tools are Toolcrib's: LangChain, and any chat model of it that binds tools."""
import json
import os
import uuid

import requests
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_openai import ChatOpenAI

SYSTEM = "You help people run their workspace. Use the tools; never make up ids or figures."

# Reads OPENAI_API_KEY and, for another provider, OPENAI_BASE_URL. Chat models of other packages take its place.
model = ChatOpenAI(model=os.environ["MODEL"])
crib = requests.Session()
# The token is the user's own, so the model can do what this user can, and no more. A session is one conversation.
crib.headers.update({"Authorization": f"Bearer {os.environ['CRIB_TOKEN']}", "X-Caller-Type": "chat",
                     "X-Workspace-Id": os.environ["CRIB_WORKSPACE"], "X-Session-Id": str(uuid.uuid4())})


def ask(method, path, body=None, refusals=(), key=None):
    """An answer of Toolcrib. Refusals that the caller deals with are answers too; any other is an error."""
    answer = crib.request(method, os.environ["CRIB_URL"] + path, json=body, headers={"Idempotency-Key": key}, timeout=60)
    if answer.status_code not in refusals:
        answer.raise_for_status()
    return answer.json()


def decide(waiting):
    """Lets the person at the keyboard decide a call that waits; returns its final answer as messages."""
    confirmation = waiting["confirmation"]
    print(f"\n! {waiting['description']}: {confirmation['warning']}")
    for line in confirmation["summary"]:
        print(f"    {line['label']}: {line['value']}")
    path = f"/v1/confirmations/{confirmation['id']}"
    if input("  approve? [y/N] ").strip().lower() != "y":
        ask("POST", f"{path}/deny", {"reason": "the user said no"}, refusals=(403, 409, 410))
    else:
        answer = ask("POST", f"{path}/approve", {}, refusals=(403, 409, 410))
        # What can't be undone asks a second time: the first answer says which phrase has to be typed.
        wanted = answer.get("phrase")
        while answer.get("status") == "phrase_required" or answer.get("code") == "phrase_mismatch":
            phrase = input(f"  type {wanted} to go on: ")
            answer = ask("POST", f"{path}/approve", {"phrase": phrase}, refusals=(403, 409, 410, 422))
    # Without a decision, or with one that somebody else must take, there is nothing to replace.
    return ask("GET", path).get("messages", [])


def run(message):
    """Passes the model's calls on; each gets an answer, whatever happened to it, and so do those that are no JSON."""
    made = [*message.tool_calls, *message.invalid_tool_calls]
    calls = [{"id": call["id"], "type": "function", "function": {
        "name": call["name"], "arguments": call["args"] if isinstance(call["args"], str) else json.dumps(call["args"])}}
        for call in made]
    # A key tells this turn from others, because some providers number the calls of each turn anew.
    turn = ask("POST", "/v1/tools/calls", {"format": "openai", "strategy": "filtered", "tool_calls": calls},
               key=str(uuid.uuid4()))
    decided = {}
    for result in turn["results"]:
        if result["status"] == "confirmation_required":
            decided.update((answer["tool_call_id"], answer) for answer in decide(result))
    answers = [decided.get(answer["tool_call_id"], answer) for answer in turn["messages"]]
    return [ToolMessage(answer["content"], tool_call_id=answer["tool_call_id"]) for answer in answers]


def reply(messages, text):
    """One message of the user: tools for it, then model and tools in turn until the model has its answer."""
    said = [m.text for m in messages if isinstance(m, (HumanMessage, AIMessage)) and m.text]
    listed = ask("POST", "/v1/tools", {"format": "openai", "strategy": "filtered", "query": text, "context": said[-6:]})
    # `bind_tools` converts the list to what the chat model's own provider expects.
    equipped = model.bind_tools(listed["tools"], tool_choice=listed.get("tool_choice")) if listed["tools"] else model
    messages.append(HumanMessage(text))
    for _ in range(10):
        message = equipped.invoke(messages)
        messages.append(message)
        if not (message.tool_calls or message.invalid_tool_calls):
            return message.text
        messages += run(message)
    return "I stopped after ten rounds of tools."


if __name__ == "__main__":
    conversation = [SystemMessage(SYSTEM)]
    try:
        while True:
            print(reply(conversation, input("\n> ")))
    except (EOFError, KeyboardInterrupt):
        print()
