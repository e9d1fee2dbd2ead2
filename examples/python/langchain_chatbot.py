"""A chatbot whose tools are Toolcrib's: LangChain, and any chat model of it that binds tools."""
import json
import os
import uuid

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_openai import ChatOpenAI
from toolcrib import Toolcrib, ToolcribError

SYSTEM = "You help people run their workspace. Use the tools; never make up ids or figures."

# Reads OPENAI_API_KEY and, for another provider, OPENAI_BASE_URL. Chat models of other packages take its place.
model = ChatOpenAI(model=os.environ["MODEL"])
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


def run(message):
    """Passes the model's calls on; each gets an answer, whatever happened to it, and so do those that are no JSON."""
    made = [*message.tool_calls, *message.invalid_tool_calls]
    calls = [{"id": call["id"], "type": "function", "function": {
        "name": call["name"], "arguments": call["args"] if isinstance(call["args"], str) else json.dumps(call["args"])}}
        for call in made]
    turn = crib.call_tools(calls, format="openai")
    decided = {}
    for result in turn["results"]:
        if result["status"] == "confirmation_required":
            decided.update((answer["tool_call_id"], answer) for answer in decide(result))
    answers = [decided.get(answer["tool_call_id"], answer) for answer in turn["messages"]]
    return [ToolMessage(answer["content"], tool_call_id=answer["tool_call_id"]) for answer in answers]


def reply(messages, text):
    """One message of the user: tools for it, then model and tools in turn until the model has its answer."""
    said = [m.text for m in messages if isinstance(m, (HumanMessage, AIMessage)) and m.text]
    listed = crib.list_tools(format="openai", strategy="filtered", query=text, context=said[-6:])
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
