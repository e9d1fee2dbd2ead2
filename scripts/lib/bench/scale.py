"""Measures each read action of the walkthrough in a small workspace and in one that is a hundred times as large.

Usage: scale.py BINARY [POSTGRES_URL PSQL]. The URL has no database; two are made. Each database is filled by scale/fill.sql. Then the
calls of the walkthrough run in their order, and each read is repeated. Prints one table for each database; docs/performance.md quotes
them. SCALE_SIZE and SCALE_CALLS change the run.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import uuid

import apsw

from run import HERE, call, start, stop

# Calls of each action, of which the fastest counts.
CALLS = int(os.environ.get("SCALE_CALLS", "20"))
# 100 is the size of the design: 40,000 agents and 200,000 audit rows.
SIZES = (1, int(os.environ.get("SCALE_SIZE", "100")))
# A page, a row or a search may take so much longer, and a statistic over a period so many milliseconds. Below the last figure
# a difference is noise.
FACTOR, STATISTIC_MS, NOISE_MS = 1.5, 10, 0.3
STATISTICS = {"analytics", "governance"}
SEALED_WITHIN = 600
WALK = HERE.parents[2] / "tests/data/walkthrough.json"


class Product:
    """The demo on one database, stopped and started again while it is filled."""

    def __init__(self, binary, database):
        self.folder, self.database = tempfile.mkdtemp(prefix="toolcrib-scale-"), database
        self.command = [binary, "serve", "--demo", "--data-dir", self.folder, "--bind", "127.0.0.1:0", "--log-filter", "error",
                        *(["--database", database] if database else [])]
        self.start()
        demo = json.loads((pathlib.Path(self.folder) / "demo.json").read_text())
        self.workspace = demo["workspaces"][0]
        place = [f"X-Workspace-Id: {self.workspace['id']}", "Content-Type: application/json"]
        self.owner = [f"Authorization: Bearer {self.workspace['owner']['token']}", *place]
        limits = {f"{kind}_per_minute": 1_000_000 for kind in ("write", "read", "external")}
        call("PATCH", f"{self.base}/v1/settings", [f"Authorization: Bearer {demo['system_admin']['token']}", *place], {"limits": limits})

    def start(self):
        self.process, self.base = start(self.command)

    def stop(self):
        stop(self.process)

    def post(self, path, body):
        try:
            return json.loads(call("POST", f"{self.base}/v1/{path}", self.owner, body)[1])
        except urllib.error.HTTPError as problem:
            raise SystemExit(f"{path} {body}: {problem.read().decode()}") from None

    def act(self, action, params):
        """Calls an action, and approves it where a person has to."""
        answer, waits = self.post(f"actions/platform_{action}", params), None
        for body in ({}, {"phrase": f"platform_{action}"}):
            if answer["status"] == "completed":
                break
            waits = answer["confirmation"]["id"] if "confirmation" in answer else waits
            answer = self.post(f"confirmations/{waits}/approve", body)
        return answer["data"]

    def fill(self, size, psql):
        """Adds the rows while the server is stopped, and waits until the chain of the audit log has them."""
        self.stop()
        ids = {name: f"unhex('{uuid.UUID(self.workspace[part][name + '_id'] if part else self.workspace['id']).hex}')"
               for name, part in (("workspace", None), ("user", "owner"))}
        text = (HERE / "scale/fill.sql").read_text()
        for name, value in {**ids, "now": time.time_ns() // 1000, "size": size}.items():
            text = text.replace("{" + name + "}", str(value))
        self.run(text, psql)
        self.start()
        until = time.monotonic() + SEALED_WITHIN
        while self.unsealed(psql):
            if time.monotonic() > until:
                raise SystemExit("the audit rows are not sealed")
            time.sleep(0.5)

    def run(self, text, psql):
        if self.database:
            files = ((HERE / "scale/postgres.sql").read_text(), text, "DROP FUNCTION unhex; DROP FUNCTION printf; VACUUM ANALYZE;")
            query(psql, self.database, "\n".join(files))
            return
        connection = apsw.Connection(str(pathlib.Path(self.folder) / "toolcrib.db"))
        connection.execute(f"BEGIN; {text} COMMIT")
        connection.close()

    def unsealed(self, psql):
        rows = "SELECT (SELECT COUNT(*) FROM action_log) - (SELECT COUNT(*) FROM audit_chain)"
        if self.database:
            return int(query(psql, self.database, rows)) > 0
        with apsw.Connection(str(pathlib.Path(self.folder) / "toolcrib.db"), apsw.SQLITE_OPEN_READONLY) as connection:
            return connection.execute(rows).fetchone()[0] > 0


def query(psql, database, text):
    command = [psql, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", database]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=True).stdout


def steps(entries):
    for entry in entries:
        yield from steps(entry.get("before", []))
        yield entry


def measured(product, reads):
    """The fastest call of each read action, in milliseconds. What rows cost is in every call; what else runs is not."""
    saved, fastest = {}, {}
    for step in steps(json.loads(WALK.read_text())):
        action = step["action"]
        known = lambda value: saved[value[1:]] if isinstance(value, str) and re.fullmatch(r"\$[A-Z_]+", value) else value
        params = {name: known(value) for name, value in step["params"].items()}
        data = product.act(action, params)
        saved.update({name: data[field] for name, field in step.get("save", {}).items()})
        if action in reads:
            fastest[action] = min(took(product, action, params) for _ in range(CALLS))
    return fastest


def took(product, action, params):
    began = time.perf_counter()
    product.post(f"actions/platform_{action}", params)
    return (time.perf_counter() - began) * 1000


def at_size(binary, database, psql, size, reads):
    product = Product(binary, database)
    try:
        product.fill(size, psql)
        return measured(product, reads)
    finally:
        product.stop()
        shutil.rmtree(product.folder, ignore_errors=True)


def within(reads, action, small, large):
    """Whether the action keeps its rule."""
    if reads[action] in STATISTICS and large <= STATISTIC_MS + small:
        return True
    return large <= FACTOR * small + NOISE_MS


def print_table(name, reads, small, large):
    print(f"\n{name}, {SIZES[1]} times the rows, fastest of {CALLS} calls by one caller, {os.cpu_count()} cores, "
          f"{time.strftime('%Y-%m-%d')}\n")
    print("| action | small ms | large ms | factor | |\n|---|---|---|---|---|")
    beyond = []
    for action in sorted(small, key=lambda action: -large[action] / small[action]):
        kept = within(reads, action, small[action], large[action])
        beyond += [] if kept else [action]
        print(f"| `{action}` | {small[action]:.1f} | {large[action]:.1f} | {large[action] / small[action]:.1f} | "
              f"{'' if kept else 'beyond'} |")
    print(f"\n{name}: {len(beyond)} of {len(small)} are beyond the rule: {', '.join(beyond) or 'none'}")


def main():
    binary, server, psql = (*sys.argv[1:], None, None)[:3]
    listed = json.loads(subprocess.run([binary, "actions", "list", "--json"], capture_output=True, text=True, check=True).stdout)
    reads = {one["name"].removeprefix("platform_"): one["category"] for one in listed if one["permission_level"] == "read"}
    for name, base in (("SQLite", None), ("PostgreSQL", server))[: 2 if server else 1]:
        tables = [at_size(binary, base and base.format(database), psql, size, reads)
                  for database, size in zip(("scale_small", "scale_large"), SIZES)]
        print_table(name, reads, *tables)


if __name__ == "__main__":
    main()
