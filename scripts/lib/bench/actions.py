"""Measures all reads and all writes of the walkthrough beside the hello, on SQLite and PostgreSQL.

Usage: actions.py BINARY HELLO [POSTGRES_URL] [--beside OTHER_BINARY] [--only ACTION,…]. The URL has {} for its database. Two
binaries are measured turn by turn in the same run. Prints for each database a table, the geometric means, the medians and the
actions below a quarter of the median of their kind. The reads are measured first, while the walkthrough runs.
"""
import argparse
import os
import pathlib
import sys
import tempfile
import time

import writes
from prepare import Measured, filled, settle, write_file
from report import print_summary, print_table
from round_trips import proxied
from run import Beside, middle, start, stop, wrk
from walkthrough import actions, kind, platform_tools

SECONDS = int(os.environ.get("BENCH_SECONDS", "2"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "1"))
# Calls of a write that can't be repeated without end.
CALLS = 1_000 * SECONDS
# So many seconds are enough for these calls.
PATIENCE = 60
# Each round begins with a number that the one before has not reached.
NUMBERS = 1_000_000


class Bench:
    """The actions on one database, of one version or of two."""

    def __init__(self, binaries, databases, beside, listed):
        self.beside, self.listed, self.rows, self.turn = beside, listed, {}, 0
        self.folder = tempfile.TemporaryDirectory(prefix="toolcrib-bench-")
        self.products = [Measured(binary, database, listed) for binary, database in zip(binaries, databases)]

    def remove(self):
        for product in self.products:
            product.remove()
        self.folder.cleanup()

    def measure(self, wanted):
        for action, *_ in zip(*(product.walk() for product in self.products)):
            if kind(self.listed[action]) == "read" and action in wanted:
                self.measure_action(action)
        for action in writes.WRITES:
            if action in wanted:
                self.measure_action(action)

    def measure_action(self, action):
        rounds = [[] for _ in self.products]
        for number in range(ROUNDS):
            files = [self.file(action, at) for at in range(len(self.products))]
            settle()
            top = self.beside.top()
            self.turn += 1
            for at in range(len(files))[:: 1 if self.turn % 2 else -1]:
                row = self.run(action, at, files[at], number)
                rounds[at].append({**row, "ratio": row["rate"] / top["rate"]})
        self.rows[action] = [middle(one) for one in rounds]

    def file(self, action, at):
        """Writes calls to a file."""
        file = pathlib.Path(self.folder.name) / f"{action}-{at}"
        write_file(file, self.products[at].calls(action, CALLS))
        return file

    def run(self, action, at, file, number):
        mode, seconds = "read", SECONDS
        if kind(self.listed[action]) == "write":
            mode, seconds = ("once", PATIENCE) if writes.WRITES[action].uses else ("again", SECONDS)
        product = self.products[at]
        arguments = [str(file), mode, str(number * NUMBERS)]
        # The path is for people who read what is printed: the file has the paths.
        return wrk(f"{product.base}/{action}", product.owner[:1], "actions.lua", arguments, seconds, warm_up=0)


def trips(binary, url, listed):
    """Round trips to PostgreSQL of each action's call. The proxy that counts them is not in the way of what is measured."""
    proxy, through = proxied(url)
    product, counts = Measured(binary, through, listed), {}

    def count(action):
        # The fewer of two calls: a connection that is opened meanwhile asks too.
        calls = product.calls(action, 2)
        counts[action] = min(asked(*calls[number % len(calls)], number) for number in range(2))

    def asked(path, workspace, body, number):
        proxy.texts.clear()
        product.post_all([(path, workspace, filled(body, "", number))])
        return len(proxy.texts)

    try:
        # The connections that are opened at the start ask too.
        time.sleep(2)
        for action in product.walk():
            if kind(listed[action]) == "read":
                count(action)
        for action in writes.WRITES:
            count(action)
        return counts
    finally:
        product.remove()


def parsed():
    parser = argparse.ArgumentParser(prog="scripts/bench actions")
    parser.add_argument("binary")
    parser.add_argument("hello")
    parser.add_argument("postgres", nargs="?")
    parser.add_argument("--beside", metavar="OTHER_BINARY")
    parser.add_argument("--only", metavar="ACTION,…")
    return parser.parse_args()


def on_database(name, options, databases, hello, listed):
    began = time.monotonic()
    # The proxy needs TCP.
    url = options.postgres and options.postgres.format("bench_actions_trips").split("?")[0]
    counts = trips(options.binary, url, listed) if databases[0] else {}
    binaries = [options.binary, options.beside] if options.beside else [options.binary]
    bench = Bench(binaries, databases, Beside(hello, seconds=1, warm_up=0), listed)
    try:
        bench.measure(set(options.only.split(",")) if options.only else set(listed))
    finally:
        bench.remove()
    print_table(f"{name}: {ROUNDS} rounds of {SECONDS} s or, where targets are used up, {CALLS:,} calls", bench, counts)
    print_summary(name, bench)
    print(f"{name} took {time.monotonic() - began:.0f} s", file=sys.stderr)


def main():
    options = parsed()
    listed = platform_tools(actions(options.binary))
    writes.check({name for name, one in listed.items() if kind(one) == "write"})
    process, base = start([options.hello])
    try:
        on_database("SQLite", options, [None, None], base + "/", listed)
        if options.postgres:
            databases = [options.postgres.format(name) for name in ("bench_actions", "bench_actions_other")]
            on_database("PostgreSQL", options, databases, base + "/", listed)
    finally:
        stop(process)


if __name__ == "__main__":
    main()
