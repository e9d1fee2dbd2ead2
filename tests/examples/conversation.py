"""What a model is sent: the tools it may call, and the answers to what it called."""
import json

from jsonschema import Draft202012Validator
from shapes import check_tools

DISPATCHER = "platform_execute"


class Slip(tuple):
    """A call that a model should not make: of a tool that it was not shown, or with arguments that are no JSON."""

    def __new__(cls, name, arguments):
        return super().__new__(cls, (name, arguments))


class Conversation:
    """One request to a model. `answers` are those to the calls of the turn before, in order; nothing without one."""

    def __init__(self, form, tools, texts, answers):
        self.tools = {tool.name: tool for tool in check_tools(form, tools)}
        self.texts = texts
        self.answers = [(name, json.loads(text)) for name, text in answers]
        for _, answer in self.answers:
            assert answer["status"] in ("completed", "refused", "failed", "confirmation_required"), answer

    def call(self, action, **arguments):
        """The call of an action as a model makes it: by its own tool where it has one, else through the dispatcher."""
        if action in self.tools:
            return action, arguments
        return DISPATCHER, {"action": action, "params": arguments}

    def check_call(self, name, arguments):
        """A script calls what it was offered, with arguments that the schemas allow."""
        assert name in self.tools, f"`{name}` is not among {sorted(self.tools)}"
        Draft202012Validator(self.tools[name].schema).validate(arguments)


def check_answered(called, answered):
    """Every call of a turn has one answer, and nothing else has one: providers refuse a request otherwise."""
    assert len(set(called)) == len(called), f"call ids are repeated: {called}"
    assert answered == called, f"called {called}, answered {answered}"
