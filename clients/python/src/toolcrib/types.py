"""The bodies of answers. They are dictionaries as the service sends them; it may add fields.

Times are texts in RFC 3339, and IDs are UUIDs. Texts in `data`, `arguments` and `output` are written by users, agents and
other systems.
"""

from typing import Any, Generic, Literal, NotRequired, TypeAlias, TypedDict, TypeVar

Format: TypeAlias = Literal["openai", "openai_responses", "anthropic", "gemini"]
"""The shape of a provider: Chat Completions, Responses, Messages, or Gemini."""
ListFormat: TypeAlias = Format | Literal["mcp"]
Strategy: TypeAlias = Literal["full", "filtered", "dispatcher_only", "all", "none"]
PermissionLevel: TypeAlias = Literal["read", "write", "destructive"]
ConfirmationStatus: TypeAlias = Literal[
    "pending", "awaiting_phrase", "running", "executed", "failed", "unknown", "denied", "expired", "superseded", "void"
]
CallState: TypeAlias = Literal["ready", "running", "succeeded", "failed", "not_run", "unknown"]
OutcomeStatus: TypeAlias = Literal["succeeded", "failed", "not_run"]

Item = TypeVar("Item")


class Page(TypedDict, Generic[Item]):
    """A page of a list; `next_cursor` is the `cursor` of the next one."""

    items: list[Item]
    next_cursor: str | None


class ArgError(TypedDict):
    """One wrong argument."""

    pointer: str
    """JSON pointer into the arguments, such as `/limit`."""
    code: str
    message: str
    got: NotRequired[Any]


class ToolList(TypedDict):
    """Tools in the shape of the format; `tool_choice` is absent if there are none."""

    tools: list[dict[str, Any]]
    tool_choice: NotRequired[Any]
    strategy: Strategy
    format: ListFormat
    actions: int
    tokens: int
    strict: list[str]
    strict_explained: NotRequired[dict[str, Any] | None]
    left_out: list[str]
    catalog_version: str


class FoundTool(TypedDict):
    name: str
    score: float
    description: str
    permission_level: PermissionLevel
    confirmation: Literal["none", "simple", "typed"]
    how_to_call: dict[str, Any]
    parameters: NotRequired[dict[str, Any]]


class ToolSearch(TypedDict):
    """Tools for a task, best first. `hint` says so if none fits well."""

    items: list[FoundTool]
    hint: str | None


class SummaryLine(TypedDict):
    label: str
    value: str


class Completed(TypedDict):
    """A call that ran."""

    ok: Literal[True]
    status: Literal["completed"]
    call_id: str
    action: str
    via: Literal["direct", "dispatcher", "confirmation"]
    permission_level: PermissionLevel
    description: str
    data: Any
    api_call: dict[str, Any]
    granted_by: Literal["auto", "session", "user"]
    replayed: bool
    executed_at: str
    duration_ms: int
    truncated: NotRequired[bool]
    unreadable: NotRequired[str]
    secret_shown: NotRequired[bool]
    tool_call_id: NotRequired[str]
    repaired: NotRequired[list[str]]
    messages: NotRequired[list[dict[str, Any]]]


class ConfirmationShown(TypedDict):
    """What a person is shown before they decide."""

    id: str
    level: Literal["simple", "typed"]
    warning: str | None
    summary: list[SummaryLine]
    more: int
    expires_at: str
    allow_session_grant: bool
    approve_url: str


class Waiting(TypedDict):
    """A call that waits for a person."""

    ok: Literal[False]
    status: Literal["confirmation_required"]
    call_id: str
    action: str
    permission_level: PermissionLevel
    description: str
    confirmation: ConfirmationShown
    supersedes: NotRequired[list[str]]
    tool_call_id: NotRequired[str]
    repaired: NotRequired[list[str]]


class ToRun(TypedDict):
    """A call that you run. Claim it first if `claim` is true."""

    ok: Literal[False]
    status: Literal["client_execution_required"]
    call_id: str
    action: str
    permission_level: PermissionLevel
    description: str
    arguments: dict[str, Any]
    claim: bool
    claim_by: NotRequired[str]
    tool_call_id: NotRequired[str]
    repaired: NotRequired[list[str]]


class Refused(TypedDict):
    """A call of a turn that did not run, or failed. `error` is the problem, with `code`, `detail` and `errors`."""

    ok: Literal[False]
    status: Literal["refused", "failed"]
    call_id: NotRequired[str]
    action: NotRequired[str]
    tool_call_id: NotRequired[str]
    error: dict[str, Any]


CallResult: TypeAlias = Completed | Waiting | ToRun | Refused
"""What came of one call of a turn; `status` says which it is."""


class Unhandled(TypedDict):
    id: str
    name: str
    reason: NotRequired[str | None]


class ToolAnswers(TypedDict):
    """The answers of a turn: `messages` to append to the conversation, and `results`, one for each call."""

    messages: list[dict[str, Any]]
    results: list[CallResult]
    to_run: NotRequired[list[ToRun]]
    unhandled: list[Unhandled]


class Requester(TypedDict):
    kind: Literal["user", "agent", "service"]
    id: str
    name: str | None
    user_id: str | None
    user_name: str | None
    caller_type: str
    session: str | None
    mission: str | None


class CanDecide(TypedDict):
    """Whether you may decide now."""

    allowed: bool
    reason: str | None
    needs_sign_in: bool
    unchanged_only: bool


class Transition(TypedDict):
    at: str
    status: ConfirmationStatus
    by: str | None
    by_name: NotRequired[str | None]
    relayed_by: NotRequired[str | None]
    replaced_arguments: NotRequired[Any]


class Confirmation(TypedDict):
    """A call that a person decides or has decided."""

    id: str
    status: ConfirmationStatus
    action: str
    description: str
    level: Literal["simple", "typed"]
    phrase: NotRequired[str | None]
    warning: str | None
    summary: list[SummaryLine]
    more: int
    arguments: dict[str, Any]
    repaired: list[str]
    allow_session_grant: bool
    requester: Requester
    created_at: str
    expires_at: str
    decided_at: str | None
    decided_by: str | None
    decided_by_name: str | None
    can_decide: CanDecide
    reason: str | None
    call_id: str | None
    approve_url: str
    via: str
    tool_call_id: str | None
    tool_format: ListFormat | None
    result: dict[str, Any] | None
    history: list[Transition]
    messages: NotRequired[list[dict[str, Any]]]
    """Once it has ended, for the call of a model: they replace those that said to wait."""


class PhraseRequired(TypedDict):
    """The first approval of a typed confirmation: approve again with this phrase."""

    status: Literal["phrase_required"]
    phrase: str
    arguments: NotRequired[dict[str, Any]]
    summary: NotRequired[list[SummaryLine] | None]


Approval: TypeAlias = Completed | PhraseRequired | Waiting | ToRun
"""What came of an approval; `status` says which it is."""


class OpenCall(TypedDict):
    """A call that runs outside of the service."""

    call_id: str
    action: str
    permission_level: NotRequired[PermissionLevel | None]
    state: CallState
    executor: Literal["http", "mcp", "pack", "client"]
    principal_kind: Literal["user", "agent", "service"]
    principal_id: str
    user_id: str | None
    session: str | None
    created_at: str
    claim_by: str | None
    claimed_at: str | None
    end_by: str | None
    ended_at: str | None
    confirmation_id: str | None
    tool_call_id: str | None
    tool_format: ListFormat | None
    result: NotRequired[dict[str, Any] | None]
    messages: NotRequired[list[dict[str, Any]]]


class ClaimedCall(TypedDict):
    """Run the tool with exactly these arguments, and report the outcome by `end_by`."""

    call_id: str
    action: str
    arguments: dict[str, Any]
    end_by: str


class Outcome(TypedDict):
    """The outcome of a claimed call (`call_id`), or of a read (`action` and `tool_call_id`)."""

    status: OutcomeStatus
    call_id: NotRequired[str]
    action: NotRequired[str]
    tool_call_id: NotRequired[str]
    output: NotRequired[Any]
    error: NotRequired[str]


class Outcomes(TypedDict):
    """`messages` replace those that said that you run the calls; `results` has one entry for each outcome."""

    messages: list[dict[str, Any]]
    results: list[dict[str, Any]]
