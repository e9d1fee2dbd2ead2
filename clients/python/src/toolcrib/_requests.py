"""The requests of both clients, how they are repeated, and how their answers are read."""

import dataclasses
import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

import httpx

from .errors import ToolcribError
from .types import (
    Approval,
    ClaimedCall,
    Completed,
    Confirmation,
    Format,
    ListFormat,
    OpenCall,
    Outcome,
    Outcomes,
    OutcomeStatus,
    Page,
    Strategy,
    ToolAnswers,
    ToolList,
    ToolSearch,
    ToRun,
    Waiting,
)

Answer = TypeVar("Answer")

# Seconds between a request and its repetition, at least.
MIN_WAIT = 0.25


@dataclasses.dataclass(frozen=True)
class Request(Generic[Answer]):
    """A request whose answer has the type `Answer`."""

    method: str
    path: str
    body: Any = None
    query: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    # Whether a repetition has no other effect than the first request.
    repeatable: bool = False
    # Seconds for which the service may hold the answer.
    held: float = 0


def arguments(request: Request[Any], timeout: float) -> dict[str, Any]:
    """The arguments of httpx for a request."""
    body = None if request.body is None else json.dumps(request.body).encode()
    kind = {} if body is None else {"Content-Type": "application/json"}
    return {
        "method": request.method,
        "url": with_query(request.path, request.query),
        "content": body,
        "headers": {**kind, **request.headers},
        "timeout": httpx.Timeout(timeout, read=timeout + request.held),
    }


def with_query(path: str, query: Mapping[str, Any]) -> str:
    given = urlencode({name: query_text(value) for name, value in present(query).items()})
    return f"{path}{'&' if '?' in path else '?'}{given}" if given else path


def present(values: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that were given."""
    return {name: value for name, value in values.items() if value is not None}


def query_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def wait_before_repeating(request: Request[Any], response: httpx.Response, left: float) -> float | None:
    """Seconds after which a request is sent again, or None if it is not. `left` is how long it may still wait."""
    after = retry_after(response)
    if not request.repeatable or response.status_code not in (429, 503) or after is None:
        return None
    wait = max(after, MIN_WAIT)
    return wait if wait <= left else None


def retry_after(response: httpx.Response) -> float | None:
    text = response.headers.get("Retry-After", "")
    return float(text) if text.isascii() and text.isdigit() else None


def read(response: httpx.Response) -> Any:
    """The JSON of an answer, or its error."""
    try:
        body = response.json()
    except ValueError:
        body = None
    if response.is_success and body is not None:
        return body
    after = retry_after(response)
    if isinstance(body, dict) and isinstance(body.get("code"), str):
        raise ToolcribError(
            response.status_code, body["code"], str(body.get("detail", "")), problem=body, retry_after=after
        )
    about = f"{response.request.method} {response.request.url.path}"
    raise ToolcribError(
        response.status_code,
        "unreadable_answer",
        f"{about}: no JSON of Toolcrib: {response.text[:200]!r}",
        retry_after=after,
    )


def no_answer(error: httpx.TransportError) -> ToolcribError:
    return ToolcribError(0, "connection_failed", f"{type(error).__name__}: {error}")


def call_path(call: str) -> str:
    return f"/v1/calls/{quote(call, safe='')}"


def confirmation_path(confirmation: str) -> str:
    return f"/v1/confirmations/{quote(confirmation, safe='')}"


def idempotency(key: str | None) -> dict[str, str]:
    return {"Idempotency-Key": key or str(uuid.uuid4())}


def list_tools(
    *,
    format: ListFormat,
    strategy: Strategy,
    query: str | None,
    context: Sequence[str] | None,
    strict: str | None,
    defer: bool | None,
    detail: str | None,
    max_tokens: int | None,
) -> Request[ToolList]:
    body = {
        "format": format,
        "strategy": strategy,
        "query": query,
        "context": None if context is None else list(context),
        "strict": strict,
        "defer": defer,
        "detail": detail,
        "max_tokens": max_tokens,
    }
    return Request("POST", "/v1/tools", present(body), repeatable=True)


def search_tools(
    query: str, *, limit: int | None, category: str | None, include_schema: bool | None
) -> Request[ToolSearch]:
    body = {"query": query, "limit": limit, "category": category, "include_schema": include_schema}
    return Request("POST", "/v1/tools/search", present(body), repeatable=True)


def call_tools(
    tool_calls: Sequence[Any], *, format: Format, foreign: str | None, wait: int | None, idempotency_key: str | None
) -> Request[ToolAnswers]:
    body = {"format": format, "tool_calls": list(tool_calls), "foreign": foreign, "wait": wait}
    return Request(
        "POST", "/v1/tools/calls", present(body), headers=idempotency(idempotency_key), repeatable=True, held=wait or 0
    )


def call_action(
    action: str, given: Mapping[str, Any] | None, *, idempotency_key: str | None
) -> Request[Completed | Waiting | ToRun]:
    return Request(
        "POST",
        f"/v1/actions/{quote(action, safe='')}",
        dict(given or {}),
        headers=idempotency(idempotency_key),
        repeatable=True,
    )


def list_confirmations(
    *,
    status: str | None,
    decidable: bool | None,
    session: str | None,
    mine: bool | None,
    limit: int | None,
    cursor: str | None,
) -> Request[Page[Confirmation]]:
    query = {
        "status": status,
        "decidable": decidable,
        "session": session,
        "mine": mine,
        "limit": limit,
        "cursor": cursor,
    }
    return Request("GET", "/v1/confirmations", query=query, repeatable=True)


def get_confirmation(confirmation: str, *, wait: int | None) -> Request[Confirmation]:
    return Request("GET", confirmation_path(confirmation), query={"wait": wait}, repeatable=True, held=wait or 0)


def approve(
    confirmation: str,
    *,
    phrase: str | None,
    remember: str | None,
    arguments: Mapping[str, Any] | None,
    user_token: str | None,
) -> Request[Approval]:
    body = {"phrase": phrase, "remember": remember, "arguments": arguments, "user_token": user_token}
    return Request("POST", f"{confirmation_path(confirmation)}/approve", present(body))


def deny(confirmation: str, *, reason: str | None, user_token: str | None) -> Request[Confirmation]:
    return Request(
        "POST", f"{confirmation_path(confirmation)}/deny", present({"reason": reason, "user_token": user_token})
    )


def list_calls(
    *, open: bool | None, mine: bool | None, limit: int | None, cursor: str | None
) -> Request[Page[OpenCall]]:
    query = {"open": open, "mine": mine, "limit": limit, "cursor": cursor}
    return Request("GET", "/v1/calls", query=query, repeatable=True)


def get_call(call: str, *, wait: int | None) -> Request[OpenCall]:
    return Request("GET", call_path(call), query={"wait": wait}, repeatable=True, held=wait or 0)


def claim_call(call: str) -> Request[ClaimedCall]:
    return Request("POST", f"{call_path(call)}/claim", {})


def report_outcome(call: str, status: OutcomeStatus, *, output: Any, error: str | None) -> Request[OpenCall]:
    body = {"status": status, "output": output, "error": error}
    # The same report again has the same answer.
    return Request("POST", f"{call_path(call)}/outcome", present(body), repeatable=True)


def report_outcomes(outcomes: Sequence[Outcome], *, format: Format) -> Request[Outcomes]:
    return Request("POST", "/v1/tools/outcomes", {"format": format, "outcomes": list(outcomes)}, repeatable=True)
