"""A chatbot whose tools are Toolcrib's: the OpenAI Agents SDK, whose runner calls each tool."""
import os
import uuid

from agents import Agent, FunctionTool, ModelSettings, RunConfig, RunHooks, Runner, ToolExecutionConfig
from toolcrib import Toolcrib, ToolcribError

SYSTEM = "You help people run their workspace. Use the tools; never make up ids or figures."

# The SDK reads OPENAI_API_KEY and, for another provider of the Responses API, OPENAI_BASE_URL.
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


def run(call):
    """Passes one of the model's calls through unchanged; it gets an answer, whatever happened to it."""
    turn = crib.call_tools([call.model_dump(exclude_none=True)], format="openai_responses")
    [result], [answer] = turn["results"], turn["messages"]
    if result["status"] == "confirmation_required":
        [answer] = decide(result) or [answer]
    return answer["output"]


class Turn(RunHooks):
    """The calls of the model's last turn by their ids."""
    calls = {}

    async def on_llm_end(self, context, agent, response):
        self.calls = {item.call_id: item for item in response.output if item.type == "function_call"}


async def invoke(context, arguments):
    return run(context.tool_call)


def reply(history, said, text):
    """One message of the user: tools for it, then the runner asks the model and calls tools until there is an answer."""
    listed = crib.list_tools(format="openai_responses", strategy="filtered", query=text, context=said[-6:])
    tools = [FunctionTool(tool["name"], tool["description"], tool["parameters"], invoke,
                          strict_json_schema=tool.get("strict", False)) for tool in listed["tools"]]
    agent = Agent("Assistant", instructions=SYSTEM, model=os.environ["MODEL"], tools=tools,
                  model_settings=ModelSettings(tool_choice=listed.get("tool_choice")))
    turn = Turn()
    settings = RunConfig(
        # One call after the other, in the model's order: there is one person at the keyboard.
        tool_execution=ToolExecutionConfig(max_function_tool_concurrency=1),
        # Toolcrib answers the call of a tool that was not listed too: it runs it, or says what there is instead.
        tool_not_found_behavior="return_error_to_model",
        tool_error_formatter=lambda error: run(turn.calls[error.call_id]) if error.kind == "tool_not_found" else None,
        # Traces go to OpenAI, whoever the provider is.
        tracing_disabled=True,
    )
    asked = [*history, {"role": "user", "content": text}]
    result = Runner.run_sync(agent, asked, max_turns=10, hooks=turn, run_config=settings,
                             error_handlers={"max_turns": lambda stopped: "I stopped after ten rounds of tools."})
    history[:] = result.to_input_list()
    said += [text, result.final_output]
    return result.final_output


if __name__ == "__main__":
    conversation, words = [], []
    try:
        while True:
            print(reply(conversation, words, input("\n> ")))
    except (EOFError, KeyboardInterrupt):
        print()
