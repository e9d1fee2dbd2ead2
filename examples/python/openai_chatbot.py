"""A chatbot whose tools are Toolcrib's: the OpenAI SDK, and any provider that speaks Chat Completions."""
import os
import uuid

import requests
from openai import OpenAI

SYSTEM = "You help people run their workspace. Use the tools; never make up ids or figures."

model = OpenAI()  # reads OPENAI_API_KEY and, for another provider, OPENAI_BASE_URL
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


def run(calls):
    """Passes the model's calls through unchanged; each gets an answer, whatever happened to it."""
    # A key tells this turn from others, because some providers number the calls of each turn anew.
    turn = ask("POST", "/v1/tools/calls", {"format": "openai", "strategy": "filtered", "tool_calls": calls},
               key=str(uuid.uuid4()))
    decided = {}
    for result in turn["results"]:
        if result["status"] == "confirmation_required":
            decided.update((answer["tool_call_id"], answer) for answer in decide(result))
    return [decided.get(answer["tool_call_id"], answer) for answer in turn["messages"]]


def reply(messages, text):
    """One message of the user: tools for it, then model and tools in turn until the model has its answer."""
    said = [m["content"] for m in messages if m["role"] in ("user", "assistant") and m.get("content")]
    listed = ask("POST", "/v1/tools", {"format": "openai", "strategy": "filtered", "query": text, "context": said[-6:]})
    offered = {key: listed[key] for key in ("tools", "tool_choice") if listed.get(key)}
    messages.append({"role": "user", "content": text})
    for _ in range(10):
        completion = model.chat.completions.create(model=os.environ["MODEL"], messages=messages, **offered)
        message = completion.choices[0].message
        messages.append(message.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True))
        if not message.tool_calls:
            return message.content
        messages += run([call.to_dict() for call in message.tool_calls])
    return "I stopped after ten rounds of tools."


if __name__ == "__main__":
    conversation = [{"role": "system", "content": SYSTEM}]
    try:
        while True:
            print(reply(conversation, input("\n> ")))
    except (EOFError, KeyboardInterrupt):
        print()
