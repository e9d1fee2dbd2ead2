"""The client for programs without asyncio."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

import httpx

from . import _events as events
from . import _requests as requests
from ._events import Event
from ._options import Options
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
Token = str | Callable[[], str]


class Toolcrib:
    """A caller of Toolcrib. Threads may share it. Each request that is refused raises `ToolcribError`.

    `token` is a token or key, or a function that returns the current one. `session` is the conversation. Requests that may be
    repeated without another effect are repeated after 429 and 503 with `Retry-After`, for `retry_seconds` in all: reads,
    lists, reports of outcomes, and calls, which have an idempotency key. Decisions and claims are not repeated.
    """

    def __init__(
        self,
        base_url: str,
        token: Token,
        *,
        workspace: str | None = None,
        session: str | None = None,
        caller_type: str | None = None,
        on_behalf_of: str | None = None,
        timeout: float = 60,
        retry_seconds: float = 30,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._token = token
        self._options = Options(workspace, session, caller_type, on_behalf_of, timeout, retry_seconds)
        self._http = httpx.Client(base_url=base_url, transport=transport)

    @property
    def session(self) -> str | None:
        """The conversation."""
        return self._options.session

    def with_options(self, *, token: Token | None = None, **changes: Any) -> "Toolcrib":
        """The client with other values of `token`, `workspace`, `session`, `caller_type`, `on_behalf_of`, `timeout` or
        `retry_seconds`. Both share their connections."""
        other = object.__new__(Toolcrib)
        other._token, other._options, other._http = token or self._token, self._options.but(**changes), self._http
        return other

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def request(self, method: str, path: str, body: Any = None, *, query: Mapping[str, Any] | None = None) -> Any:
        """Sends any request of the API and returns its JSON. Only `GET` is repeated."""
        return self._send(requests.Request[Any](method, path, body, query or {}, repeatable=method == "GET"))

    # Lists

    def list_tools(
        self,
        *,
        format: ListFormat = "openai",
        strategy: Strategy = "full",
        query: str | None = None,
        context: Sequence[str] | None = None,
        strict: Literal["off", "auto"] | None = None,
        defer: bool | None = None,
        detail: Literal["signatures", "names"] | None = None,
        max_tokens: int | None = None,
    ) -> ToolList:
        """The tools that this caller may use, in the shape of the provider. With the strategy `filtered`, `query` is the
        user's message and `context` has up to six texts before it, oldest first."""
        return self._send(
            requests.list_tools(
                format=format,
                strategy=strategy,
                query=query,
                context=context,
                strict=strict,
                defer=defer,
                detail=detail,
                max_tokens=max_tokens,
            )
        )

    def search_tools(
        self, query: str, *, limit: int | None = None, category: str | None = None, include_schema: bool | None = None
    ) -> ToolSearch:
        """Tools for a task in plain words, best first."""
        return self._send(requests.search_tools(query, limit=limit, category=category, include_schema=include_schema))

    # Calls

    def call_tools(
        self,
        tool_calls: Sequence[Any],
        *,
        format: Format = "openai",
        foreign: Literal["refuse", "skip"] | None = None,
        wait: int | None = None,
        idempotency_key: str | None = None,
    ) -> ToolAnswers:
        """Runs the calls of a model's turn, as the provider returned them, and returns the messages to append. A refused or
        waiting call does not raise: it has its result. `wait` is for how many seconds (60 at most) decisions of people are
        waited for. Each turn gets an idempotency key of its own, unless one is given."""
        return self._send(
            requests.call_tools(tool_calls, format=format, foreign=foreign, wait=wait, idempotency_key=idempotency_key)
        )

    def call_action(
        self, action: str, arguments: Mapping[str, Any] | None = None, *, idempotency_key: str | None = None
    ) -> Completed | Waiting | ToRun:
        """Calls one action by its name."""
        return self._send(requests.call_action(action, arguments, idempotency_key=idempotency_key))

    # Confirmations

    def list_confirmations(
        self,
        *,
        status: str | None = None,
        decidable: bool | None = None,
        session: str | None = None,
        mine: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[Confirmation]:
        """Confirmations, newest first. `status` is one of a confirmation, or `open`, or `ended`."""
        return self._send(
            requests.list_confirmations(
                status=status, decidable=decidable, session=session, mine=mine, limit=limit, cursor=cursor
            )
        )

    def get_confirmation(self, confirmation: str, *, wait: int | None = None) -> Confirmation:
        """One confirmation. `wait` is for how many seconds (60 at most) its decision is waited for."""
        return self._send(requests.get_confirmation(confirmation, wait=wait))

    def approve(
        self,
        confirmation: str,
        *,
        phrase: str | None = None,
        remember: Literal["session"] | None = None,
        arguments: Mapping[str, Any] | None = None,
        user_token: str | None = None,
    ) -> Approval:
        """Approves a call, for a person. For a typed confirmation the first approval has the status `phrase_required`; the
        second one has the phrase that the person typed. With another phrase it raises with the code `phrase_mismatch`."""
        return self._send(
            requests.approve(confirmation, phrase=phrase, remember=remember, arguments=arguments, user_token=user_token)
        )

    def deny(self, confirmation: str, *, reason: str | None = None, user_token: str | None = None) -> Confirmation:
        """Denies a call, for a person. The requester gets the reason."""
        return self._send(requests.deny(confirmation, reason=reason, user_token=user_token))

    # Events

    def events(
        self, *, types: Sequence[str] | None = None, session: str | None = None, last_event_id: str | None = None
    ) -> Iterator[Event]:
        """Events as they happen, without an end. A connection that is lost is opened again after the last event. An
        answer that is not temporary ends the iterator with its error, such as 401 when the credential has ended. What happens
        between two connections before the first event or heartbeat is missed, unless `last_event_id` is given."""
        stream = events.Stream(last_event_id)
        url = requests.with_query("/v1/events", {"types": ",".join(types) if types else None, "session": session})
        timeout = events.timeout(self._options.timeout)
        while True:
            connected = False
            try:
                headers = self._headers() | stream.headers()
                with self._http.stream("GET", url, headers=headers, timeout=timeout) as response:
                    if response.status_code not in events.TEMPORARY:
                        if not response.is_success:
                            response.read()
                            requests.read(response)
                        connected = stream.was_open = True
                        connection = events.Connection(stream)
                        for piece in response.iter_bytes():
                            for event in connection.read(piece):
                                yield event
            except httpx.TransportError as error:
                if not stream.was_open:
                    raise requests.no_answer(error) from error
            time.sleep(stream.wait(connected))

    # Outcomes of calls that you run

    def list_calls(
        self, *, open: bool | None = None, mine: bool | None = None, limit: int | None = None, cursor: str | None = None
    ) -> Page[OpenCall]:
        """Calls that run outside of the service, newest first."""
        return self._send(requests.list_calls(open=open, mine=mine, limit=limit, cursor=cursor))

    def get_call(self, call: str, *, wait: int | None = None) -> OpenCall:
        """One call. `wait` is for how many seconds (60 at most) its end is waited for."""
        return self._send(requests.get_call(call, wait=wait))

    def claim_call(self, call: str) -> ClaimedCall:
        """Claims a call before you run it. Of any number of claims one wins; the others raise with the code `conflict`."""
        return self._send(requests.claim_call(call))

    def report_outcome(
        self, call: str, status: OutcomeStatus, *, output: Any = None, error: str | None = None
    ) -> OpenCall:
        """Reports how a claimed call ended."""
        return self._send(requests.report_outcome(call, status, output=output, error=error))

    def report_outcomes(self, outcomes: Sequence[Outcome], *, format: Format = "openai") -> Outcomes:
        """Reports up to 32 outcomes of a model's calls, and returns the messages for the conversation."""
        return self._send(requests.report_outcomes(outcomes, format=format))

    def _headers(self) -> dict[str, str]:
        return self._options.headers(self._token if isinstance(self._token, str) else self._token())

    def _send(self, request: requests.Request[Answer]) -> Answer:
        arguments = requests.arguments(request, self._options.timeout)
        left = self._options.retry_seconds
        while True:
            try:
                response = self._http.request(**arguments | {"headers": self._headers() | arguments["headers"]})
            except httpx.TransportError as error:
                raise requests.no_answer(error) from error
            wait = requests.wait_before_repeating(request, response, left)
            if wait is None:
                answer: Answer = requests.read(response)
                return answer
            left -= wait
            time.sleep(wait)
