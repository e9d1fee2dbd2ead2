"""An MCP server with notes, whose texts, schemas and names a test changes while it runs: `POST /change`."""
import asyncio

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import ToolResult
from mcp.types import ImageContent, TextContent
from serving import serve
from starlette.responses import JSONResponse

server = FastMCP("notes", version="1.0")
NOTES = {1: "Buy bread", 2: "Call the bank"}
notes = dict(NOTES)
released = asyncio.Event()
lies = False
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="


@server.tool(annotations={"readOnlyHint": True})
def get_note(number: int) -> dict[str, str]:
    """Read one note."""
    if number not in notes:
        raise ToolError(f"There is no note {number}.")
    return {"text": 7 if lies else notes[number]}


@server.tool(annotations={"readOnlyHint": False, "destructiveHint": False})
def add_note(text: str) -> dict[str, int]:
    """Add a note."""
    number = max(notes, default=0) + 1
    notes[number] = text
    return {"number": number}


@server.tool(annotations={"readOnlyHint": False, "destructiveHint": True})
def delete_note(number: int) -> str:
    """Delete a note."""
    if notes.pop(number, None) is None:
        raise ToolError(f"There is no note {number}.")
    return f"Note {number} is deleted."


@server.tool(annotations={"readOnlyHint": True})
def picture():
    """A picture of the notes."""
    return ToolResult(content=[TextContent(type="text", text="All notes"),
                               ImageContent(type="image", data=PIXEL, mime_type="image/png")])


@server.tool
async def print_notes(copies: int = 1) -> str:
    """Print all notes. Answers after `POST /change` with `release`."""
    await released.wait()
    released.clear()
    return f"{copies} copies are printed."


@server.custom_route("/change", methods=["POST"])
async def change(request):
    """`{ tool, update?, remove?, add? }`: `update` replaces fields of a tool, `add` makes a tool with another name
    beside it. `{ reset }` undoes all changes, `{ release }` ends a call that waits, and with `{ lies }` a result
    does not fit its schema."""
    global lies
    asked = await request.json()
    lies = asked.get("lies", False)
    if asked.get("release"):
        released.set()
    if asked.get("reset"):
        replace_tools({tool.name: tool for tool in ORIGINAL})
        notes.clear()
        notes.update(NOTES)
        released.clear()
    if name := asked.get("tool"):
        tools = {tool.name: tool for tool in await server.list_tools()}
        tool = tools[name] = tools[name].model_copy(update=asked.get("update", {}))
        if other := asked.get("add"):
            tools[other] = tool.model_copy(update={"name": other})
        if asked.get("remove"):
            del tools[name]
        replace_tools(tools)
    return JSONResponse({"tools": [tool.name for tool in await server.list_tools()]})


def replace_tools(tools):
    for name in list(current):
        server.local_provider.remove_tool(name)
    current[:] = tools
    for tool in tools.values():
        server.add_tool(tool)


ORIGINAL = asyncio.run(server.list_tools())
current = [tool.name for tool in ORIGINAL]
serve(server)
