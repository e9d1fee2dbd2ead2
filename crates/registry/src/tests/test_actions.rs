//! A few hand-made actions for the tests of this crate.

use serde_json::{Value, json};

use crate::{ActionMeta, Category, Level, PackInfo, Permission, Spec, Verb};

fn make(spec: Spec, properties: &Value, required: &[&str]) -> ActionMeta {
    let mut input = json!({"type": "object", "properties": properties, "additionalProperties": false});
    input["required"] = json!(required);
    ActionMeta::new(spec, input, json!({"type": "object"})).unwrap()
}

fn text(most: u32) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": most})
}

pub(crate) static SHOP: PackInfo = PackInfo {
    slug: "shop",
    title: "Shop",
    description: "Orders of a shop.",
    sources: &["orders"],
    events: &["shop.ordered"],
};

pub(crate) fn of_shop(name: &str) -> ActionMeta {
    let spec = Spec::read(name, Category::Pack(&SHOP), Permission::of_pack("shop", Verb::Read));
    make(spec.describe("Orders of the shop."), &json!({}), &[])
}

pub(crate) fn create_task() -> ActionMeta {
    let spec = Spec::write("platform_create_task", Category::Tasks, Permission::TASKS_USE)
        .describe("Create a task on the board. Not for schedules.");
    make(
        spec,
        &json!({"title": text(200), "description": text(8000),
            "priority": {"type": "string", "enum": ["urgent", "high", "medium", "low"], "default": "medium"},
            "tags": {"type": "array", "items": text(40), "maxItems": 20},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100}}),
        &["title", "description"],
    )
}

pub(crate) fn list_tasks() -> ActionMeta {
    let spec =
        Spec::read("platform_list_tasks", Category::Tasks, Permission::TASKS_READ).describe("List tasks.");
    make(
        spec,
        &json!({"limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
            "max_rows": {"type": "integer"}}),
        &[],
    )
}

pub(crate) fn execute_playbook() -> ActionMeta {
    let spec = Spec::write("platform_execute_playbook", Category::Playbooks, Permission::PLAYBOOKS_USE)
        .describe("Run a playbook.");
    let input = json!({"type": "object", "maxProperties": 50, "x-free": true});
    make(spec, &json!({"playbook": text(200), "input": input}), &["playbook"])
}

pub(crate) fn get_sla_compliance() -> ActionMeta {
    let spec = Spec::read("platform_get_sla_compliance", Category::Analytics, Permission::ANALYTICS_READ)
        .describe("Share of runs within the targets.");
    make(spec, &json!({}), &[])
}

pub(crate) fn create_agent() -> ActionMeta {
    let spec = Spec::write("platform_create_agent", Category::Agents, Permission::AGENTS_MANAGE)
        .promoted()
        .describe("Create an agent.");
    make(
        spec,
        &json!({"name": text(200), "temperature": {"type": "number", "minimum": 0, "maximum": 2},
            "schedule": {"type": ["string", "null"], "maxLength": 40, "x-nullable": true}}),
        &["name"],
    )
}

pub(crate) fn delete_agent() -> ActionMeta {
    let spec = Spec::destructive(
        "platform_delete_agent",
        Category::Agents,
        Permission::AGENTS_DELETE,
        "it is gone for good",
    )
    .describe("Delete an agent.");
    make(spec, &json!({"agent": text(200)}), &["agent"])
}

pub(crate) fn operation(name: &'static str) -> ActionMeta {
    let spec = Spec::program(name, Level::Write, Permission::TASKS_USE).describe("Change the tasks.");
    make(spec, &json!({}), &[])
}

pub(crate) fn all() -> Vec<ActionMeta> {
    vec![
        create_task(),
        list_tasks(),
        execute_playbook(),
        get_sla_compliance(),
        create_agent(),
        delete_agent(),
    ]
}

/// A declared tool with this full name.
pub(crate) fn declared(name: &str) -> ActionMeta {
    let resource = crate::PermissionResource::Toolset(name.split("__").next().unwrap().into());
    let permission = Permission { resource, verb: crate::Verb::Read };
    let spec = Spec::read(name, Category::Toolset, permission).describe("One ticket of the desk.");
    let input = json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"],
        "additionalProperties": false});
    ActionMeta::declared(spec, &input, &json!({}), name)
}
