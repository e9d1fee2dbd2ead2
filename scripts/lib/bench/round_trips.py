"""Counts the round trips to PostgreSQL of each action of the walkthrough.

Usage: round_trips.py BINARY POSTGRES_URL. The URL is of TCP and has no database; one is used. The server is reached through a
proxy that counts the messages after which PostgreSQL waits for the next one (ReadyForQuery). Prints a table, and the
geometric mean of reads and of writes; docs/performance.md quotes them. Only connections of requests count: what workers and
the writer of audit batches do is shared by all calls. What a connection does once, such as preparing a statement, is not counted.
"""
import asyncio
import statistics
import struct
import sys
import threading
import time
from urllib.parse import urlsplit

from walkthrough import Product, actions, kind, walk

# What a connection of requests says first.
REQUESTS = b"SET ROLE toolcrib_app"
# How messages begin that a connection sends once.
ONCE = ("SET ", "PREPARE ")
HEADER = struct.Struct("!cI")


class Proxy:
    """A proxy in a thread of its own. `texts` has what connections of requests asked, one entry a round trip."""

    def __init__(self, host, port):
        self.target, self.texts = (host, port), []
        self.ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True).start()
        self.ready.wait(10)

    async def serve(self):
        server = await asyncio.start_server(self.connected, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        await server.serve_forever()

    async def connected(self, client_in, client_out):
        server_in, server_out = await asyncio.open_connection(*self.target)
        connection = Connection(self.texts)
        await asyncio.gather(self.copy(client_in, server_out, connection.sent), self.copy(server_in, client_out, connection.received))

    async def copy(self, source, target, seen):
        try:
            while data := await source.read(1 << 16):
                seen(data)
                target.write(data)
                await target.drain()
        except ConnectionError:
            pass
        target.close()


class Connection:
    """Follows the messages of one connection."""

    def __init__(self, texts):
        self.texts, self.of_requests, self.asked, self.statements = texts, False, [], {}
        self.from_client, self.from_server, self.started = b"", b"", False

    def sent(self, data):
        self.from_client += data
        if not self.started:
            [length] = struct.unpack_from("!I", self.from_client)
            if len(self.from_client) < length:
                return
            self.from_client, self.started = self.from_client[length:], True
        self.from_client = messages(self.from_client, self.ask)

    def received(self, data):
        self.from_server = messages(self.from_server + data, self.answer)

    def ask(self, kind, body):
        if kind == b"Q":
            self.of_requests = self.of_requests or REQUESTS in body
            self.asked.append(body.rstrip(b"\0").decode())
        elif kind == b"P":
            name, text = body.split(b"\0")[:2]
            self.statements[name] = text.decode()
        elif kind == b"B":
            _, name = body.split(b"\0")[:2]
            self.asked.append(self.statements.get(name, ""))

    def answer(self, kind, _):
        if kind == b"Z":
            if self.of_requests and self.asked and not self.asked[0].startswith(ONCE):
                self.texts.append("; ".join(self.asked))
            self.asked = []


def messages(data, seen):
    """Hands on each whole message. Returns what is left."""
    at = 0
    while len(data) - at >= HEADER.size:
        kind, length = HEADER.unpack_from(data, at)
        if len(data) - at < length + 1:
            break
        seen(kind, data[at + HEADER.size:at + 1 + length])
        at += length + 1
    return data[at:]


class Counted(Product):
    """The demo, whose last request is counted."""

    def __init__(self, binary, database, texts):
        self.texts = texts
        super().__init__(binary, database)

    def post(self, path, body):
        self.texts.clear()
        return super().post(path, body)


def proxied(url):
    """A proxy to the server of this URL, and the URL through it."""
    server = urlsplit(url)
    proxy = Proxy(server.hostname, server.port)
    return proxy, url.replace(server.netloc, f"{server.username}@127.0.0.1:{proxy.port}") + "?sslmode=disable"


def counted(binary, url):
    """What each action asked PostgreSQL: the texts of its round trips."""
    proxy, through = proxied(url)
    product = Counted(binary, through, proxy.texts)
    try:
        # What the start itself reads.
        time.sleep(2)
        return {action: list(proxy.texts) for action, _, _ in walk(product)}
    finally:
        product.remove()


def print_table(kinds, trips):
    print("| action | kind | round trips |\n|---|---|---|")
    for action in sorted(trips, key=lambda action: (kinds[action], -len(trips[action]), action)):
        print(f"| `{action}` | {kinds[action]} | {len(trips[action])} |")
    for what in sorted(set(kinds.values())):
        mean = statistics.geometric_mean(len(trips[action]) for action in trips if kinds[action] == what)
        print(f"\n{what}: geometric mean {mean:.2f}")


def main():
    trips = counted(*sys.argv[1:3])
    print_table({name: kind(one) for name, one in actions(sys.argv[1]).items()}, trips)
    if "-v" in sys.argv:
        for action, texts in trips.items():
            print(f"\n{action}", *texts, sep="\n  ")


if __name__ == "__main__":
    main()
