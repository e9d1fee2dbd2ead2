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
from prepare import Measured, write_file
from report import kind, print_summary, print_table
from round_trips import counted
from run import Beside, middle, start, stop, wrk
from walkthrough import actions, walk

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
        self.beside, self.listed, self.rows, self.params, self.turn = beside, listed, {}, {}, 0
        self.folder = tempfile.TemporaryDirectory(prefix="toolcrib-bench-")
        self.products = [Measured(binary, database) for binary, database in zip(binaries, databases)]

    def remove(self):
        for product in self.products:
            product.remove()
        self.folder.cleanup()

    def measure(self, wanted):
        for steps in zip(*(walk(product) for product in self.products)):
            action = steps[0][0]
            known = self.params.get(action)
            # The call with the most parameters is the action's own.
            if not known or len(steps[0][1]) > len(known[0]):
                self.params[action] = [params for _, params, _ in steps]
            if kind(self.listed[action]) == "read" and action in wanted:
                self.measure_action(action)
        for action in writes.WRITES:
            if action in wanted:
                self.measure_action(action)

    def measure_action(self, action):
        rounds = [[] for _ in self.products]
        for number in range(ROUNDS):
            measured = [self.prepared(action, at) for at in range(len(self.products))]
            top = self.beside.top()
            self.turn += 1
            for at in range(len(measured))[:: 1 if self.turn % 2 else -1]:
                row = self.run(at, measured[at], number)
                rounds[at].append({**row, "ratio": row["rate"] / top["rate"]})
        self.rows[action] = [middle(one) for one in rounds]

    def prepared(self, action, at):
        """Writes the calls to a file. Returns it and how it is sent."""
        product, params = self.products[at], self.params[action][at]
        file = pathlib.Path(self.folder.name) / f"{action}-{at}"
        if kind(self.listed[action]) == "read":
            write_file(file, [(f"/v1/actions/platform_{action}", product.main, params)])
            return file, "read"
        write_file(file, product.calls(action, params, self.listed[action]["confirmation"], CALLS))
        return file, "once" if writes.WRITES[action].uses else "again"

    def run(self, at, measured, number):
        product, (file, mode) = self.products[at], measured
        arguments = [str(file), mode, str(number * NUMBERS)]
        return wrk(product.base, product.owner[:1], "actions.lua", arguments, PATIENCE if mode == "once" else SECONDS, warm_up=0)


def parsed():
    parser = argparse.ArgumentParser(prog="scripts/bench actions")
    parser.add_argument("binary")
    parser.add_argument("hello")
    parser.add_argument("postgres", nargs="?")
    parser.add_argument("--beside", metavar="OTHER_BINARY")
    parser.add_argument("--only", metavar="ACTION,…")
    return parser.parse_args()


def trips(options):
    """Round trips of each action. The proxy that counts them needs TCP, and is not in the way of what is measured."""
    url = options.postgres.format("bench_actions_trips").split("?")[0]
    return {action: len(texts) for action, texts in counted(options.binary, url).items()}


def on_database(name, options, databases, hello, listed):
    began = time.monotonic()
    counts = trips(options) if databases[0] else {}
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
    listed = {name: one for name, one in actions(options.binary).items() if one["surface"] == "tool"}
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
