"""Providers' formats, checked with their own packages' types: every part is parsed, and unknown keys are
not allowed."""
import enum
import json
import re

from anthropic.types import MessageParam, ToolChoiceParam, ToolUnionParam
from google.genai import types as gemini
from jsonschema import Draft202012Validator
from mcp import types as mcp
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolChoiceOptionParam, ChatCompletionToolParam
from openai.types.responses import ResponseInputItemParam, ToolChoiceOptions, ToolParam
from pydantic import BaseModel, TypeAdapter

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")

# The types of each format's lists, choices and messages.
TOOLS = {
    "openai": TypeAdapter(list[ChatCompletionToolParam]),
    "openai_responses": TypeAdapter(list[ToolParam]),
    "anthropic": TypeAdapter(list[ToolUnionParam]),
    "gemini": TypeAdapter(list[gemini.Tool]),
    "mcp": TypeAdapter(list[mcp.Tool]),
}
CHOICE = {
    "openai": TypeAdapter(ChatCompletionToolChoiceOptionParam),
    "openai_responses": TypeAdapter(ToolChoiceOptions),
    "anthropic": TypeAdapter(ToolChoiceParam),
    "gemini": TypeAdapter(gemini.ToolConfig),
}
MESSAGES = {
    "openai": TypeAdapter(list[ChatCompletionMessageParam]),
    "openai_responses": TypeAdapter(list[ResponseInputItemParam]),
    "anthropic": TypeAdapter(list[MessageParam]),
    "gemini": TypeAdapter(list[gemini.Content]),
}


def exact(adapter, value):
    """Fails unless the type has every key of the value: an unknown key is lost in the type, and so
    differs."""
    assert whole(adapter.validate_python(value)) == value


def whole(read):
    """A validated value as JSON. Reading it also validates the parts that pydantic parses lazily."""
    if isinstance(read, BaseModel):
        return whole(read.model_dump(by_alias=True, exclude_unset=True))
    if isinstance(read, dict):
        return {key: whole(value) for key, value in read.items()}
    if isinstance(read, gemini.Type):
        # The package has these in capitals, and the service accepts both.
        return read.value.lower()
    if isinstance(read, enum.Enum):
        return read.value
    if isinstance(read, (str, int, float)) or read is None:
        return read
    return [whole(value) for value in read]


class Listed:
    """A tool of a list in any format."""

    def __init__(self, name, description, schema, strict=False, deferred=False):
        self.name, self.description, self.schema, self.strict, self.deferred = name, description, schema, strict, deferred


def listed(form, tools):
    """The tools of a list, without the entry for the provider's own search."""
    if form == "openai":
        return [Listed(f["name"], f["description"], f["parameters"], f.get("strict", False)) for f in
                (tool["function"] for tool in tools)]
    if form == "gemini":
        return [Listed(f["name"], f["description"], f.get("parameters", {"type": "object"}))
                for tool in tools for f in tool["functionDeclarations"]]
    key = {"openai_responses": "parameters", "anthropic": "input_schema", "mcp": "inputSchema"}[form]
    return [Listed(t["name"], t["description"], t[key], t.get("strict", False), t.get("defer_loading", False))
            for t in tools if key in t]


def inner(schema):
    """A schema and every schema in it."""
    yield schema
    for key in ("properties", "$defs"):
        for part in schema.get(key, {}).values():
            yield from inner(part)
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for part in schema.get(key, []):
            yield from inner(part)
    for key in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(key), dict):
            yield from inner(schema[key])


CHECKED = set()


def check_tools(form, tools):
    """Checks what holds for every list of a format. Returns its tools. A tool that was checked before is
    not checked again."""
    found = listed(form, tools)
    names = [tool.name for tool in found]
    assert len(set(names)) == len(names) <= 128
    for tool in tools if form != "gemini" else [{"functionDeclarations": [f]} for t in tools for f in t["functionDeclarations"]]:
        key = (form, json.dumps(tool))
        if key not in CHECKED:
            check_tool(form, tool)
            CHECKED.add(key)
    return found


def check_tool(form, raw):
    exact(TOOLS[form], [raw])
    for tool in listed(form, [raw]):
        assert NAME.fullmatch(tool.name) and tool.description
        assert tool.schema["type"] == "object", tool.name
        Draft202012Validator.check_schema(tool.schema)
        assert not any("$ref" in part for part in inner(tool.schema)), tool.name
