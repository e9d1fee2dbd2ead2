"""Every tool list, for every caller, strategy and format, has the provider's own types and keeps its
limits."""
import itertools

import pytest
from shapes import CHOICE, check_tools, exact, inner

FORMATS = ["openai", "openai_responses", "anthropic", "gemini", "mcp"]
STRATEGIES = ["full", "filtered", "dispatcher_only", "all"]
CALLERS = ["owner", "admin", "editor", "member", "viewer", "agent", "service", "system_admin"]
QUERIES = ["What agents do I have?", "our invoice doubled, why?", "hello!", ""]


def variants(form, strategy):
    """The different requests for one list."""
    asked = {"format": form, "strategy": strategy}
    if strategy == "filtered":
        return [asked | {"query": query, "strict": strict} for query in QUERIES for strict in ("off", "auto")]
    return [asked | {"detail": detail, "strict": strict, "defer": defer} for detail, strict, defer
            in itertools.product(("signatures", "names"), ("off", "auto"), (False, True))]


def properties(tools):
    return [part for tool in tools for schema in inner(tool.schema) for part in schema.get("properties", {}).values()]


def enums(tools):
    return [schema["enum"] for tool in tools for schema in inner(tool.schema) if "enum" in schema]


def check_openai(tools):
    """Checks the strict subset, and the provider's limits on it in one request."""
    strict = [tool for tool in tools if tool.strict]
    for tool in strict:
        for schema in inner(tool.schema):
            if "properties" in schema:
                assert schema["additionalProperties"] is False
                assert sorted(schema["required"]) == sorted(schema["properties"]), tool.name
    for tool in tools:
        assert not {"anyOf", "oneOf", "allOf", "enum", "not"} & tool.schema.keys(), tool.name
    assert len(properties(strict)) <= 5000
    assert sum(map(len, enums(strict))) <= 1000
    for words in enums(tools):
        assert len(words) <= 250 or sum(map(len, words)) <= 15000


def check_anthropic(tools):
    """Checks the budget, over which Anthropic refuses the whole request."""
    strict = [tool for tool in tools if tool.strict]
    schemas = [schema for tool in strict for schema in inner(tool.schema)]
    optional = sum(len(schema.get("properties", {})) - len(schema.get("required", [])) for schema in schemas)
    unions = sum("anyOf" in schema or isinstance(schema.get("type"), list) for schema in schemas)
    assert len(strict) <= 20 and optional <= 24 and unions <= 16
    for schema in schemas:
        if "properties" in schema:
            assert schema["additionalProperties"] is False


def check_gemini(tools):
    """Checks the subset of OpenAPI schemas. The package's own type has checked that there is nothing else."""
    for tool in tools:
        for schema in inner(tool.schema):
            assert not isinstance(schema.get("type"), list), tool.name
            assert all(isinstance(word, str) for word in schema.get("enum", [])), tool.name
            assert schema.get("type") != "object" or schema is tool.schema or schema.get("properties") != {}, tool.name


def check_deferred(asked, body, tools):
    """Deferred tools come with the provider's own search, and never alone, because a model needs at least
    one tool."""
    searches = [tool for tool in body["tools"] if str(tool.get("type", "")).startswith("tool_search")]
    deferred = [tool for tool in tools if tool.deferred]
    assert len(searches) == (1 if deferred else 0)
    assert not deferred or len(deferred) < len(tools)
    wanted = asked.get("defer") and asked["strategy"] in ("full", "all") and asked["format"] in ("openai_responses", "anthropic")
    assert bool(deferred) == bool(wanted)


def check_covers(asked, body, tools):
    """The list's own tools and the dispatcher together offer the actions that the caller may call, each
    once."""
    own = [tool.name for tool in tools if tool.name != "platform_execute" and not tool.deferred]
    behind = [word for tool in tools if tool.name == "platform_execute" for word in tool.schema["properties"]["action"]["enum"]]
    assert len(set(own + behind)) == len(own) + len(behind)
    if asked["strategy"] != "filtered" and not asked.get("defer"):
        assert len(own) + len(behind) == body["actions"]
    assert own == [] or asked["strategy"] != "dispatcher_only"
    assert behind == [] or asked["strategy"] != "all"


CHECKS = {"openai": check_openai, "openai_responses": check_openai, "anthropic": check_anthropic, "gemini": check_gemini,
          "mcp": lambda tools: None}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("form", FORMATS)
def test_every_list_is_one_that_the_provider_takes(toolcrib, form, strategy):
    for who, asked in itertools.product(CALLERS, variants(form, strategy)):
        body = toolcrib.post("/v1/tools", asked, who=who)
        tools = check_tools(form, body["tools"])
        assert body["strict"] == [tool.name for tool in tools if tool.strict]
        assert body["strict"] == [] or asked["strict"] == "auto"
        CHECKS[form](tools)
        check_deferred(asked, body, tools)
        check_covers(asked, body, tools)
        # Outside of a workspace's roles, most words match no action. Inside there is always something to
        # call.
        assert tools or (who, strategy) == ("system_admin", "filtered")
        assert ("tool_choice" in body) == (form != "mcp" and tools != [])
        if "tool_choice" in body:
            exact(CHOICE[form], body["tool_choice"])


@pytest.mark.parametrize("form", FORMATS)
def test_a_list_without_tools_has_nothing_to_send(toolcrib, form):
    for who in CALLERS:
        body = toolcrib.get("/v1/tools", who, format=form, strategy="none")
        assert body["tools"] == [] and "tool_choice" not in body


def test_mcp_lists_have_annotations_and_no_output_schemas(toolcrib):
    for tool in toolcrib.get("/v1/tools", format="mcp", strategy="all")["tools"]:
        assert "outputSchema" not in tool, tool["name"]
        assert tool["annotations"]["readOnlyHint"] in (True, False)


def test_some_tools_are_strict_where_the_provider_has_it(toolcrib):
    for form in FORMATS:
        strict = toolcrib.get("/v1/tools", format=form, strict="auto")["strict"]
        assert bool(strict) == (form in ("openai", "openai_responses", "anthropic")), form
