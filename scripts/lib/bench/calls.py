"""Measures calls of declared tools beside the hello on SQLite: a read and a write that an upstream runs, which is the hello too, and
a write that the caller runs. Prints the table that docs/performance.md quotes."""
import json
import pathlib
import shutil
import sys
import tempfile

from run import Beside, call, print_table, start, stop

GOALS = (0.035, 0.02, 0.05)
# With the owner as many as a workspace may have open calls for.
CALLERS = 9
TEXT = {"type": "string", "maxLength": 100}


def tool(name, level, parameters, **executor):
    return {"name": name, "description": "A tool that is measured.", "permission_level": level,
            "accessible_by": "everyone", "parameters": {"properties": parameters}, **executor}


def document():
    get = {"upstream": "stub", "method": "GET", "path": "tickets", "query": {"limit": "{limit}"}}
    post = {"upstream": "stub", "method": "POST", "path": "tickets", "body": {"name": "{name}"}}
    tools = [tool("list_tickets", "read", {"limit": {"type": "integer"}}, http=get),
             tool("add_ticket", "write", {"name": TEXT}, http=post),
             tool("add_draft", "write", {"name": TEXT}, client={"claim_seconds": 10})]
    return {"schema": "toolcrib.toolset/1", "slug": "bench", "title": "Bench", "tools": tools}


def declare(base, workspace, system_admin, upstream):
    """Raises the limits, and stores the tools and the upstream, with a secret."""
    place = [f"X-Workspace-Id: {workspace['id']}", "Content-Type: application/json"]
    limits = {f"{kind}_per_minute": 1_000_000 for kind in ("write", "read", "external", "client")}
    call("PATCH", f"{base}/v1/settings", [f"Authorization: Bearer {system_admin}", *place], {"limits": limits})
    owner = [f"Authorization: Bearer {workspace['owner']['token']}", *place]
    auth = {"kind": "header", "name": "X-Api-Key"}
    call("POST", f"{base}/v1/upstreams", owner, {"name": "stub", "kind": "http", "base_url": upstream, "auth": auth})
    call("PUT", f"{base}/v1/upstreams/stub/secret", owner, {"secret": "bench-0123456789"})
    call("PUT", f"{base}/v1/toolsets/bench", owner, document())


def callers(base, workspace):
    """Makes keys, each of which may have 50 open calls."""
    owner = [f"Authorization: Bearer {workspace['owner']['token']}", f"X-Workspace-Id: {workspace['id']}", "Content-Type: application/json"]
    keys = [{"kind": "service", "role": "member", "name": f"bench {n}", "scopes": ["bench:use"]} for n in range(CALLERS)]
    return [json.loads(call("POST", f"{base}/v1/keys", owner, key)[1])["secret"] for key in keys]


def measured(binary, beside, upstream):
    folder = tempfile.mkdtemp(prefix="toolcrib-bench-")
    command = [binary, "serve", "--demo", "--data-dir", folder, "--bind", "127.0.0.1:0", "--log-filter", "warn",
               "--upstream-hosts", upstream.removeprefix("http://").rstrip("/")]
    process, base = start(command)
    try:
        demo = json.loads((pathlib.Path(folder) / "demo.json").read_text())
        workspace = demo["workspaces"][0]
        declare(base, workspace, demo["system_admin"]["token"], upstream)
        tokens = [workspace["owner"]["token"], *callers(base, workspace)]
        place = f"X-Workspace-Id: {workspace['id']}"
        headers = [f"Authorization: Bearer {tokens[0]}", place]
        tools = f"{base}/v1/actions/bench__"
        return [
            beside("SQLite: read that an upstream runs", f"{tools}list_tickets", headers, "read.lua"),
            beside("SQLite: write that an upstream runs", f"{tools}add_ticket", headers, "write.lua"),
            beside("SQLite: write that the caller runs", f"{tools}add_draft", [place], "client_calls.lua", tokens),
        ]
    finally:
        stop(process)
        shutil.rmtree(folder, ignore_errors=True)


def main():
    binary, hello = sys.argv[1:3]
    top, base = start([hello])
    upstream, address = start([hello])
    try:
        beside = Beside(base + "/")
        rows = measured(binary, beside, address + "/")
    finally:
        stop(top)
        stop(upstream)
    print_table(beside, rows)
    for (name, row), goal in zip(rows, GOALS):
        print(f"{name}: goal {goal} of the hello, {'reached' if row['ratio'] >= goal else 'MISSED'}")


if __name__ == "__main__":
    main()
