"""Measures each read action of the walkthrough in a small workspace and in one that is a hundred times as large.

Usage: scale.py BINARY [POSTGRES_URL PSQL]. The URL has no database; two are made. Each database is filled by scale/fill.sql. Then the
calls of the walkthrough run in their order, and each read is repeated. Prints one table for each database; docs/performance.md quotes
them. SCALE_SIZE and SCALE_CALLS change the run.
"""
import os
import pathlib
import subprocess
import sys
import time
import uuid

import apsw

from run import HERE
from walkthrough import Product, actions, platform_tools, walk

# Calls of each action, of which the fastest counts.
CALLS = int(os.environ.get("SCALE_CALLS", "20"))
# 100 is the size of the design: 40,000 agents and 200,000 audit rows.
SIZES = (1, int(os.environ.get("SCALE_SIZE", "100")))
# A page, a row or a search may take so much longer, and a statistic over a period so many milliseconds. Below the last figure
# a difference is noise.
FACTOR, STATISTIC_MS, NOISE_MS = 1.5, 10, 0.3
STATISTICS = {"analytics", "governance"}
SEALED_WITHIN = 600


class Filled(Product):
    """The demo with more rows."""

    def fill(self, size, psql):
        """Adds the rows while the server is stopped, and waits until the chain of the audit log has them."""
        self.stop()
        self.run(filled("fill.sql", self.workspace, size=size, audit=(HERE / "scale/audit.sql").read_text(), numbers="fill_2000"), psql)
        self.seal(psql)

    def seal(self, psql):
        """Starts the server. Returns the seconds until the chain of the audit log has every row."""
        began = time.monotonic()
        self.start()
        while self.unsealed(psql):
            if time.monotonic() > began + SEALED_WITHIN:
                raise SystemExit("the audit rows are not sealed")
            time.sleep(0.5)
        return time.monotonic() - began

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


def filled(file, workspace, **values):
    """Returns the text of a file in scale/ with values for its names in braces, which may have names in braces too."""
    ids = {name: f"unhex('{uuid.UUID(workspace[part][name + '_id'] if part else workspace['id']).hex}')"
           for name, part in (("workspace", None), ("user", "owner"))}
    text = (HERE / "scale" / file).read_text()
    for name, value in {**values, **ids, "now": time.time_ns() // 1000}.items():
        text = text.replace("{" + name + "}", str(value))
    return text


def query(psql, database, text):
    command = [psql, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", database]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=True).stdout


def measured(product, reads):
    """The fastest call of each read action, in milliseconds. What rows cost is in every call; what else runs is not."""
    fastest = {}
    for action, params, _ in walk(product):
        if action in reads:
            fastest[action] = min(took(product, action, params) for _ in range(CALLS))
    return fastest


def took(product, action, params):
    began = time.perf_counter()
    product.post(f"actions/platform_{action}", params)
    return (time.perf_counter() - began) * 1000


def at_size(binary, database, psql, size, reads):
    product = Filled(binary, database)
    try:
        product.fill(size, psql)
        return measured(product, reads)
    finally:
        product.remove()


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
    reads = {name: one["category"] for name, one in platform_tools(actions(binary)).items() if one["permission_level"] == "read"}
    for name, base in (("SQLite", None), ("PostgreSQL", server))[: 2 if server else 1]:
        tables = [at_size(binary, base and base.format(database), psql, size, reads)
                  for database, size in zip(("scale_small", "scale_large"), SIZES)]
        print_table(name, reads, *tables)


if __name__ == "__main__":
    main()
