"""Measures tool lists and searches beside 0, 100 and 2,000 declared tools on SQLite, and prints the table that docs/performance.md
quotes."""
import json
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

from run import Beside, call, start, stop

TOOLS = (0, 100, 2_000)
# A toolset holds at most 500 tools.
PER_TOOLSET = 500
WORDS = ["ticket", "invoice", "parcel", "shelf", "route", "meter", "lease", "recipe", "sample", "badge"]
SEARCHES = 300
# A thread that computed something large ends after ten idle seconds, and gives its memory back.
IDLE_SECONDS = 12
FORMATS = ("openai", "openai_responses", "anthropic", "gemini", "mcp")
STRATEGIES = ("full", "filtered", "dispatcher_only")


def tool(n):
    noun, thing = WORDS[n % len(WORDS)], WORDS[n // len(WORDS) % len(WORDS)]
    return {
        "name": f"look_up_{noun}_{n}", "permission_level": "read", "accessible_by": "everyone", "client": {},
        "description": f"One {noun} of the {thing} number {n}, with its history. Use it when the user names a {noun} by its "
                       f"number or asks what became of a {noun}.",
        "tags": [noun, thing], "examples": [f"where is {noun} {n}"],
        "parameters": {"required": ["id"], "properties": {
            "id": {"type": "integer", "minimum": 1, "description": f"The number of the {noun}."},
            "history": {"type": "boolean", "default": True, "description": "Whether to include the history."}}},
    }


def declare(base, headers, count):
    """Stores as many toolsets as are needed for this number of tools."""
    for begin in range(0, count, PER_TOOLSET):
        slug = f"set-{begin // PER_TOOLSET}"
        tools = [tool(n) for n in range(begin, min(begin + PER_TOOLSET, count))]
        document = {"schema": "toolcrib.toolset/1", "slug": slug, "title": slug, "tools": tools}
        call("PUT", f"{base}/v1/toolsets/{slug}", [*headers, "Content-Type: application/json"], document)


def took(method, url, headers, body=None):
    began = time.perf_counter()
    call(method, url, headers, body)
    return (time.perf_counter() - began) * 1_000


def changed(base, headers):
    """Changes the toolsets, and returns how long the next list and the next search take, in ms."""
    switch = [*headers, "Content-Type: application/json"]
    call("PATCH", f"{base}/v1/toolsets/set-0", switch, {"disabled_tools": ["look_up_ticket_0"]})
    listed = took("GET", f"{base}/v1/tools", headers)
    asked = {"query": "where is my parcel"}
    return listed, took("POST", f"{base}/v1/tools/search", switch, asked)


def searches(base, headers):
    """The p99 of searches, in ms, one after another."""
    asked = [{"query": f"where is the {word} of the {other}"} for word in WORDS for other in WORDS]
    headers = [*headers, "Content-Type: application/json"]
    times = sorted(took("POST", f"{base}/v1/tools/search", headers, asked[n % len(asked)]) for n in range(SEARCHES))
    return statistics.median(times), times[int(len(times) * 0.99) - 1]


def resident(process):
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("VmRSS")) / 1_024


def restarted(command, headers):
    """The memory of a new, idle process that listed and searched the same tools: without what storing them and the load took."""
    process, base = start(command)
    try:
        for name in FORMATS:
            for strategy in STRATEGIES:
                call("GET", f"{base}/v1/tools?format={name}&strategy={strategy}", headers)
        searches(base, headers)
        time.sleep(IDLE_SECONDS)
        return resident(process)
    finally:
        stop(process)


def measured(binary, beside, count):
    folder = tempfile.mkdtemp(prefix="toolcrib-bench-")
    command = [binary, "serve", "--demo", "--data-dir", folder, "--bind", "127.0.0.1:0", "--log-filter", "warn",
               "--lists-per-minute", "10000000"]
    try:
        process, base = start(command)
        *row, headers = loaded(process, base, folder, beside, count)
        return *row, restarted(command, headers)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def loaded(process, base, folder, beside, count):
    """Declares the tools, and measures lists and searches under load."""
    try:
        workspace = json.loads((pathlib.Path(folder) / "demo.json").read_text())["workspaces"][0]
        headers = [f"Authorization: Bearer {workspace['owner']['token']}", f"X-Workspace-Id: {workspace['id']}"]
        declare(base, headers, count)
        first = changed(base, headers) if count else None
        etag = call("GET", f"{base}/v1/tools", headers)[0]["ETag"]
        list_row = beside("list", f"{base}/v1/tools", headers)[1]
        same_row = beside("304", f"{base}/v1/tools", [*headers, f"If-None-Match: {etag}"])[1]
        return list_row, same_row, first, searches(base, headers), resident(process), headers
    finally:
        stop(process)


def main():
    binary, hello = sys.argv[1:3]
    process, base = start([hello])
    try:
        beside = Beside(base + "/")
        rows = [(count, measured(binary, beside, count)) for count in TOOLS]
    finally:
        stop(process)
    none = rows[0][1]
    print("\n| declared tools | list/s | of none | 304/s | of none | first list, search after a change (ms) | "
          "search p50, p99 (ms) | resident MiB | after a restart, lists and searches |\n|---|---|---|---|---|---|---|---|---|")
    for count, (listed, same, first, (p50, p99), memory, again) in rows:
        after = f"{first[0]:.0f}, {first[1]:.0f}" if first else "–"
        # Each rate is taken as a share of the hello of its own round.
        shares = [row["ratio"] / base["ratio"] for row, base in ((listed, none[0]), (same, none[1]))]
        print(f"| {count:,} | {listed['rate']:,.0f} | {shares[0]:.2f} | {same['rate']:,.0f} | {shares[1]:.2f} | {after} | "
              f"{p50:.1f}, {p99:.1f} | {memory:.0f} | {again:.0f} |")


if __name__ == "__main__":
    main()
