//! The steps of the demo's history by day. `$name` in the arguments stands for the ID in the output of the
//! step that saved it as `name`.

use serde_json::{Value, json};
use toolcrib_model::Role;

use super::demo_history::Actor;

/// One successful call.
pub struct DemoStep {
    /// Days after the beginning.
    pub day: i64,
    /// The caller.
    pub actor: Actor,
    pub action: &'static str,
    pub arguments: Value,
    /// The name under which the ID in the output is saved.
    pub save: Option<&'static str>,
}

const OWNER: Actor = Actor::User(Role::Owner);
const ADMIN: Actor = Actor::User(Role::Admin);
const EDITOR: Actor = Actor::User(Role::Editor);
const MEMBER: Actor = Actor::User(Role::Member);

fn step(day: i64, actor: Actor, action: &'static str, arguments: Value) -> DemoStep {
    DemoStep { day, actor, action, arguments, save: None }
}

impl DemoStep {
    fn save(mut self, name: &'static str) -> Self {
        self.save = Some(name);
        self
    }
}

/// Returns all steps of the first workspace, sorted by day.
pub fn steps() -> Vec<DemoStep> {
    let mut steps = Vec::new();
    steps.extend(agents());
    steps.extend(knowledge());
    steps.extend(work());
    steps.extend(missions());
    steps.sort_by_key(|step| step.day);
    steps
}

fn agents() -> Vec<DemoStep> {
    let create = "platform_create_agent";
    let mut steps: Vec<DemoStep> = [
        ("Researcher", "researcher", "Looks up suppliers and compares offers", "researcher"),
        (
            "Invoice Checker",
            "worker",
            "Compares invoices with orders and reports what differs",
            "invoice checker",
        ),
        ("Release Writer", "coder", "Turns merged changes into release notes", "release writer"),
        ("Old Assistant", "chatbot", "The first try; nobody uses it", "old assistant"),
    ]
    .into_iter()
    .map(|(name, role, about, saved)| {
        let prompt = "Work step by step and say what you could not find out.";
        let arguments = json!({ "name": name, "role": role, "description": about, "system_prompt": prompt,
            "tags": ["demo", role] });
        step(0, EDITOR, create, arguments).save(saved)
    })
    .collect();
    steps.extend([
        step(0, EDITOR, "platform_install_skill", json!({ "skill": "calm-reply" })),
        step(0, EDITOR, "platform_install_skill", json!({ "skill": "vendor-comparison" })),
        step(0, EDITOR, "platform_install_plugin", json!({ "plugin": "web-reader" })),
        step(1, ADMIN, "platform_install_model", json!({ "model": "gpt-4o" })),
        step(1, EDITOR, "platform_assign_skill_to_agent", json!({ "agent": "Support Desk", "skill": "calm-reply" })),
        step(1, EDITOR, "platform_assign_skill_to_agent", json!({ "agent": "Researcher", "skill": "vendor-comparison" })),
        step(1, EDITOR, "platform_assign_plugin_to_agent", json!({ "agent": "Researcher", "plugin": "web-reader" })),
        step(2, ADMIN, "platform_assign_tool_to_agent", json!({ "agent": "Support Desk", "app": "slack" })),
        step(2, EDITOR, "platform_configure_agent_heartbeat", json!({ "agent": "Invoice Checker",
            "interval_minutes": 1440, "prompt": "Look for invoices that arrived since yesterday", "mode": "notify" })),
        step(5, EDITOR, "platform_update_agent", json!({ "agent": "Researcher", "temperature": 0.2 })),
        step(8, ADMIN, "platform_update_agent", json!({ "agent": "Release Writer", "status": "inactive" })),
        step(14, OWNER, "platform_delete_agent", json!({ "agent": "Old Assistant" })),
    ]);
    steps
}

fn knowledge() -> Vec<DemoStep> {
    let store = "platform_store_memory";
    vec![
        step(
            3,
            MEMBER,
            store,
            json!({ "content": "Returns are free within 30 days; after that the customer pays the \
            postage", "tags": ["returns"] }),
        ),
        step(
            4,
            Actor::Agent,
            store,
            json!({ "content": "Order 10482 was sent twice by mistake; the second parcel is on \
            its way back", "agent": "Support Desk", "tags": ["orders"] }),
        ),
        step(
            9,
            MEMBER,
            store,
            json!({ "content": "The warehouse is closed on the first Monday of each month",
            "tags": ["opening hours", "warehouse"] }),
        ),
        step(
            13,
            Actor::Agent,
            store,
            json!({ "content": "Two customers asked whether the blue kettle fits induction \
            hobs: it does", "agent": "Support Desk", "tags": ["products"] }),
        ),
        step(
            3,
            EDITOR,
            "platform_add_document",
            json!({ "title": "Returns policy", "tags": ["policy"],
            "content": "# Returns\n\nGoods may be sent back within 30 days.\n\nOpened food is not taken back." }),
        ),
        step(
            6,
            EDITOR,
            "platform_add_document",
            json!({ "title": "Supplier handbook", "tags": ["suppliers"],
            "content": "# Suppliers\n\nAsk for three offers above 500 euros.\n\nPay within 14 days." }),
        ),
        step(
            16,
            Actor::Agent,
            "platform_submit_report",
            json!({ "title": "Week two at the support desk",
            "content": "# Summary\n\n41 questions, 38 answered without a person.", "kind": "summary", "status": "ok",
            "agent": "Support Desk" }),
        ),
    ]
}

fn work() -> Vec<DemoStep> {
    let (task, status) = ("platform_create_task", "platform_update_task_status");
    vec![
        step(
            4,
            EDITOR,
            "platform_create_playbook",
            json!({ "name": "Monthly supplier review",
            "description": "Compares what suppliers charged with what they offered", "tags": ["suppliers"], "steps": [
                { "agent": "Researcher", "prompt": "Collect this month's offers", "on_error": "retry", "output_key": "offers" },
                { "agent": "Invoice Checker", "prompt": "Compare them with the invoices", "on_error": "stop" } ] }),
        )
        .save("review"),
        step(
            7,
            EDITOR,
            "platform_create_blueprint",
            json!({ "name": "House rules",
            "description": "What every agent needs", "rules": { "require_system_prompt": true } }),
        ),
        step(
            5,
            MEMBER,
            task,
            json!({ "title": "Answer the open reviews", "description": "Six reviews wait for a reply",
            "priority": "high", "agent": "Support Desk" }),
        )
        .save("reviews"),
        step(
            6,
            MEMBER,
            task,
            json!({ "title": "Order packing material", "description": "About 400 small boxes",
            "priority": "low" }),
        ),
        step(7, MEMBER, status, json!({ "task_id": "$reviews", "status": "in_progress" })),
        step(
            8,
            MEMBER,
            status,
            json!({ "task_id": "$reviews", "status": "done", "note": "all six answered" }),
        ),
        step(10, MEMBER, "platform_execute_playbook", json!({ "playbook": "Monthly supplier review" })),
        step(
            12,
            EDITOR,
            "platform_schedule_task",
            json!({ "kind": "recurring", "when": "0 8 * * 1",
            "description": "Look for suppliers whose prices went up", "agent": "Researcher" }),
        ),
    ]
}

fn missions() -> Vec<DemoStep> {
    let inject = "platform_field_inject";
    vec![
        step(
            11,
            MEMBER,
            "platform_create_mission",
            json!({ "goal": "Find a second supplier for glass jars", "tasks": [
            { "title": "Collect offers", "agent": "Researcher" },
            { "title": "Check the terms of delivery", "depends_on": [0] } ] }),
        )
        .save("jars"),
        step(
            12,
            MEMBER,
            inject,
            json!({ "mission": "$jars", "key": "cheapest offer", "value": "0.31 euros a jar, from \
            1,000 pieces" }),
        ),
        step(
            15,
            MEMBER,
            inject,
            json!({ "mission": "$jars", "key": "risk", "value": "delivery takes five weeks",
            "strength": 0.6 }),
        ),
    ]
}
