"""The chatbots of `examples/`, unchanged and started with the README's own commands, with a scripted
provider."""
import os
import pathlib
import re
import subprocess
import sys

import pytest
from conversation import Slip
from provider import Provider

ROOT = pathlib.Path(__file__).parents[2]
README = (ROOT / "examples/README.md").read_text()
EXAMPLES = ["openai", "anthropic", "langchain", "agents", "typescript"]


def block(name):
    """A block of the README without the commands that install packages, because these are installed
    already."""
    lines = re.search(rf"^```sh {name}\n(.*?)^```", README, re.M | re.S).group(1).splitlines()
    return [line for line in lines if not line.startswith(("pip ", "npm "))]


def run(example, toolcrib, tmp_path, script, said):
    """Runs one conversation. Returns what a person saw."""
    provider = Provider(script)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / ".toolcrib").symlink_to(toolcrib.folder)
    lines = "\n".join(["set -eu", *block("credentials"), *block(example)]).replace("…", "fake-key", 1).replace("…", "fake-model", 1)
    env = {"PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path), "PYTHONUNBUFFERED": "1",
           "ANTHROPIC_BASE_URL": provider.url, "OPENAI_BASE_URL": f"{provider.url}/v1", "NO_PROXY": "127.0.0.1"}
    lines = re.sub(r" +# and OPENAI_BASE_URL.*", "", lines)
    ran = subprocess.run(["bash", "-c", lines], cwd=tmp_path, env=env, text=True, capture_output=True, timeout=120,
                         input="".join(f"{line}\n" for line in said))
    provider.close()
    assert not provider.faults, provider.faults[0]
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert not provider.script, f"{len(provider.script)} lines of the script were not asked for: {ran.stdout}"
    return ran.stdout


def answers(conversation):
    return [answer for _, answer in conversation.answers]


def agents(toolcrib):
    items = toolcrib.post("/v1/actions/platform_list_agents", {"limit": 100})["data"]["items"]
    return [agent["name"] for agent in items]


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_read_and_an_answer(example, toolcrib, tmp_path):
    def looks(model):
        assert model.texts == ["What agents do I have?"]
        return ["I look it up.", model.call("platform_list_agents", limit=3)]

    def tells(model):
        [found] = answers(model)
        assert found["status"] == "completed" and len(found["data"]["items"]) == 3
        return ["You have " + ", ".join(agent["name"] for agent in found["data"]["items"]) + "."]

    def greets(model):
        # Small talk gets the few tools that are always offered and the dispatcher, and the messages so far.
        assert "platform_execute" in model.tools and len(model.tools) <= 9
        assert model.texts[0] == "What agents do I have?" and model.texts[-1] == "thanks, bye!"
        return ["You are welcome."]

    saw = run(example, toolcrib, tmp_path, [looks, tells, greets], ["What agents do I have?", "thanks, bye!"])
    assert "You have " in saw and agents(toolcrib)[0] in saw and "You are welcome." in saw


@pytest.mark.parametrize("example", EXAMPLES)
def test_what_a_person_approves_is_done(example, toolcrib, tmp_path):
    name = f"Doomed by {example}"
    toolcrib.post("/v1/actions/platform_create_agent", {"name": name})

    def deletes(model):
        return [model.call("platform_delete_agent", agent=name)]

    def tells(model):
        [done] = answers(model)
        assert done["status"] == "completed" and done["data"]["deleted"], done
        return ["It is gone."]

    saw = run(example, toolcrib, tmp_path, [deletes, tells],
              [f"Delete the agent {name}", "y", "platform_delete_agent", name])
    assert f"! Delete agent `{name}`: Permanently deletes the agent" in saw and f"    agent: {name}" in saw
    # The prompt is shown once for the wrong phrase and once for the right one.
    assert saw.count(f"type {name} to go on:") == 2 and "It is gone." in saw
    assert name not in agents(toolcrib)
    [row] = toolcrib.get("/v1/audit", kind="call", action="platform_delete_agent", outcome="succeeded", limit=1)["items"]
    assert (row["via"], row["granted_by"], row["caller_type"], row["target"]) == ("confirmation", "user", "chat", f"agent `{name}`")


@pytest.mark.parametrize("example", EXAMPLES)
def test_what_a_person_denies_is_not(example, toolcrib, tmp_path):
    name = f"Kept by {example}"
    toolcrib.post("/v1/actions/platform_create_agent", {"name": name})

    def deletes(model):
        return [model.call("platform_delete_agent", agent=name)]

    def tells(model):
        [denied] = answers(model)
        assert denied["status"] == "refused" and "the user said no" in denied["message"], denied
        return ["I leave it."]

    saw = run(example, toolcrib, tmp_path, [deletes, tells], [f"Delete the agent {name}", "n"])
    assert "approve? [y/N]" in saw and f"type {name}" not in saw and "I leave it." in saw
    assert name in agents(toolcrib)


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_bare_yes_is_read_with_the_question_before_it(example, toolcrib, tmp_path):
    name = f"Asked about by {example}"
    toolcrib.post("/v1/actions/platform_create_agent", {"name": name})

    def asks(model):
        return [f"Shall I delete the agent {name}?"]

    def deletes(model):
        # By itself, this message would get the small list, which has no tool that deletes.
        return [model.call("platform_delete_agent", agent=name)]

    def tells(model):
        return [answers(model)[0]["status"]]

    saw = run(example, toolcrib, tmp_path, [asks, deletes, tells],
              ["there is an agent that nobody needs", "yes", "y", name])
    assert "completed" in saw and name not in agents(toolcrib)


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_turn_of_several_calls_has_an_answer_for_each(example, toolcrib, tmp_path):
    name = f"One of several by {example}"
    toolcrib.post("/v1/actions/platform_create_agent", {"name": name})

    def calls(model):
        # The second call names no agent, and the third waits for a confirmation. All are answered in order.
        return ["Let me see.", model.call("platform_list_agents", limit=2), model.call("platform_get_agent", agent="147"),
                model.call("platform_delete_agent", agent=name)]

    def again(model):
        listed, unknown, deleted = answers(model)
        assert [name for name, _ in model.answers][:2] == ["platform_list_agents", "platform_get_agent"]
        assert (listed["status"], unknown["status"], deleted["status"]) == ("completed", "refused", "completed")
        assert unknown["error"] == "not_found" and "there are" in unknown["message"]
        return [model.call("platform_get_agent", agent=listed["data"]["items"][1]["id"])]

    def tells(model):
        assert answers(model)[0]["status"] == "completed"
        return ["Done."]

    saw = run(example, toolcrib, tmp_path, [calls, again, tells],
              [f"delete the agent {name} and show me the agents", "y", name])
    assert "Done." in saw and name not in agents(toolcrib)


@pytest.mark.parametrize("example", EXAMPLES)
def test_what_a_model_gets_wrong_is_answered_too(example, toolcrib, tmp_path):
    def slips(model):
        # A name that the list does not show, a name without its prefix, and the name of nothing.
        assert not {"platform_get_workspace_info", "list_agents"} & model.tools.keys()
        return [Slip("platform_get_workspace_info", {}), Slip("list_agents", {}), Slip("make_coffee", {})]

    def mends(model):
        own, spelled, nobody = answers(model)
        assert own["status"] == "completed" and own["data"]["name"] == "Harbour Goods"
        assert spelled["status"] == "completed"
        assert nobody["error"] == "unknown_action" and "`platform_find_tools`" in nobody["message"]
        return [model.call("platform_list_agents", limit=1)]

    def tells(model):
        return [answers(model)[0]["status"]]

    assert "completed" in run(example, toolcrib, tmp_path, [slips, mends, tells], ["What agents do I have?"])


@pytest.mark.parametrize("example", [name for name in EXAMPLES if name != "anthropic"])
def test_arguments_that_are_no_json_are_answered_too(example, toolcrib, tmp_path):
    def slips(model):
        return [Slip("platform_list_agents", '{"limit": 1')]

    def tells(model):
        [refused] = answers(model)
        assert (refused["status"], refused["error"]) == ("refused", "malformed_request"), refused
        return ["I was unclear."]

    assert "I was unclear." in run(example, toolcrib, tmp_path, [slips, tells], ["What agents do I have?"])


@pytest.mark.parametrize("example", EXAMPLES)
def test_it_stops_after_ten_rounds(example, toolcrib, tmp_path):
    def again(model):
        return [model.call("platform_list_agents", limit=1)]

    saw = run(example, toolcrib, tmp_path, [again] * 10, ["What agents do I have?"])
    assert "I stopped after ten rounds of tools." in saw


def test_the_typescript_is_well_typed():
    folder = ROOT / "examples/typescript"
    subprocess.run([folder / "node_modules/.bin/tsc", "--noEmit"], cwd=folder, check=True, timeout=120)
