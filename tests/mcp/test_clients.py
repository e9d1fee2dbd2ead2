"""Popular clients against a running service: a list, a write, a read, a refusal, a confirmation."""
import asyncio
import json

from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.types import ElicitResult

EXECUTE = "platform_execute"


def listed(toolcrib):
    return [tool["name"] for tool in toolcrib.get("/v1/tools", format="mcp")["tools"]]


def told(result):
    return json.loads(result.content[0].text)


async def conversation(toolcrib, mode, name, elicitation_callback=None):
    """The result of each call."""
    remove = {"action": "platform_delete_agent", "params": {"agent": name}}
    async with create_mcp_http_client(headers=toolcrib.headers()) as http:
        transport = streamable_http_client(f"{toolcrib.base}/mcp", http_client=http)
        async with Client(transport, mode=mode, elicitation_callback=elicitation_callback) as client:
            return {
                "version": client.protocol_version,
                "server": client.server_info.name,
                "tools": [tool.name for tool in (await client.list_tools()).tools],
                "made": await client.call_tool("platform_create_agent", {"name": name}),
                "read": await client.call_tool("platform_get_agent", {"agent": name}),
                "lost": await client.call_tool("platform_get_agent", {"agent": "Nobody at all"}),
                "removed": await client.call_tool(EXECUTE, remove),
            }


def sound(toolcrib, seen, version, name):
    assert (seen["version"], seen["server"], seen["tools"]) == (version, "toolcrib", listed(toolcrib))
    assert told(seen["made"])["data"]["name"] == told(seen["read"])["data"]["name"] == name
    assert seen["lost"].is_error and told(seen["lost"])["error"] == "not_found"


def test_python_sdk_of_the_newest_revision(toolcrib):
    asked = []

    async def person(_context, params):
        asked.append(params.mode)
        # The first time, the client comes back before anybody has decided.
        if len(asked) == 2:
            await asyncio.to_thread(toolcrib.approve, params.url)
        return ElicitResult(action="accept")

    seen = asyncio.run(conversation(toolcrib, "auto", "Newest", person))
    sound(toolcrib, seen, "2026-07-28", "Newest")
    assert asked == ["url", "url"]
    assert not seen["removed"].is_error and told(seen["removed"])["data"]["deleted"] is True


def test_python_sdk_of_older_revisions(toolcrib):
    seen = asyncio.run(conversation(toolcrib, "legacy", "Older"))
    sound(toolcrib, seen, "2025-11-25", "Older")
    waiting = told(seen["removed"])
    assert waiting["status"] == "confirmation_required"
    assert toolcrib.approve(waiting["approve_url"])["data"]["deleted"] is True


def test_typescript_sdk_of_older_revisions(toolcrib, client):
    seen = client("sdk_v1.mjs")
    assert seen["tools"] == listed(toolcrib)
    assert seen["made"] == seen["read"] == "First line"
    assert seen["wrong"] == [True, "not_found"] and seen["unknown"] == -32602
    assert seen["waiting"]["status"] == "confirmation_required"
    assert seen["again"] == seen["waiting"], "the same call waits for the same decision"
    assert (seen["ran"], seen["gone"]) == ("completed", "not_found")


def test_typescript_sdk_of_the_newest_revision(toolcrib, client):
    seen = client("sdk_v2.mjs")
    assert (seen["version"], seen["tools"]) == ("2026-07-28", listed(toolcrib))
    assert (seen["made"], seen["asked"]) == ("Second line", ["url", "url"])
    assert (seen["done"], seen["deleted"], seen["gone"]) == ("completed", True, "not_found")


def test_vercel_ai_sdk(toolcrib, client):
    seen = client("ai_sdk.mjs")
    assert seen["tools"] == seen["seen"] == listed(toolcrib)
    made, read, waiting = seen["results"]
    made, read, waiting = (json.loads(result["content"][0]["text"]) for result in (made, read, waiting))
    assert made["data"]["name"] == read["data"]["name"] == "From a loop"
    assert waiting["status"] == "confirmation_required"
    assert seen["text"] == "done"


def test_langchain_adapter(toolcrib, client):
    seen = client("langchain.mjs")
    assert seen["tools"] == listed(toolcrib)
    assert (seen["made"]["status"], seen["made"]["data"]["name"]) == ("completed", "From a chain")
    assert "confirmation_required" in seen["refused"] and "/approve/" in seen["refused"]
