"""How each write of the walkthrough is varied, so that every call that `scripts/bench actions` measures does real work.

In texts `{n}` is a number that no other call has, and `{target}` is the id of a thing that is made beforehand. A tuple has values
that take turns. A call that a person has to approve is asked for beforehand, and its approval is measured.
"""
from typing import NamedTuple

SKILLS = ("ticket-triage", "calm-reply", "lead-qualification", "brand-voice", "code-review", "log-reading", "source-checking",
          "invoice-check", "job-description", "sql-assistant")
PLUGINS = ("slack-messaging", "slack-alerts", "github-issues", "notion-pages", "jira-tracker", "hubspot-deals", "stripe-billing",
           "date-calculator", "table-toolkit", "text-compare")
MODELS = ("gpt-5.5", "gpt-5.4", "gpt-5.4-mini", "gpt-5.4-nano", "gpt-4o-mini", "claude-opus-5", "gemini-3.8-flash",
          "mistral-large-2512", "deepseek-v4-pro", "command-a-03-2025")


class Write(NamedTuple):
    """`vary` replaces parameters of the walkthrough. `target` is a key of MAKES, or `room`. `uses` is the number of calls that a
    target is good for, 0 for any number."""
    vary: dict
    target: str | None = None
    uses: int = 0


class Make(NamedTuple):
    """The call that makes a target. With a parent, the call is made `times` for each thing of that kind, whose id is `{target}`,
    and in its workspace."""
    action: str
    params: dict
    parent: str | None = None
    times: int = 1


STEPS = [{"prompt": "Collect prices"}, {"prompt": "Write a report"}]
TEXT = "# Cartons\n\nThe small carton holds two jars.\n\nThe large carton holds twelve jars."
TASKS = [{"title": "Ask for samples", "agent": "Price Watcher"}, {"title": "Test them", "depends_on": [0]}]

# A room is a workspace of its own. It is for what a workspace may have ten of (open executions, schedules of an agent), and for
# installing, which a workspace does once with each item.
MAKES = {
    "agent": Make("create_agent", {"name": "Target {n}", "system_prompt": "Name the source.", "tags": ["prices"]}),
    "playbook": Make("create_playbook", {"name": "Target {n}", "description": "A target", "steps": STEPS}),
    "blueprint": Make("create_blueprint", {"name": "Target {n}", "rules": {"require_system_prompt": True}}),
    "task": Make("create_task", {"title": "Target {n}", "description": "A target", "agent": "Price Watcher"}),
    "memory": Make("store_memory", {"content": "Target {n}", "agent": "Price Watcher", "tags": ["cartons"]}),
    "document": Make("add_document", {"title": "Target {n}", "content": TEXT, "tags": ["cartons"]}),
    "mission": Make("create_mission", {"goal": "Target {n}", "tasks": TASKS, "auto_start": True}),
    "model in a room": Make("install_model", {"model": "gpt-4o"}, "room"),
    "agent in a room": Make("create_agent", {"name": "Target {n}"}, "model in a room"),
    "playbook in a room": Make("create_playbook", {"name": "Target {n}", "description": "A target", "steps": [
        {"agent": "{target}", **step} for step in STEPS]}, "agent in a room"),
    "schedule in a room": Make("schedule_task", {"kind": "recurring", "description": "Target {n}", "when": "0 8 * * 1",
                                                 "agent": "{target}"}, "agent in a room", 10),
}

WRITES = {
    "create_agent": Write({"name": "Bench {n}"}),
    "update_agent": Write({"agent": "{target}", "description": "Run {n}"}, "agent"),
    "delete_agent": Write({"agent": "{target}"}, "agent", 1),
    "configure_agent_heartbeat": Write({"agent": "{target}", "prompt": "Look for prices that changed, {n}"}, "agent"),
    "assign_tool_to_agent": Write({"agent": "{target}"}, "agent", 1),
    "assign_skill_to_agent": Write({"agent": "{target}"}, "agent", 1),
    "assign_plugin_to_agent": Write({"agent": "{target}"}, "agent", 1),
    "create_playbook": Write({"name": "Bench {n}"}),
    "update_playbook": Write({"playbook": "{target}", "description": "Run {n}"}, "playbook"),
    # A playbook has at most 50 steps, and each makes the next call slower.
    "add_playbook_step": Write({"playbook": "{target}"}, "playbook", 2),
    "update_playbook_step": Write({"playbook": "{target}", "prompt": "Write report {n}"}, "playbook"),
    "delete_playbook_step": Write({"playbook": "{target}"}, "playbook", 1),
    "execute_playbook": Write({"playbook": "{target}"}, "playbook in a room", 10),
    "delete_playbook": Write({"playbook": "{target}"}, "playbook", 1),
    "create_blueprint": Write({"name": "Bench {n}"}),
    "update_blueprint": Write({"blueprint": "{target}", "description": "Run {n}"}, "blueprint"),
    "create_task": Write({"title": "Bench {n}"}),
    "assign_task": Write({"task_id": "{target}", "agent": ("Researcher", "Support Desk")}, "task"),
    "update_task_status": Write({"task_id": "{target}", "status": ("in_progress", "blocked"), "note": "Run {n}"}, "task"),
    "install_skill": Write({"skill": SKILLS}, "room", 10),
    "install_plugin": Write({"plugin": PLUGINS}, "room", 10),
    "install_model": Write({"model": MODELS}, "room", 10),
    "store_memory": Write({"content": "Cartons of 40 cm cost {n} euros a million"}),
    "delete_memory": Write({"memory_id": "{target}"}, "memory", 1),
    "add_document": Write({"title": "Bench {n}"}),
    "reprocess_document": Write({"document": "{target}"}, "document"),
    "delete_document": Write({"document": "{target}"}, "document", 1),
    "schedule_task": Write({"agent": "{target}"}, "agent in a room", 10),
    "cancel_scheduled_task": Write({"task_id": "{target}"}, "schedule in a room", 1),
    "submit_report": Write({"title": "Bench {n}"}),
    "field_inject": Write({"key": "carton {n}"}),
    "create_mission": Write({"goal": "Bench {n}"}),
    "cancel_mission": Write({"mission_id": "{target}"}, "mission", 1),
}


def check(writes):
    """Stops if the table has not these writes, and them alone."""
    where = "scripts/lib/bench/writes.py"
    if missing := sorted(writes - WRITES.keys()):
        raise SystemExit(f"{where}: say in WRITES how calls of {', '.join(missing)} are varied, so that each changes something")
    if unknown := sorted(WRITES.keys() - writes):
        raise SystemExit(f"{where}: there is no write {', '.join(unknown)}")
