"""A chatbot whose tools are Toolcrib's: the OpenAI SDK, and any provider that speaks Chat Completions."""
import os
import uuid

from openai import OpenAI
from toolcrib import Toolcrib, ToolcribError

SYSTEM = "You help people run their workspace. Use the tools; never make up ids or figures."

model = OpenAI()  # reads OPENAI_API_KEY and, for another provider, OPENAI_BASE_URL
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


def run(calls):
    """Passes the model's calls through unchanged; each gets an answer, whatever happened to it."""
    turn = crib.call_tools(calls, format="openai")
    decided = {}
    for result in turn["results"]:
        if result["status"] == "confirmation_required":
            decided.update((answer["tool_call_id"], answer) for answer in decide(result))
    return [decided.get(answer["tool_call_id"], answer) for answer in turn["messages"]]


def reply(messages, text):
    """One message of the user: tools for it, then model and tools in turn until the model has its answer."""
    said = [m["content"] for m in messages if m["role"] in ("user", "assistant") and m.get("content")]
    listed = crib.list_tools(format="openai", strategy="filtered", query=text, context=said[-6:])
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
