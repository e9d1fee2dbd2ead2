"""Runs wrk against a hello, SQLite and PostgreSQL, and prints the table that docs/performance.md quotes."""
import json
import math
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = int(os.environ.get("BENCH_SECONDS", "8"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
CONNECTIONS = int(os.environ.get("BENCH_CONNECTIONS", "64"))


def start(command, cwd=None):
    """Starts a server and returns it with its base URL."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=cwd)
    for line in process.stdout:
        found = re.search(r"listening on (http://\S+)", line)
        if found:
            # What follows on its output is read away, so that a full pipe never stops it.
            subprocess.Popen(["cat"], stdin=process.stdout, stdout=subprocess.DEVNULL)
            return process, found.group(1)
    raise SystemExit(f"{command[0]} did not start")


def stop(process):
    process.send_signal(signal.SIGTERM)
    process.wait(30)


def millis(text):
    number, unit = re.match(r"([\d.]+)(us|ms|s)", text).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def wrk(url, headers=(), script=None, arguments=(), seconds=SECONDS, warm_up=1, connections=CONNECTIONS):
    """One measurement after a warm-up of some seconds: requests/s, p50 and p99 in ms, answers that were no success. The
    arguments are those of the script."""
    base = ["wrk", "-t", "1", "-c", str(connections), "--latency"]
    for header in headers:
        base += ["-H", header]
    if script:
        base += ["-s", str(HERE / script)]
    rest = [url, "--", *arguments] if arguments else [url]
    if warm_up:
        subprocess.run([*base, "-d", str(warm_up), *rest], capture_output=True, check=True)
    text = subprocess.run([*base, "-d", str(seconds), *rest], capture_output=True, text=True, check=True).stdout
    if "Requests/sec" not in text or re.search(r"\bnan\b", text):
        raise SystemExit(f"no measurement of {url}:\n{text}")
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    # A script that sends other requests too measures its own rate. wrk's latencies are those of all requests.
    alone = re.search(r"^Calls alone: ([\d.]+) a second, (\d+) refused", text, re.M)
    if alone:
        unknown = float("nan")
        row = {"rate": float(alone.group(1)), "p50": unknown, "p99": unknown, "bad": int(alone.group(2))}
        print(f"{url}: {row}", *(re.findall(r"^Refused: .+", text, re.M) if row["bad"] else ()), file=sys.stderr)
        return row
    row = {
        "rate": float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1)),
        "p50": millis(re.search(r"^ +50% +(\S+) *$", text, re.M).group(1)),
        "p99": millis(re.search(r"^ +99% +(\S+) *$", text, re.M).group(1)),
        "bad": int(bad.group(1)) if bad else 0,
    }
    print(f"{url}: {row}", file=sys.stderr)
    return row


def call(method, url, headers, body=None):
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(url, data, dict(h.split(": ", 1) for h in headers), method=method)
    with urllib.request.urlopen(request) as answer:
        return answer.headers, answer.read()


class Beside:
    """Measures beside the hello: a virtual machine may be half as fast a minute later."""

    def __init__(self, hello, seconds=max(2, SECONDS // 2), warm_up=1):
        self.hello, self.seconds, self.warm_up = hello, seconds, warm_up
        self.hellos = []

    def top(self):
        """Measures the hello."""
        self.hellos.append(wrk(self.hello, seconds=self.seconds, warm_up=self.warm_up))
        return self.hellos[-1]

    def __call__(self, name, *what):
        rounds = []
        for _ in range(ROUNDS):
            top = self.top()
            row = wrk(*what)
            rounds.append({**row, "ratio": row["rate"] / top["rate"]})
        return name, middle(rounds)


def middle(rounds):
    """Each figure's median; what was refused counts in every round."""
    row = {key: statistics.median(one[key] for one in rounds) for key in rounds[0]}
    row["bad"] = sum(one["bad"] for one in rounds)
    return row


def print_table(beside, rows):
    """Prints the rows below the hello that was measured beside them."""
    rows = [("bare axum JSON hello", {**middle(beside.hellos), "ratio": 1}), *rows]
    print(f"\n{CONNECTIONS} connections, {ROUNDS} rounds of {SECONDS} s, each beside the hello, "
          f"{os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}\n")
    print("| what | requests/s | p50 ms | p99 ms | of the hello | refused |\n|---|---|---|---|---|---|")
    for name, row in rows:
        p50, p99 = ("–" if math.isnan(row[key]) else f"{row[key]:.2f}" for key in ("p50", "p99"))
        print(f"| {name} | {row['rate']:,.0f} | {p50} | {p99} | {row['ratio']:.3f} | {row['bad']} |")


def product(binary, name, database, beside):
    """Tool lists, a read and a write on one database."""
    folder = tempfile.mkdtemp(prefix="toolcrib-bench-")
    command = [binary, "serve", "--demo", "--data-dir", folder, "--bind", "127.0.0.1:0", "--log-filter", "warn",
               "--lists-per-minute", "10000000"]
    process, base = start(command + (["--database", database] if database else []))
    try:
        demo = json.loads((pathlib.Path(folder) / "demo.json").read_text())
        workspace = demo["workspaces"][0]
        place = f"X-Workspace-Id: {workspace['id']}"
        admin = [f"Authorization: Bearer {demo['system_admin']['token']}", place, "Content-Type: application/json"]
        limits = {key: 1_000_000 for key in ("write_per_minute", "read_per_minute", "external_per_minute")}
        call("PATCH", f"{base}/v1/settings", admin, {"limits": limits})
        headers = [f"Authorization: Bearer {workspace['owner']['token']}", place]
        etag = call("GET", f"{base}/v1/tools", headers)[0]["ETag"]
        return [
            beside(f"{name}: `GET /v1/tools`", f"{base}/v1/tools", headers),
            beside(f"{name}: `GET /v1/tools`, 304", f"{base}/v1/tools", [*headers, f"If-None-Match: {etag}"]),
            beside(f"{name}: read action", f"{base}/v1/actions/platform_list_agents", headers, "read.lua"),
            beside(f"{name}: write action", f"{base}/v1/actions/platform_create_agent", headers, "write.lua"),
        ]
    finally:
        stop(process)
        shutil.rmtree(folder, ignore_errors=True)


def main():
    binary, hello, socket = sys.argv[1:4]
    process, base = start([hello])
    try:
        beside = Beside(base + "/")
        rows = product(binary, "SQLite", None, beside)
        rows += product(binary, "PostgreSQL (Unix socket)", socket, beside)
    finally:
        stop(process)
    print_table(beside, rows)


if __name__ == "__main__":
    main()
