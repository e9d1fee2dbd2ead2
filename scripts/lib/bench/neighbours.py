"""Measures one tenant's calls beside what another does: `neighbours.py BINARY [DATABASE]` starts a demo of its own.

Prints a line for each load: the other tenant's p50 and p99 in milliseconds, and how many of its calls failed. Who loads and who
measures are processes of their own, so that this program's own pauses are not measured. NEIGHBOUR_SECONDS is how long each
load lasts.
"""
import http.client
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import uuid

SECONDS = float(os.environ.get("NEIGHBOUR_SECONDS", "10"))
ENDLESS = "SELECT COUNT(*) FROM orders a, orders b, orders c, orders d, orders e, orders f"
AT = "2026-01-01T00:00:00Z"


def serve(command):
    """Starts the server and returns it with its host and port."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in process.stdout:
        found = re.search(r"listening on (http://\S+)", line)
        if found:
            subprocess.Popen(["cat"], stdin=process.stdout, stdout=subprocess.DEVNULL)
            return process, urllib.parse.urlparse(found.group(1)).netloc
    raise SystemExit(f"{command[0]} did not start")


class Client:
    """One connection of one caller; opened again where the server closed it."""

    def __init__(self, host, token, workspace):
        self.host = host
        self.headers = {"Authorization": f"Bearer {token}", "X-Workspace-Id": workspace,
                        "Content-Type": "application/json"}
        self.connection = http.client.HTTPConnection(host, timeout=60)

    def send(self, method, path, body=None):
        data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
        try:
            self.connection.request(method, path, data, self.headers)
            response = self.connection.getresponse()
            return response.status, response.read()
        except (http.client.HTTPException, OSError):
            self.connection.close()
            self.connection = http.client.HTTPConnection(self.host, timeout=60)
            return 0, b""

    def done(self, method, path, body=None):
        status, text = self.send(method, path, body)
        if status >= 300:
            raise SystemExit(f"{method} {path}: {status} {text[:300]}")
        return json.loads(text)


def records(client, document):
    """A post of 1 MB of passages, none of which is known."""
    word = "kiln glaze amphora cobalt " * 550
    rows = [{"id": str(uuid.uuid4()), "at": AT, "position": n, "content": word} for n in range(70)]
    client.send("POST", f"/v1/records/documents/{document}/chunks", {"records": rows})


def load_forever(kind, client_of, extra):
    """One connection of the tenant that loads, until it is ended."""
    client = Client(*client_of)
    while True:
        if kind == "records":
            records(client, extra)
        elif kind == "queries":
            client.send("POST", "/v1/actions/platform_query_data", {"datasource": extra, "sql": ENDLESS})
        elif kind == "writers":
            client.send("POST", "/v1/actions/platform_create_agent", {"name": f"agent {uuid.uuid4()}"})
        elif kind == "readers":
            client.send("POST", "/v1/actions/platform_get_activity_feed", {})
        elif kind == "bodies":
            client.send("POST", "/v1/actions/platform_add_document", b'{"title":"' + b"x" * (8 * 1024 * 1024 - 64) + b'"}')


def measure(client_of, seconds, found):
    """A read and a write in turn, and how long each took."""
    client, until, took, failed = Client(*client_of), time.monotonic() + seconds, [], 0
    calls = [("platform_list_agents", lambda: {}), ("platform_create_task", lambda: {"title": f"task {uuid.uuid4()}", "description": "beside"})]
    n = 0
    while time.monotonic() < until:
        name, arguments = calls[n % 2]
        n += 1
        begun = time.monotonic()
        status, _ = client.send("POST", f"/v1/actions/{name}", arguments())
        took.append((time.monotonic() - begun) * 1000)
        failed += status != 200
        time.sleep(0.002)
    found.put((took, failed))


def settle(other):
    """Waits until what the load before left behind is done: the server ends calls whose client is gone."""
    client, quick, until = Client(*other), 0, time.monotonic() + 60
    while quick < 10 and time.monotonic() < until:
        begun = time.monotonic()
        client.send("POST", "/v1/actions/platform_list_agents", {})
        quick = quick + 1 if time.monotonic() - begun < 0.03 else 0


def beside(name, kind, count, loading, other, extra=None):
    loaders = [multiprocessing.Process(target=load_forever, args=(kind, loading, extra), daemon=True)
               for _ in range(count)]
    found = multiprocessing.Queue()
    for loader in loaders:
        loader.start()
    time.sleep(1)
    measuring = multiprocessing.Process(target=measure, args=(other, SECONDS, found))
    measuring.start()
    took, failed = found.get(timeout=SECONDS + 120)
    measuring.join()
    for loader in loaders:
        loader.kill()
    for loader in loaders:
        loader.join()
    settle(other)
    took.sort()
    at = lambda share: took[min(len(took) - 1, int(len(took) * share))]
    print(f"| {name} | {len(took)} | {at(0.5):.1f} | {at(0.99):.1f} | {took[-1]:.1f} | {failed} |", flush=True)


def main():
    binary, database = sys.argv[1], sys.argv[2:3]
    folder = tempfile.mkdtemp(prefix="toolcrib-neighbours-")
    command = [binary, "serve", "--demo", "--data-dir", folder, "--bind", "127.0.0.1:0", "--log-filter", "warn"]
    process, host = serve(command + (["--database", *database] if database else []))
    try:
        demo = json.loads((pathlib.Path(folder) / "demo.json").read_text())
        first, second = demo["workspaces"][:2]
        loading = (host, first["owner"]["token"], first["id"])
        other = (host, second["owner"]["token"], second["id"])
        system = demo["system_admin"]["token"]
        wide = {"write_per_minute": 1_000_000, "read_per_minute": 1_000_000, "external_per_minute": 1_000_000}
        Client(host, system, second["id"]).done("PATCH", "/v1/settings", {"limits": wide})
        Client(host, system, first["id"]).done("PATCH", "/v1/settings", {"limits": {**wide, "write_per_minute": 60}})
        owner = Client(*loading)
        key = owner.done("POST", "/v1/keys", {"kind": "service", "role": "viewer", "name": "runtime", "scopes": ["records:write", "*:read"]})["secret"]
        document = owner.done("POST", "/v1/actions/platform_add_document", {"title": "load", "content": "x"})["data"]["id"]
        print(f"\nAnother tenant beside each load, {SECONDS:.0f} s, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}\n")
        print("| beside | calls | p50 ms | p99 ms | longest ms | failed |\n|---|---|---|---|---|---|")
        beside("nothing", "nothing", 0, loading, other)
        beside("6 posts of 1 MB of records", "records", 6, (host, key, first["id"]), other, document)
        beside("8 queries that run into their time-out", "queries", 8, loading, other,
               first["datasource"])
        beside("64 writers far beyond their limit", "writers", 64, loading, other)
        beside("64 readers of the activity feed", "readers", 64, loading, other)
        beside("6 bodies of 8 MiB", "bodies", 6, loading, other)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
