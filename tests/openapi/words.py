"""What only one tenant may see: its ids, and the words in its names and texts."""
import re

UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
# Fields with a tenant's own words.
NAMED = {"name", "title", "slug", "goal", "content", "subject", "display_name"}
# The principal of rows that commands left.
COMMAND_LINE = "00000000-0000-0000-0000-000000000000"
# Everybody sees the items of the marketplace, with the same ids.
SHARED = re.compile(r"platform_(browse_marketplace|list_workspace)_\w+")


def own_words(toolcrib):
    """The ids and words of each of the two tenants."""
    told = [list(everything(toolcrib, tenant)) for tenant in toolcrib.tenants]
    # The system admin is a member of no workspace, and appears in the audit rows of both, as does the command line.
    nobody = {toolcrib.tenants[0].send("get", "/v1/me", token=toolcrib.system).json()["principal"]["id"], COMMAND_LINE}
    market = [ids_of(answer for name, answer in answers if SHARED.fullmatch(name)) for answers in told]
    # An item that a tenant took stands in its audit rows too.
    nobody |= market[0] & market[1]
    ids = [ids_of(answer for name, answer in answers if not SHARED.fullmatch(name)) - nobody for answers in told]
    assert not ids[0] & ids[1], f"both tenants are told of {ids[0] & ids[1]}"
    words = [{word for _, answer in answers for word in named(answer)} for answers in told]
    # Responses that are identical for both, such as the list of actions, have no tenant's own words.
    alike = "".join(one.text for (_, one), (_, other) in zip(*told) if one.text == other.text)
    for one, other, held in ((0, 1, ids[0]), (1, 0, ids[1])):
        # A short word may be in any text.
        held |= {word for word in words[one] - words[other] if len(word) > 9 and word not in alike}
        assert len(held) > 100, f"tenant {one} has only {len(held)} words of its own"
    return ids


def ids_of(answers):
    return {found for answer in answers for found in UUID.findall(answer.text)}


def everything(toolcrib, tenant):
    """The responses of all operations that only read and need no arguments: lists, figures, settings."""
    for path, method, operation in toolcrib.operations():
        if "{" in path or operation.get("security") == [] or path == "/v1/events":
            continue
        if method == "get":
            limit = any(parameter.get("name") == "limit" for parameter in operation.get("parameters", []))
            yield operation["operationId"], tenant.send("get", path, params={"limit": 100} if limit else {})
        elif "Level `read`" in operation.get("description", ""):
            fields = operation["requestBody"]["content"]["application/json"]["schema"].get("properties", {})
            limit = {"limit": fields["limit"]["maximum"]} if "limit" in fields else {}
            yield operation["operationId"], tenant.send("post", path, json=limit)


def named(answer):
    def walk(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                if key in NAMED and isinstance(inner, str):
                    yield inner
                yield from walk(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from walk(inner)

    if answer.ok and answer.headers.get("Content-Type") == "application/json":
        yield from walk(answer.json())
