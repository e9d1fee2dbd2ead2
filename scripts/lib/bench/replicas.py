"""Measures one process and several on one PostgreSQL and one Redis.

Usage: replicas.py BINARY POSTGRES_URL REDIS_URL POSTMASTER_PID REDIS_PID PROCESSES. One URL of PostgreSQL has {} for the database.

All processes of the service share the first core; PostgreSQL, Redis and the clients share the second one. So several
processes have no more processor than one has, and what they lose is the cost of being several. The processor time of each
request says what grows with processes and what with the database. Prints two tables; docs/replicas.md quotes them.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from run import CONNECTIONS, ROUNDS, SECONDS, start, stop, wrk
from walkthrough import Product

SERVICE_CORE, OTHER_CORE = "0", "1"
IDLE_SECONDS = 10
TICK_MICROS = 1_000_000 / os.sysconf("SC_CLK_TCK")
KINDS = {"list": ("/v1/tools", None), "read": ("/v1/actions/platform_list_agents", "read.lua"),
         "write": ("/v1/actions/platform_create_agent", "write.lua")}


def family(pid):
    """The process and its children."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def processor_micros(pids):
    """The processor time of processes and of their children, also of those that ended."""
    total = 0
    for pid in pids:
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
        except FileNotFoundError:
            continue
        total += sum(map(int, fields[11:15])) * TICK_MICROS
    return total


def pin(pid, core):
    subprocess.run(["taskset", "-a", "-c", "-p", core, str(pid)], check=True, capture_output=True)


class Replicas(Product):
    """One process of the demo, and others beside it."""

    def __init__(self, binary, database, redis, count):
        super().__init__(binary, database, "--redis", redis, "--lists-per-minute", "10000000")
        self.others = [start(self.command) for _ in range(count - 1)]
        self.pids = [process.pid for process, _ in [(self.process, None), *self.others]]
        for pid in self.pids:
            pin(pid, SERVICE_CORE)

    def rates(self, kind):
        """Requests a second of all processes together, with as many connections as one process would have."""
        path, script = KINDS[kind]
        bases = [self.base, *(base for _, base in self.others)]
        ask = lambda at: wrk(bases[at] + path, self.owner[:2], script, [f"-{at}"] if kind == "write" else (),
                             connections=CONNECTIONS // len(bases))
        with ThreadPoolExecutor(len(bases)) as pool:
            rows = list(pool.map(ask, range(len(bases))))
        return sum(row["rate"] for row in rows), sum(row["bad"] for row in rows)

    def remove(self):
        for process, _ in self.others:
            stop(process)
        super().remove()


class Bench:
    def __init__(self, postmaster, redis):
        self.postmaster, self.redis = postmaster, redis
        for pid in [*family(postmaster), redis]:
            pin(pid, OTHER_CORE)
        os.sched_setaffinity(0, {int(OTHER_CORE)})

    def spent(self, replicas):
        """The processor time of service, PostgreSQL and Redis."""
        return [processor_micros(pids) for pids in (replicas.pids, family(self.postmaster), [self.redis])]

    def measure(self, replicas, kind):
        """Requests a second, refused ones, and the microseconds of each part for a request."""
        before = self.spent(replicas)
        rate, bad = replicas.rates(kind)
        # The warm-up of a second is in the processor time too.
        requests = rate * (SECONDS + 1)
        return [rate, bad, *((after - then) / requests for after, then in zip(self.spent(replicas), before))]

    def idle(self, replicas):
        """The share of a core that each part takes while nobody asks."""
        time.sleep(IDLE_SECONDS)
        before = self.spent(replicas)
        time.sleep(IDLE_SECONDS)
        return [(after - then) / IDLE_SECONDS / 10_000 for after, then in zip(self.spent(replicas), before)]


def main():
    binary, database, redis, postmaster, redis_pid, count = sys.argv[1:7]
    bench, idle, rows = Bench(int(postmaster), int(redis_pid)), {}, {}
    for processes in (1, int(count)):
        replicas = Replicas(binary, database.format(f"replicas_{processes}"), redis, processes)
        try:
            idle[processes] = bench.idle(replicas)
            for kind in KINDS:
                rounds = [bench.measure(replicas, kind) for _ in range(ROUNDS)]
                rows[kind, processes] = [statistics.median(column) for column in zip(*rounds)]
        finally:
            replicas.remove()
    print(f"\n{CONNECTIONS} connections, {ROUNDS} rounds of {SECONDS} s, the service on one core, all else on another, "
          f"{time.strftime('%Y-%m-%d')}\n")
    print("| what | processes | requests/s | of one process | service, µs a request | PostgreSQL, µs | Redis, µs | refused |")
    print("|---|---|---|---|---|---|---|---|")
    for (kind, processes), (rate, bad, *spent) in rows.items():
        parts = " | ".join(f"{micros:,.0f}" for micros in spent)
        print(f"| {kind} | {processes} | {rate:,.0f} | {rate / rows[kind, 1][0]:.2f} | {parts} | {bad:.0f} |")
    print("\n| idle, percent of a core | service | PostgreSQL | Redis |\n|---|---|---|---|")
    for processes, spent in idle.items():
        print(f"| {processes} process{'es' if processes > 1 else ''} | " + " | ".join(f"{share:.2f}" for share in spent) + " |")


if __name__ == "__main__":
    main()
