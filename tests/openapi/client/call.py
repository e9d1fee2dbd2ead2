"""The same conversation as main.ts, with the Python client."""
import json
import os
import sys

sys.path.insert(0, sys.argv[1])
from toolcrib_client import AuthenticatedClient
from toolcrib_client.api.agents import platform_create_agent, platform_delete_agent
from toolcrib_client.api.confirmations import get_confirmation
from toolcrib_client.models import PlatformCreateAgentBody, PlatformDeleteAgentBody, Problem, Waiting

api = AuthenticatedClient(base_url=os.environ["TOOLCRIB_URL"], token=os.environ["TOOLCRIB_TOKEN"])
here = os.environ["TOOLCRIB_WORKSPACE"]

made = platform_create_agent.sync(client=api, x_workspace_id=here, body=PlatformCreateAgentBody(name="Made in Python"))
wrong = platform_create_agent.sync(client=api, x_workspace_id=here, body=PlatformCreateAgentBody(name=""))
assert isinstance(wrong, Problem), wrong

asked = platform_delete_agent.sync(client=api, x_workspace_id=here, body=PlatformDeleteAgentBody(agent=str(made.data.id)))
assert isinstance(asked, Waiting), asked
waiting = get_confirmation.sync(id=str(asked.confirmation.id), client=api, x_workspace_id=here)
print(json.dumps({"id": str(made.data.id), "refused": wrong.code, "waits": waiting.status}))
