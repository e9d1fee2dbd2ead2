"""Loads chat messages through the API and measures searches among them. Usage: search.py BINARY [POSTGRES_URL].

The texts are drawn from a vocabulary in which few words are frequent and most are rare, as in natural language; the
queries take one to three words of every frequency. Prints one table; docs/performance.md quotes it.
"""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid

MESSAGES = int(os.environ.get("BENCH_MESSAGES", "100000"))
SEARCHES = int(os.environ.get("BENCH_SEARCHES", "500"))
WORDS = [f"w{n:x}" for n in range(20_000)]
# The most records that one post may have.
BATCH = 100


def start(command):
    """Starts the server and returns it with its base URL."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in process.stdout:
        found = re.search(r"listening on (http://\S+)", line)
        if found:
            # What follows on its output is read away, so that a full pipe never stops it.
            subprocess.Popen(["cat"], stdin=process.stdout, stdout=subprocess.DEVNULL)
            return process, found.group(1)
    raise SystemExit(f"{command[0]} did not start")


def call(method, url, token, workspace, body):
    head = {"Authorization": f"Bearer {token}", "X-Workspace-Id": workspace, "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), head, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def word(chance):
    """Word n comes about 1/n as often as the first."""
    return WORDS[min(int(len(WORDS) ** chance.random()), len(WORDS)) - 1]


def records(chance, users, first, count):
    """Messages of the last four weeks."""
    out = []
    for n in range(first, first + count):
        age = chance.uniform(60, 28 * 86_400)
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - age))
        text = " ".join(word(chance) for _ in range(chance.randint(4, 60)))
        user = users[n % len(users)]
        role = "user" if n % 2 else "assistant"
        chat = f"chat {n % (4_000 * len(users))}"
        out.append({"id": str(uuid.UUID(int=chance.getrandbits(128), version=4)), "at": at, "chat_id": chat,
                    "user_id": user, "role": role, "text": text})
    return out


def post(base, workspace, batch):
    """Reports messages; the seconds that the limit of 600 posts a minute, which can't be raised, made it wait."""
    waited = 0
    while True:
        try:
            done = call("POST", f"{base}/v1/records/messages", workspace["service"]["key"], workspace["id"], {"records": batch})
        except urllib.error.HTTPError as refusal:
            if refusal.code != 429:
                raise
            began = time.perf_counter()
            time.sleep(int(refusal.headers["Retry-After"]))
            waited += time.perf_counter() - began
        else:
            assert done["accepted"] == len(batch), done
            return waited


def load(base, workspace, chance):
    """Loads the messages; how many a second were kept while no limit made it wait."""
    users = [workspace[role]["user_id"] for role in ("owner", "admin", "member", "viewer")]
    began, waited = time.perf_counter(), 0
    for first in range(0, MESSAGES, BATCH):
        waited += post(base, workspace, records(chance, users, first, min(BATCH, MESSAGES - first)))
    return MESSAGES / (time.perf_counter() - began - waited)


def search(base, workspace, role, chance):
    """Milliseconds of each search, and how many found something."""
    times, hits = [], 0
    for _ in range(SEARCHES):
        query = " ".join(word(chance) for _ in range(chance.randint(1, 3)))
        began = time.perf_counter()
        found = call("POST", f"{base}/v1/actions/platform_search_chat_history", workspace[role]["token"], workspace["id"],
                     {"query": query})
        times.append((time.perf_counter() - began) * 1000)
        hits += bool(found["data"]["items"])
    return sorted(times), hits


def measure(binary, name, database):
    """The rows of one database."""
    folder = tempfile.mkdtemp(prefix="toolcrib-bench-")
    command = [binary, "serve", "--demo", "--data-dir", folder, "--bind", "127.0.0.1:0", "--log-filter", "warn"]
    process, base = start(command + (["--database", database] if database else []))
    try:
        demo = json.loads((pathlib.Path(folder) / "demo.json").read_text())
        workspace, chance = demo["workspaces"][0], random.Random(7)
        limits = {key: 1_000_000 for key in ("write_per_minute", "read_per_minute", "external_per_minute")}
        call("PATCH", f"{base}/v1/settings", demo["system_admin"]["token"], workspace["id"], {"limits": limits})
        rate = load(base, workspace, chance)
        rows = []
        for role in ("owner", "member"):
            times, hits = search(base, workspace, role, chance)
            at = lambda share: times[min(int(len(times) * share), len(times) - 1)]
            rows.append(f"| {name}, {role} | {rate:,.0f} | {at(0.5):.1f} | {at(0.95):.1f} | {times[-1]:.1f} | {hits / len(times):.2f} |")
        return rows
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def main():
    binary, database = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    rows = measure(binary, "SQLite", None) + (measure(binary, "PostgreSQL", database) if database else [])
    print(f"\nSearch among {MESSAGES:,} messages, {SEARCHES} searches one after another, {os.cpu_count()} cores, "
          f"{time.strftime('%Y-%m-%d')}\n")
    print("| whose search | messages loaded/s | p50 ms | p95 ms | slowest ms | found something |\n|---|---|---|---|---|---|")
    print("\n".join(rows))


main()
