"""What a model receives: the tools that it may call, and the results of its calls."""
import json

from jsonschema import Draft202012Validator
from shapes import check_tools

DISPATCHER = "platform_execute"


class Slip(tuple):
    """A call that a model should not make: of a tool that it was not given, or with arguments that are not
    JSON."""

    def __new__(cls, name, arguments):
        return super().__new__(cls, (name, arguments))


class Conversation:
    """One request to a model. `answers` are the results of the previous turn's calls, in order; empty if
    there was none."""

    def __init__(self, form, tools, texts, answers):
        self.tools = {tool.name: tool for tool in check_tools(form, tools)}
        self.texts = texts
        self.answers = [(name, json.loads(text)) for name, text in answers]
        for _, answer in self.answers:
            assert answer["status"] in ("completed", "refused", "failed", "confirmation_required"), answer

    def call(self, action, **arguments):
        """The call of an action as a model makes it: with the action's own tool if there is one, else
        through the dispatcher."""
        if action in self.tools:
            return action, arguments
        return DISPATCHER, {"action": action, "params": arguments}

    def check_call(self, name, arguments):
        """Checks that a script calls a tool that it was given, with arguments that the schema allows."""
        assert name in self.tools, f"`{name}` is not among {sorted(self.tools)}"
        Draft202012Validator(self.tools[name].schema).validate(arguments)


def check_answered(called, answered):
    """Checks that every call of a turn has one result, and nothing else has one. Providers refuse other
    requests."""
    assert len(set(called)) == len(called), f"call ids are repeated: {called}"
    assert answered == called, f"called {called}, answered {answered}"
