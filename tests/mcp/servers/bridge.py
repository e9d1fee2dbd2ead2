"""Speaks streamable HTTP before a server that speaks stdio only: `bridge.py COMMAND ARGUMENT…`."""
import sys

from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy
from serving import serve

# The servers of that time know only the older revisions, which begin with `initialize`.
bridge = create_proxy(StdioTransport(sys.argv[1], sys.argv[2:]), name="bridge", mode="legacy")
serve(bridge, json_response=True)
