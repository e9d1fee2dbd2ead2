"""A chatbot whose tools are Toolcrib's: the Anthropic SDK, its answers streamed."""
import os
import uuid

from anthropic import Anthropic
from toolcrib import Toolcrib, ToolcribError

SYSTEM = "You help people run their workspace. Use the tools; never make up ids or figures."

model = Anthropic()  # reads ANTHROPIC_API_KEY and, for a proxy, ANTHROPIC_BASE_URL
# The token is the user's own, so the model can do what this user can, and no more. A session is one conversation.
crib = Toolcrib(os.environ["CRIB_URL"], os.environ["CRIB_TOKEN"], workspace=os.environ["CRIB_WORKSPACE"], caller_type="chat",
                session=str(uuid.uuid4()))


def decide(waiting):
    """Lets the person at the keyboard decide a call that waits; returns its final answer as messages."""
    confirmation = waiting["confirmation"]
    print(f"\n! {waiting['description']}: {confirmation['warning']}")
    for line in confirmation["summary"]:
        print(f"    {line['label']}: {line['value']}")
    try:
        if input("  approve? [y/N] ").strip().lower() != "y":
            crib.deny(confirmation["id"], reason="the user said no")
        else:
            approve(confirmation["id"])
    except ToolcribError as refused:
        # Somebody else must decide it, or has decided it, or it has expired.
        if refused.status not in (403, 409, 410):
            raise
    # Without a decision, or with one that somebody else must take, there is nothing to replace.
    return crib.get_confirmation(confirmation["id"]).get("messages", [])


def approve(confirmation):
    """Approves a call for the person at the keyboard."""
    answer = crib.approve(confirmation)
    # What can't be undone asks a second time: the first answer says which phrase has to be typed.
    while answer["status"] == "phrase_required":
        try:
            answer = crib.approve(confirmation, phrase=input(f"  type {answer['phrase']} to go on: "))
        except ToolcribError as refused:
            # With another phrase the person may try again.
            if refused.status != 422:
                raise


def run(content):
    """Passes the model's whole turn through unchanged; each call in it gets an answer, whatever happened to it."""
    turn = crib.call_tools(content, format="anthropic")
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
    listed = crib.list_tools(format="anthropic", strategy="filtered", query=text, context=said[-6:])
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
