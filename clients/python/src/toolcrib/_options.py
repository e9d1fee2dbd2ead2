"""What a client says with each request, and how long it waits."""

import dataclasses
from importlib.metadata import version
from typing import Any

from ._requests import present

AGENT = f"toolcrib-python/{version('toolcrib')}"


@dataclasses.dataclass(frozen=True)
class Options:
    workspace: str | None
    session: str | None
    caller_type: str | None
    on_behalf_of: str | None
    # Seconds until an answer, beyond those for which the service was asked to wait.
    timeout: float
    # Seconds for which a request is repeated, in all.
    retry_seconds: float

    def but(self, **changes: Any) -> "Options":
        return dataclasses.replace(self, **changes)

    def headers(self, token: str) -> dict[str, str]:
        caller = {
            "X-Workspace-Id": self.workspace,
            "X-Session-Id": self.session,
            "X-Caller-Type": self.caller_type,
            "X-On-Behalf-Of": self.on_behalf_of,
        }
        return {"Authorization": f"Bearer {token}", "User-Agent": AGENT} | present(caller)
