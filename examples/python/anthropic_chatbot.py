"""A chatbot whose tools are Toolcrib's: the Anthropic SDK, its answers streamed."""
import os
import uuid

import requests
from anthropic import Anthropic

SYSTEM = "You help people run their workspace. Use the tools; never make up ids or figures."

model = Anthropic()  # reads ANTHROPIC_API_KEY and, for a proxy, ANTHROPIC_BASE_URL
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


def run(content):
    """Passes the model's whole turn through unchanged; each call in it gets an answer, whatever happened to it."""
    # A key tells this turn from others, because some providers number the calls of each turn anew.
    turn = ask("POST", "/v1/tools/calls", {"format": "anthropic", "strategy": "filtered", "tool_calls": content},
               key=str(uuid.uuid4()))
    decided = {}
    for result in turn["results"]:
        if result["status"] == "confirmation_required":
            decided.update((block["tool_use_id"], block) for m in decide(result) for block in m["content"])
    for message in turn["messages"]:
        message["content"] = [decided.get(block["tool_use_id"], block) for block in message["content"]]
    return turn["messages"]


def reply(messages, text):
    """One message of the user: tools for it, then model and tools in turn until the model has its answer."""
    said = [block["text"] for m in messages for block in m["content"] if block["type"] == "text"]
    listed = ask("POST", "/v1/tools", {"format": "anthropic", "strategy": "filtered", "query": text, "context": said[-6:]})
    offered = {key: listed[key] for key in ("tools", "tool_choice") if listed.get(key)}
    messages.append({"role": "user", "content": [{"type": "text", "text": text}]})
    for _ in range(10):
        with model.messages.stream(model=os.environ["MODEL"], max_tokens=4096, system=SYSTEM, messages=messages,
                                   **offered) as stream:
            for piece in stream.text_stream:
                print(piece, end="", flush=True)
            content = stream.get_final_message().to_dict()["content"]
        print()
        messages.append({"role": "assistant", "content": content})
        if not any(block["type"] == "tool_use" for block in content):
            return
        messages += run(content)
    print("I stopped after ten rounds of tools.")


if __name__ == "__main__":
    conversation = []
    try:
        while True:
            reply(conversation, input("\n> "))
    except (EOFError, KeyboardInterrupt):
        print()
