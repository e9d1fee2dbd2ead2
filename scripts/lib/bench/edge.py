"""Measures a known caller beside clients that have no right to anything: a flood of well-formed invalid tokens, and 200
streams that nobody reads. Prints the table that docs/performance.md quotes.

Alone: scripts/bench edge, or python3 scripts/lib/bench/edge.py BINARY [POSTGRES_URL]."""
import asyncio
import json
import multiprocessing
import os
import pathlib
import shutil
import sys
import tempfile
import time

import run

SECONDS = float(os.environ.get("BENCH_SECONDS", "8"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
CALLERS = 4
FLOOD = 32
STREAMS = 200


async def answer(reader):
    """Status of one answer with a length; its body is read away."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    lengths = [line.split(":")[1] for line in head.split("\r\n") if line.startswith("content-length:")]
    await reader.readexactly(int(lengths[0]))
    return int(head.split(" ", 2)[1])


class Service:
    def __init__(self, base, workspace, token):
        host, port = base.removeprefix("http://").split(":")
        self.address = host, int(port)
        self.head = f"Host: bench\r\nAuthorization: Bearer {token}\r\nX-Workspace-Id: {workspace}\r\n"

    async def known(self, seconds, took):
        """Reads, one after the other, and how long each took. Every one must be answered."""
        reader, writer = await asyncio.open_connection(*self.address)
        request = f"POST /v1/actions/platform_list_agents HTTP/1.1\r\n{self.head}Content-Length: 0\r\n\r\n".encode()
        end = time.perf_counter() + seconds
        while (begun := time.perf_counter()) < end:
            writer.write(request)
            status = await answer(reader)
            assert status == 200, status
            took.append(time.perf_counter() - begun)
        writer.close()

    async def junk(self, who, counts):
        """Keys that do not exist and tokens that nobody signed, as fast as they are answered."""
        reader, writer = await asyncio.open_connection(*self.address)
        number, told = 0, {}
        while True:
            number += 1
            token = f"tc_{who:016x}{number:016x}_" + "A" * 43
            if number % 2:
                token = "eyJhbGciOiJFZERTQSJ9.e30." + "A" * 80 + f"{number:x}"
            writer.write(f"GET /v1/me HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
            status = await answer(reader)
            told[status] = told.get(status, 0) + 1
            if number % 20 == 0:
                counts.update({key: counts.get(key, 0) + value for key, value in told.items()})
                told.clear()

    async def stream(self):
        """Opens a stream of events and reads its head alone."""
        reader, writer = await asyncio.open_connection(*self.address, limit=4096)
        writer.write(f"GET /v1/events HTTP/1.1\r\n{self.head}\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        assert b" 200 " in head.split(b"\r\n")[0], head
        writer.transport.pause_reading()
        return writer

    async def measure(self):
        took = []
        await asyncio.gather(*(self.known(SECONDS, took) for _ in range(CALLERS)))
        took.sort()
        at = lambda part: took[int(len(took) * part)] * 1000
        return {"rate": len(took) / SECONDS, "p50": at(0.5), "p99": at(0.99)}


async def flooding(service, counts):
    await asyncio.gather(*(service.junk(who, counts) for who in range(FLOOD)))


async def beside_junk(service):
    """The flood has a process of its own, so that the callers' figures are not its event loop's."""
    with multiprocessing.Manager() as manager:
        counts = manager.dict()
        flood = multiprocessing.Process(target=lambda: asyncio.run(flooding(service, counts)))
        flood.start()
        try:
            while not counts.get(429):
                await asyncio.sleep(0.05)
            row = await service.measure()
        finally:
            flood.terminate()
            flood.join()
        return {**row, "answers": dict(counts)}


async def beside_streams(service):
    streams = await asyncio.gather(*(service.stream() for _ in range(STREAMS)))
    row = await service.measure()
    for writer in streams:
        writer.transport.abort()
    return row


async def rounds(service):
    """Alone, beside junk and beside streams in turn, because a machine may be half as fast a minute later."""
    rows = {"alone": [], f"beside {FLOOD} clients with invalid tokens": [], f"beside {STREAMS} unread streams": []}
    for _ in range(ROUNDS):
        for row, measured in zip(rows.values(), (service.measure, lambda: beside_junk(service),
                                                 lambda: beside_streams(service))):
            row.append(await measured())
    return rows


def product(binary, name, database):
    folder = tempfile.mkdtemp(prefix="toolcrib-bench-")
    command = [binary, "serve", "--demo", "--data-dir", folder, "--bind", "127.0.0.1:0", "--log-filter", "warn",
               "--streams-per-principal", str(STREAMS), "--lists-per-minute", "1000000"]
    process, base = run.start(command + (["--database", database] if database else []))
    try:
        demo = json.loads((pathlib.Path(folder) / "demo.json").read_text())
        workspace = demo["workspaces"][0]
        admin = [f"Authorization: Bearer {demo['system_admin']['token']}", f"X-Workspace-Id: {workspace['id']}",
                 "Content-Type: application/json"]
        limits = {key: 1_000_000 for key in ("write_per_minute", "read_per_minute", "external_per_minute")}
        run.call("PATCH", f"{base}/v1/settings", admin, {"limits": limits})
        found = asyncio.run(rounds(Service(base, workspace["id"], workspace["owner"]["token"])))
    finally:
        run.stop(process)
        shutil.rmtree(folder, ignore_errors=True)
    for what, row in found.items():
        figures = run.middle([{key: one[key] for key in ("rate", "p50", "p99")} | {"bad": 0} for one in row])
        junk = "; answers to junk: " + str(row[-1]["answers"]) if "answers" in row[-1] else ""
        print(f"| {name}: a known caller {what}{junk} | {figures['rate']:,.0f} | {figures['p50']:.2f} | {figures['p99']:.2f} |")


def main():
    binary, *databases = sys.argv[1:]
    print(f"\n{CALLERS} callers, {ROUNDS} rounds of {SECONDS:g} s each, {os.cpu_count()} cores shared with the flood\n")
    print("| what | requests/s | p50 ms | p99 ms |\n|---|---|---|---|")
    product(binary, "SQLite", None)
    for database in databases:
        product(binary, "PostgreSQL", database)


main()
