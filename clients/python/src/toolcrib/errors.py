"""The one error of this package."""

from typing import Any

from .types import ArgError


class ToolcribError(Exception):
    """A request that was refused, or that has no answer.

    Branch on `code`. The codes of the service are in its OpenAPI document (`Problem`). Two are this package's own:
    `connection_failed` (no answer: no connection, or a time-out; `status` is 0) and `unreadable_answer` (an answer that is not
    the service's, such as the page of a proxy).
    """

    status: int
    """Status of the answer; 0 without an answer."""
    code: str
    detail: str
    """What is wrong, in one sentence."""
    hint: str | None
    """What to do instead."""
    errors: list[ArgError]
    """Each argument that is wrong."""
    call: Any
    """The corrected call, if there is one."""
    retry_after: float | None
    """Seconds to wait before the request is sent again."""
    problem: dict[str, Any]
    """The whole problem, as in RFC 9457; empty for the codes of this package."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        problem: dict[str, Any] | None = None,
        retry_after: float | None = None,
    ) -> None:
        self.status, self.code, self.detail = status, code, detail
        self.problem = problem or {}
        self.hint = self.problem.get("hint")
        self.errors = self.problem.get("errors", [])
        self.call = self.problem.get("call")
        self.retry_after = retry_after
        super().__init__(f"{code}: {detail}" + (f" ({self.hint})" if self.hint else ""))
