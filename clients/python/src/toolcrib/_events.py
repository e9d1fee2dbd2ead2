"""Parses the stream of events, and decides when it is opened again."""

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import httpx

# Seconds without a byte after which a connection is lost. The service sends a heartbeat every 15 seconds.
SILENCE = 45.0
# Seconds before the stream is opened again, unless the service says otherwise, and at most.
RETRY = 2.0
MAX_RETRY = 30.0
# Statuses of a service that is busy or starts, or of a proxy before it.
TEMPORARY = (429, 502, 503, 504)


@dataclasses.dataclass(frozen=True)
class Event:
    """One event. `id` is what `last_event_id` takes."""

    id: str
    type: str
    data: dict[str, Any]


class Stream:
    """What outlives a connection: the position, and how long to wait before the next one."""

    def __init__(self, last_event_id: str | None) -> None:
        self.last_event_id = last_event_id
        self.retry = RETRY
        self.failures = 0
        self.was_open = False

    def headers(self) -> dict[str, str]:
        position = {"Last-Event-ID": self.last_event_id} if self.last_event_id else {}
        return {"Accept": "text/event-stream"} | position

    def wait(self, was_connected: bool) -> float:
        """Seconds until the next connection; twice as long after each that failed."""
        self.failures = 0 if was_connected else self.failures + 1
        return min(self.retry * 2.0 ** min(self.failures, 10), MAX_RETRY)


class Connection:
    """Reads the bytes of one connection."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.rest = b""
        self.id, self.type, self.data = stream.last_event_id, "", list[str]()

    def read(self, piece: bytes) -> Iterator[Event]:
        """The events that end in this piece. Other line breaks than those of the protocol are part of a text."""
        *lines, self.rest = (self.rest + piece).split(b"\n")
        for line in lines:
            event = self._line(line.removesuffix(b"\r").decode())
            if event:
                yield event

    def _line(self, line: str) -> Event | None:
        if line:
            name, _, value = line.partition(":")
            self._field(name, value.removeprefix(" "))
            return None
        # The comments of the service have positions too, past events that the caller may not see.
        self.stream.last_event_id = self.id
        kind, data = self.type, self.data
        self.type, self.data = "", []
        return Event(self.id or "", kind, json.loads("\n".join(data))) if data else None

    def _field(self, name: str, value: str) -> None:
        if name == "data":
            self.data.append(value)
        elif name == "event":
            self.type = value
        elif name == "id":
            self.id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            self.stream.retry = int(value) / 1000


def timeout(seconds: float) -> httpx.Timeout:
    return httpx.Timeout(seconds, read=SILENCE)
