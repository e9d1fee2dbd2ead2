"""What each client sends, when it sends it again, and what it makes of answers, with a stand-in for the product."""
import json
import socket

import pytest
from scripted import Scripted

BUSY = (503, {"Retry-After": "0"}, {"code": "store_unavailable", "detail": "the database is away"})
LIMITED = (429, {"Retry-After": "0"}, {"code": "rate_limited", "detail": "too many calls"})


@pytest.fixture
def service():
    started = []

    def start(*answers):
        started.append(Scripted(*answers))
        return started[-1]

    yield start
    for one in started:
        one.close()


def test_what_may_be_repeated_is_repeated(client, service):
    done = (200, {}, {"items": []})
    methods = ["calls", "list", "action", "outcome", "confirmations"]
    busy = service(BUSY, LIMITED, done, *[LIMITED, done] * 4)
    assert client.run("methods", busy.url, methods=methods) == [{"answer": {"items": []}}] * 5
    turn, others = busy.requests[:3], busy.requests[3:]
    for same in (turn, *(others[n:n + 2] for n in range(0, 8, 2))):
        assert all((one["path"], one["body"]) == (same[0]["path"], same[0]["body"]) for one in same)
        assert len({one["headers"].get("idempotency-key") for one in same}) == 1
    # The calls of each turn have a key of their own.
    keys = [request["headers"].get("idempotency-key") for request in busy.requests[::2]]
    assert [key and len(key) for key in keys] == [36, 36, None, 36, None, None] and keys[0] == keys[1] != keys[3]


def test_nothing_else_is_repeated(client, service):
    answers = [BUSY, BUSY, (503, {}, BUSY[2]), (503, {"Retry-After": "31"}, BUSY[2]), (500, {"Retry-After": "0"}, BUSY[2])]
    once = service(*answers)
    raised = client.run("methods", once.url, methods=["approve", "claim", "list", "list", "calls"])
    assert [(one["status"], one["retry_after"]) for one in raised] == [(503, 0), (503, 0), (503, None), (503, 31), (500, 0)]
    assert {one["code"] for one in raised} == {"store_unavailable"} and len(once.requests) == 5
    posts = service(BUSY)
    [raised] = client.run("failures", posts.url, requests=[("POST", "/v1/agents", {})])
    assert raised["status"] == 503 and len(posts.requests) == 1


def test_a_request_is_repeated_for_a_limited_time(client, service):
    busy = service(*[BUSY] * 4)
    assert client.run("methods", busy.url, methods=["list"], retry_seconds=0.5)[0]["status"] == 503
    # At once, and after a quarter and a half of a second.
    assert len(busy.requests) == 3


def test_answers_of_others_are_errors(client, service):
    answers = [(502, "<h1>Bad gateway</h1>"), (200, "<h1>Sign in</h1>"), (302, ""), (404, '"nothing"')]
    proxy = service(*((status, {"Location": "/elsewhere"}, text) for status, text in answers))
    raised = client.run("methods", proxy.url, methods=["list"] * 4)
    for (status, text), one in zip(answers, raised, strict=True):
        assert (one["status"], one["code"]) == (status, "unreadable_answer") and text[1:4] in one["detail"]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    [raised] = client.run("methods", f"http://127.0.0.1:{port}", methods=["list"])
    assert (raised["status"], raised["code"], raised["errors"]) == (0, "connection_failed", []) and raised["detail"]
    process = client.start("events", f"http://127.0.0.1:{port}", count=1, types=[])
    _, errors = process.communicate(timeout=30)
    assert process.returncode != 0 and "connection_failed" in errors


def test_ids_can_name_no_other_path(client, service):
    answers = service((200, {}, {}))
    client.run("methods", f"{answers.url}/", methods=["approve"])
    assert answers.requests[0]["path"] == "/v1/confirmations/a%2Fb/approve"


def test_a_client_is_shared_by_callers(client, service):
    asked = service(*[(200, {}, None)] * 3)
    sent = [answer["headers"] for answer in client.run("options", asked.url, session="talk-1", token="own")]
    said = ("authorization", "x-workspace-id", "x-session-id", "x-caller-type", "x-on-behalf-of")
    other = ["talk-2", "chat", "somebody"]
    assert [[headers.get(name) for name in said] for headers in sent] == [
        ["Bearer first", "a workspace", *other], ["Bearer second", "a workspace", *other],
        ["Bearer own", "a workspace", "talk-1", None, None]]


STREAM = {"Content-Type": "text/event-stream"}


def event(number, text):
    return f'id: e{number}\nevent: task.created\ndata: {json.dumps({"text": text}, ensure_ascii=False)}\n\n'


def printed_events(process):
    printed, errors = process.communicate(timeout=30)
    assert process.returncode == 0, errors
    # The last line is the step's own.
    seen = [json.loads(line) for line in printed.split("\n")[:-2]]
    return [(one["id"], one["type"], one["data"]["text"]) for one in seen]


def test_events_are_read_whatever_their_pieces_are(client):
    # A line separator of Unicode is part of a text, a letter is in several pieces, and lines may end with CRLF.
    words = "one\u2028line, naïve 🙂"
    text = ": listening\nretry: 10\n\n" + event(1, words) + event(2, "crlf").replace("\n", "\r\n") + event(3, "two")
    text = text.replace('{"text": "two"}', '{"text":\ndata: "two"}')
    process = client.start("events", "http://toolcrib.example", types=[], count=3, stream=text)
    assert printed_events(process) == [(f"e{n}", "task.created", word) for n, word in ((1, words), (2, "crlf"), (3, "two"))]


def test_a_stream_goes_on_after_the_last_event_or_heartbeat(client, service):
    first = event(1, "one") + ": beat\nid: e9\n\nid: e10\ndata: {}"
    stream = service((200, STREAM, "retry: 10\n\n" + first), BUSY, (502, {}, "<h1>Bad gateway</h1>"),
                     (200, STREAM, event(11, "more")))
    process = client.start("events", stream.url, types=["task.created", "task.updated"], session="talk & more", count=2,
                           last_event_id="e0")
    assert printed_events(process) == [("e1", "task.created", "one"), ("e11", "task.created", "more")]
    # An event that did not end was not read.
    assert [request["headers"].get("last-event-id") for request in stream.requests] == ["e0", "e9", "e9", "e9"]
    assert {request["path"].replace("%2C", ",").replace("%20", "+") for request in stream.requests} == {
        "/v1/events?types=task.created,task.updated&session=talk+%26+more"}


@pytest.mark.parametrize("answers", [[(401, {}, {"code": "unauthenticated", "detail": "the token has expired"})],
                                     [(200, STREAM, "retry: 10\n\n"), (401, {}, {"code": "unauthenticated", "detail": "no more"})]])
def test_events_end_with_the_credential(client, service, answers):
    ending = service(*answers)
    process = client.start("events", ending.url, count=1, types=[])
    _, errors = process.communicate(timeout=30)
    assert process.returncode != 0 and "unauthenticated" in errors
    assert len(ending.requests) == len(answers) and not ending.answers
