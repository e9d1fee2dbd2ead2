"""Five conversations with the full tool list: what was called, on which path, and what the log and the
audit log say."""
import json
import os
import re
import subprocess

import openai
import pytest
from provider import Provider


class Chat:
    """A chat backend with `strategy=full`: a user's message, with the official SDK and a scripted
    provider."""

    def __init__(self, toolcrib, headers):
        self.toolcrib, self.headers, self.results = toolcrib, headers, []

    def ask(self, path, body):
        return self.toolcrib.post(path, body, headers=self.headers)

    def say(self, text, script):
        """Runs the script to its end. Returns the model's last text."""
        listed = self.ask("/v1/tools", {"format": "openai", "strategy": "full"})
        messages = [{"role": "user", "content": text}]
        provider = Provider(script)
        client = openai.OpenAI(base_url=f"{provider.url}/v1", api_key="fake-key", max_retries=0)
        try:
            while provider.script:
                completion = client.chat.completions.create(
                    model="fake-model", messages=messages, tools=listed["tools"], tool_choice=listed["tool_choice"])
                message = completion.choices[0].message
                messages.append(message.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True))
                if message.tool_calls:
                    calls = [call.to_dict() for call in message.tool_calls]
                    turn = self.ask("/v1/tools/calls", {"format": "openai", "strategy": "full", "tool_calls": calls})
                    messages += turn["messages"]
                    self.results += turn["results"]
        finally:
            provider.close()
            assert not provider.faults, provider.faults[0]
        return messages[-1]["content"]

    def told(self, index=-1):
        """The log line and the audit row of a call."""
        call_id = self.results[index]["call_id"]
        return self.toolcrib.trace(call_id), self.toolcrib.get(f"/v1/audit/{call_id}")


@pytest.fixture
def chat(toolcrib):
    return Chat(toolcrib, {"X-Caller-Type": "chat"})


def test_what_agents_do_i_have(chat):
    def looks(model):
        assert "platform_list_agents" in model.tools
        return [("platform_list_agents", {})]

    def tells(model):
        return [f"You have {len(model.answers[0][1]['data']['items'])} agents."]

    assert re.fullmatch(r"You have [1-9]\d* agents\.", chat.say("What agents do I have?", [looks, tells]))
    line, row = chat.told()
    assert line.startswith("direct platform_list_agents ") and 'outcome="succeeded"' in line
    assert (row["via"], row["action"], row["caller_type"], row["decision"]) == ("direct", "platform_list_agents", "chat", "auto_allowed")


def test_browse_marketplace_skills(chat):
    def browses(model):
        assert "platform_browse_marketplace_skills" in model.tools
        return [("platform_browse_marketplace_skills", {"limit": 5})]

    def tells(model):
        return ["There is " + ", ".join(skill["name"] for skill in model.answers[0][1]["data"]["items"])]

    assert len(chat.say("Browse marketplace skills", [browses, tells]).split(", ")) == 5
    line, row = chat.told()
    assert line.startswith("direct platform_browse_marketplace_skills ") and 'outcome="succeeded"' in line
    assert (row["via"], row["permission_level"], row["outcome"]) == ("direct", "read", "succeeded")


def test_configure_agent_147_heartbeat(chat):
    def configures(agent):
        def call(model):
            assert "platform_configure_agent_heartbeat" not in model.tools
            words = model.tools["platform_execute"].schema["properties"]["action"]["enum"]
            assert "platform_configure_agent_heartbeat" in words
            params = {"agent": agent(model), "interval_minutes": 30}
            return [("platform_execute", {"action": "platform_configure_agent_heartbeat", "params": params})]
        return call

    def near(model):
        """The first of the names that the refusal suggests, because no agent is called 147."""
        [(_, refused)] = model.answers
        assert (refused["status"], refused["error"]) == ("refused", "not_found")
        assert "no agent `147`" in refused["message"] and "`platform_list_agents` lists them all" in refused["message"]
        return re.search(r"there are `([^`]+)`", refused["message"]).group(1)

    def tells(model):
        done = model.answers[0][1]
        return [f"{done['status']}: every {done['data']['interval_minutes']} minutes"]

    script = [configures(lambda model: "147"), configures(near), tells]
    assert chat.say("Configure agent 147 heartbeat", script) == "completed: every 30 minutes"
    for index, (status, outcome, decision) in enumerate([(404, "not_found", "invalid"), (200, "succeeded", "auto_allowed")]):
        line, row = chat.told(index)
        assert line.startswith("platform_execute -> platform_configure_agent_heartbeat "), line
        assert f'status={status} outcome="{outcome}"' in line
        assert (row["via"], row["decision"], row["action"]) == ("dispatcher", decision, "platform_configure_agent_heartbeat")


def test_a_mission_agent_asks_its_field(toolcrib):
    mission, other = (toolcrib.post("/v1/actions/platform_create_mission", {"goal": goal})["data"]["id"] for goal in ("One", "Two"))
    for place, word in ((mission, "amber"), (other, "green")):
        toolcrib.post("/v1/actions/platform_field_inject", {"key": "the lantern", "value": f"It is {word}.", "mission": place})
    agent = toolcrib.workspace["agent"]
    made = subprocess.run(
        [os.environ["TEST_BIN"], "key", "create", "--data-dir", toolcrib.folder, "--workspace", toolcrib.workspace["id"],
         "--kind", "agent", "--name", "Mission key", "--agent", agent["agent_id"], "--runs-as", agent["runs_as"],
         "--mission", mission, "--scopes", "field:read,field:use", "--caller-types", "mission"],
        capture_output=True, text=True, check=True)
    chat = Chat(toolcrib, {"Authorization": f"Bearer {json.loads(made.stdout)['secret']}"})

    def asks(model):
        # A mission's agent has the rights of its scopes and no more.
        assert {"platform_field_query", "platform_field_inject"} <= model.tools.keys()
        assert "platform_list_agents" not in model.tools
        return [("platform_field_query", {"query": "lantern"})]

    def tells(model):
        return [item["value"] for item in model.answers[0][1]["data"]["items"]]

    # The entry is that of the agent's own mission, although the call names no mission. Another mission has
    # the same key.
    assert chat.say("What do we know of the lantern?", [asks, tells]) == "It is amber."
    line, row = chat.told()
    assert line.startswith("direct platform_field_query ") and 'outcome="succeeded"' in line
    assert (row["caller_type"], row["mission_id"], row["principal"]["kind"]) == ("mission", mission, "agent")
    assert row["principal"]["id"] == agent["agent_id"] and row["user_id"] == agent["runs_as"]


def test_a_call_from_a_channel(toolcrib):
    session = "0f9d3c52-6b0e-4c0f-9d4e-5f1a2b3c4d5e"
    chat = Chat(toolcrib, {"X-Caller-Type": "channel", "X-Session-Id": session})

    def remembers(model):
        return [("platform_store_memory", {"content": "The shop closes at six on Fridays."})]

    def tells(model):
        return [model.answers[0][1]["description"]]

    assert chat.say("Remember that we close at six on Fridays", [remembers, tells])
    line, row = chat.told()
    assert line.startswith("direct platform_store_memory ") and 'outcome="succeeded"' in line
    assert (row["via"], row["caller_type"], row["session"], row["surface"]) == ("direct", "channel", session, "rest")
