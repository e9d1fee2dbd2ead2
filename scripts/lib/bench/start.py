"""Measures how long the demo takes to start on SQLite and what memory it holds, and prints the tables that docs/performance.md
quotes.

Usage: start.py BINARY [STARTS]. The start that makes the demo is not measured. The times are those from the start of the process
until it listens, of the first list and the first search some seconds later, and of a search that is sent as soon as it listens. The
memory is that of /proc/PID/status after some seconds without requests, then after a list of each format, and after a search.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from run import call, stop

FORMATS = ("openai", "openai_responses", "anthropic", "gemini", "mcp")
FIELDS = ("VmRSS", "RssAnon", "RssFile")
# While it is idle, the process gives back what its start needed.
IDLE_SECONDS = (1, 5)
MOMENTS = (*(f"{seconds} s after it listens" for seconds in IDLE_SECONDS), "after lists", "after a search")


class Started:
    """A server of the demo in a folder, with what its start took."""

    def __init__(self, binary, folder):
        command = [binary, "serve", "--demo", "--data-dir", folder, "--bind", "127.0.0.1:0", "--log-filter", "warn"]
        began = time.perf_counter()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = next((line for line in self.process.stdout if line.startswith("listening on ")), None)
        if line is None:
            raise SystemExit(f"{binary} did not start")
        self.listening, self.processor = (time.perf_counter() - began) * 1_000, self.processor_time()
        self.base = line.split()[-1]
        workspace = json.loads((pathlib.Path(folder) / "demo.json").read_text())["workspaces"][0]
        self.headers = [f"Authorization: Bearer {workspace['owner']['token']}", f"X-Workspace-Id: {workspace['id']}"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        stop(self.process)

    def read(self, name):
        return pathlib.Path(f"/proc/{self.process.pid}/{name}").read_text()

    def processor_time(self):
        """The ms that all threads have run."""
        user, system = self.read("stat").rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) * 1_000 / os.sysconf("SC_CLK_TCK")

    def memory(self):
        values = dict(line.split(":", 1) for line in self.read("status").splitlines())
        return [int(values[field].split()[0]) / 1_024 for field in FIELDS]

    def list_tools(self, name):
        return self.took("GET", f"/v1/tools?format={name}")

    def search(self):
        return self.took("POST", "/v1/tools/search", {"query": "which agents failed yesterday"})

    def took(self, method, path, body=None):
        """The ms of a request."""
        began = time.perf_counter()
        call(method, self.base + path, [*self.headers, "Content-Type: application/json"], body)
        return (time.perf_counter() - began) * 1_000


def measured(binary, folder):
    """Returns the times of one start by name, and the memory at each moment."""
    with Started(binary, folder) as server:
        times = {"until it listens": server.listening, "processor time until then": server.processor}
        times["search as soon as it listens"] = server.search()
    with Started(binary, folder) as server:
        moments = []
        for before, seconds in zip((0, *IDLE_SECONDS), IDLE_SECONDS):
            time.sleep(seconds - before)
            moments.append(server.memory())
        times["first list"] = [server.list_tools(name) for name in FORMATS][0]
        moments.append(server.memory())
        times["first search"] = server.search()
        moments.append(server.memory())
    return times, moments


def spread(values):
    return f"{statistics.median(values):.0f} ({min(values):.0f} to {max(values):.0f})"


def main():
    binary, starts = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
    folder = tempfile.mkdtemp(prefix="toolcrib-bench-")
    try:
        with Started(binary, folder):
            pass
        runs = [measured(binary, folder) for _ in range(starts)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{starts} starts, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}: median (least to most)\n\n| what | ms |\n|---|---|")
    for name in runs[0][0]:
        print(f"| {name} | {spread([times[name] for times, _ in runs])} |")
    print(f"\n| MiB | {' | '.join(FIELDS)} |\n|---|---|---|---|")
    for at, moment in enumerate(MOMENTS):
        columns = [spread([moments[at][field] for _, moments in runs]) for field in range(len(FIELDS))]
        print(f"| {moment} | {' | '.join(columns)} |")


if __name__ == "__main__":
    main()
