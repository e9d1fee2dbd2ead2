"""The payloads in `docs/surfaces.md`: as a new demo answers them, and as the page shows them."""
import json
import re

MARK = re.compile(r"<!-- payload (?P<name>\S+) -->\n```json\n(?P<text>.*?)\n```\n", re.S)

# Fields whose texts must stay the same: names, words of the protocol, ids in the scripts. Other texts differ
# between runs.
FIXED = {"type", "role", "name", "status", "error", "action", "mode", "code", "level", "permission_level", "required", "enum",
         "id", "tool_call_id", "call_id", "tool_use_id", "strategy", "format", "pointer", "status_code", "phrase"}
WIDTH = 120
CHANGING = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|\d{4}-\d\d-\d\dT[\d:.]+Z")

CALLS = [
    ("platform_list_agents", {"search": "research", "limit": 1}),
    ("platform_execute", {"action": "platform_list_connected_apps", "params": {}}),
    ("platform_execute", {"action": "platform_delete_agent", "params": {"agent": "Try Out"}}),
]


def turn(form):
    """What the model returns: the three calls in the provider's own format."""
    if form == "openai":
        return [{"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
                for n, (name, arguments) in enumerate(CALLS, 1)]
    if form == "openai_responses":
        return [{"type": "function_call", "id": f"fc_{n}", "call_id": f"call_{n}", "name": name, "arguments": json.dumps(arguments),
                 "status": "completed"} for n, (name, arguments) in enumerate(CALLS, 1)]
    if form == "anthropic":
        return [{"type": "text", "text": "I look and ask."},
                *({"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": arguments}
                  for n, (name, arguments) in enumerate(CALLS, 1))]
    return [{"functionCall": {"id": f"call_{n}", "name": name, "args": arguments}} for n, (name, arguments) in enumerate(CALLS, 1)]


def short(value, key=None):
    """A value with long lists and texts cut and marked."""
    if isinstance(value, dict):
        return {name: short(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        most = 4 if key == "enum" else 6
        rest = [f"… {len(value) - most} more"] if len(value) > most else []
        return [short(inner) for inner in value[:most]] + rest
    if isinstance(value, str) and key == "description" and len(value) > 160:
        return value[:160] + "…"
    return value


def tools(toolcrib, form):
    """Two tools of the list: one with its own schema, and the dispatcher."""
    body = toolcrib.post("/v1/tools", {"format": form, "strategy": "full", "detail": "names"})
    names = ("platform_list_agents", "platform_execute")
    if form == "gemini":
        [holder] = body["tools"]
        shown = [{"functionDeclarations": [f for f in holder["functionDeclarations"] if f["name"] in names]}]
    else:
        shown = [tool for tool in body["tools"] if tool.get("function", tool)["name"] in names]
    return {"tools": shown} | {key: body[key] for key in ("tool_choice",) if key in body}


def payloads(toolcrib):
    """Everything that the page shows, by name."""
    shown = {"mcp/tools": tools(toolcrib, "mcp")}
    for form in ("openai", "openai_responses", "anthropic", "gemini"):
        toolcrib.post("/v1/actions/platform_create_agent", {"name": "Try Out"})
        shown[f"{form}/tools"] = tools(toolcrib, form)
        request = {"format": form, "tool_calls": turn(form)}
        answer = toolcrib.post("/v1/tools/calls", request)
        assert [result["status"] for result in answer["results"]] == ["completed", "completed", "confirmation_required"]
        path = f"/v1/confirmations/{answer['results'][2]['confirmation']['id']}/approve"
        phrase = toolcrib.post(path, {}, status=202)
        decided = toolcrib.post(path, {"phrase": phrase["phrase"]})
        shown[f"{form}/calls"], shown[f"{form}/messages"] = request, answer["messages"]
        shown[f"{form}/decided"] = decided["messages"]
        if form == "openai":
            shown |= {"waiting": answer["results"][2], "phrase": phrase}
    shown["search"] = toolcrib.post("/v1/tools/search", {"query": "our invoice doubled, why?", "limit": 1, "include_schema": False})
    shown["budget"] = toolcrib.post("/v1/tools", {"max_tokens": 100}, status=422)["errors"]
    listed = toolcrib.post("/v1/tools", {"format": "anthropic", "strict": "auto", "detail": "names"})
    shown["list"] = listed | {"tools": "…"}
    return {name: short(value) for name, value in shown.items()}


def text(value, base):
    """A value as the page shows it, with the demo's default address."""
    return lines(value, 0).replace(base, "http://127.0.0.1:8787")


def lines(value, depth, before=""):
    """JSON in which everything that fits into one line is on one line."""
    whole = json.dumps(value, ensure_ascii=False)
    if not value or not isinstance(value, (dict, list)) or len(whole) + len(before) + 2 * depth <= WIDTH:
        return before + whole
    parts = value.items() if isinstance(value, dict) else ((None, inner) for inner in value)
    inner = ",\n".join("  " * (depth + 1) + lines(part, depth + 1, "" if name is None else f"{json.dumps(name)}: ")
                       for name, part in parts)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{before}{opening}\n{inner}\n{'  ' * depth}{closing}"


def unlike(path, held, made, key=None):
    """The first difference between two payloads, apart from values that differ between runs; `None` if
    there is none."""
    if isinstance(held, str) and isinstance(made, str):
        if held.startswith("{") and made.startswith("{") and not held.endswith("…"):
            return unlike(path, json.loads(held), json.loads(made))
        held, made = (CHANGING.sub("*", value) for value in (held, made))
        return f"{path} was {held!r} and is {made!r}" if key in FIXED and held != made else None
    if isinstance(held, dict) and isinstance(made, dict):
        if list(held) != list(made):
            return f"{path} had {list(held)} and has {list(made)}"
        return next(filter(None, (unlike(f"{path}/{name}", held[name], made[name], name) for name in held)), None)
    if isinstance(held, list) and isinstance(made, list):
        if len(held) != len(made):
            return f"{path} had {len(held)} items and has {len(made)}"
        return next(filter(None, (unlike(f"{path}/{n}", *pair, key) for n, pair in enumerate(zip(held, made)))), None)
    kinds = [int if kind is float else kind for kind in (type(held), type(made))]
    # A null stands for a value that is not known yet, so it matches anything.
    if kinds[0] == kinds[1] or type(None) in kinds:
        return None
    return f"{path} was {held!r} and is {made!r}"
