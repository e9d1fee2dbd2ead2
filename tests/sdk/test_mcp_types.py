"""The list of `format=mcp` in the official package's types. Its calls have a protocol of their own, and
are refused here."""
from mcp import types


def test_the_list_is_one_that_a_server_answers(toolcrib):
    for strategy in ("full", "all"):
        tools = toolcrib.get("/v1/tools", format="mcp", strategy=strategy)["tools"]
        read = types.ListToolsResult.model_validate({"tools": tools}).tools
        assert [tool.name for tool in read] == [tool["name"] for tool in tools]
        by_name = {tool.name: tool for tool in read}
        assert by_name["platform_list_agents"].annotations.read_only_hint
        assert not by_name["platform_create_agent"].annotations.read_only_hint
        # The dispatcher may call any action, so it has no hint, which counts as "may destroy".
        dispatcher = by_name.get("platform_execute")
        assert (dispatcher is None) == (strategy == "all")
        assert dispatcher is None or dispatcher.annotations.read_only_hint is None


def test_its_calls_are_sent_to_its_own_endpoint(toolcrib):
    problem = toolcrib.post("/v1/tools/calls", {"format": "mcp", "tool_calls": [{"name": "platform_list_agents"}]}, status=422)
    assert problem["errors"][0]["pointer"] == "/format" and "`/mcp`" in problem["detail"]
