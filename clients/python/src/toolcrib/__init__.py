"""A client of Toolcrib for chatbots: tool lists, calls, confirmations, events, and outcomes of calls that you run."""

from ._async_client import AsyncToolcrib
from ._client import Toolcrib
from ._events import Event
from .errors import ToolcribError

__all__ = ["AsyncToolcrib", "Event", "Toolcrib", "ToolcribError"]
