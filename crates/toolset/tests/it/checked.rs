//! The checked form: defaults, digests, the stable document.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_registry::ConfirmationLevel;
use toolcrib_toolset::{CheckedToolset, ToolExecutor};

use crate::{
    json_pointers::set,
    support::{base, checked, with},
};

#[test]
fn defaults_are_filled_in() {
    let toolset = checked(&base());
    let tool = toolset.tool("desk__Delete_Draft").unwrap();
    assert_eq!(tool.full_name, "desk__delete_draft");
    assert_eq!((tool.min_role, tool.confirmation), (Role::Admin, ConfirmationLevel::Typed));
    assert_eq!((tool.timeout_seconds, tool.promoted, tool.draft), (10, false, false));
    let roles: Vec<Role> = toolset.tools.iter().map(|tool| tool.min_role).collect();
    assert_eq!(roles, [Role::Member, Role::Member, Role::Admin]);
    assert!(!toolset.enabled);
    let mut document = with("/tools/2/client", json!({}));
    set(&mut document, "/defaults/min_role", json!("editor"));
    set(&mut document, "/tools/1/min_role", json!("viewer"));
    set(&mut document, "/tools/1/permission_level", json!("read"));
    let toolset = checked(&document);
    let roles: Vec<Role> = toolset.tools.iter().map(|tool| tool.min_role).collect();
    assert_eq!(roles, [Role::Editor, Role::Viewer, Role::Editor]);
    let executor = &toolset.tools[2].executor;
    assert_eq!(executor, &ToolExecutor::Client { claim_seconds: 120, run_seconds: 600 });
}

#[test]
fn callers_are_compared_in_slug_form() {
    let names = json!({ "types": ["mission"], "names": ["Project_Initializer"] });
    let toolset = checked(&with("/tools/1/accessible_by", names));
    let access = &toolset.tools[1].access;
    assert!(access.admits("mission", None));
    assert!(access.admits("chat", Some("project-initializer")));
    assert!(access.admits("chat", Some("project_initializer")));
    assert!(!access.admits("chat", Some("initializer")));
    assert!(!access.admits("chat", None));
}

#[test]
fn checking_the_normalised_document_changes_nothing() {
    let mut document = base();
    set(&mut document, "/tools/1/parameters/$defs", json!({ "a": { "type": "string" } }));
    set(&mut document, "/tools/1/parameters/properties/a", json!({ "$ref": "#/$defs/a" }));
    let once = checked(&document);
    let twice = checked(&once.to_json());
    assert_eq!(twice.to_json().to_string(), once.to_json().to_string());
    assert_eq!(twice.tools, once.tools);
}

#[test]
fn the_stable_form_does_not_depend_on_the_order_of_keys() {
    let mut turned = serde_json::Map::new();
    for (key, value) in base().as_object().unwrap().iter().rev() {
        turned.insert(key.clone(), value.clone());
    }
    let (turned, straight) = (checked(&Value::Object(turned)), checked(&base()));
    assert_eq!(turned.to_json().to_string(), straight.to_json().to_string());
    assert_eq!(turned, straight);
}

fn definitions(toolset: &CheckedToolset) -> Vec<String> {
    toolset.tools.iter().map(|tool| tool.definition.clone()).collect()
}

#[test]
fn a_definition_changes_with_what_the_tool_is_and_does() {
    let before = definitions(&checked(&base()));
    assert!(before.iter().all(|digest| digest.len() == 64));
    for (pointer, value) in [
        ("/tools/0/name", json!("shut_ticket")),
        ("/tools/0/description", json!("Close it.")),
        ("/tools/0/warning", json!("Beware.")),
        ("/tools/0/confirm_text", json!("Close")),
        ("/tools/0/result_text", json!("Closed")),
        ("/tools/0/confirmation", json!("typed")),
        ("/tools/0/always_show", json!([])),
        ("/tools/0/escalations/0/level", json!("simple")),
        ("/tools/0/escalations/0/when", json!("present")),
        ("/tools/0/parameters/properties/note/maxLength", json!(1)),
        ("/tools/0/output", json!({ "type": "boolean" })),
        ("/tools/0/http/method", json!("PUT")),
        ("/tools/0/http/path", json!("t/{id}")),
        ("/tools/0/http/body/x", json!(1)),
        ("/tools/0/http/target/version", json!("/v")),
        ("/upstreams/0/base_url", json!("https://api.helpdesk.example/v3/")),
    ] {
        let after = definitions(&checked(&with(pointer, value)));
        assert_ne!(after[0], before[0], "{pointer}");
        assert_eq!(after[1..], before[1..], "{pointer}");
    }
    let read = definitions(&checked(&with("/tools/1/permission_level", json!("read"))));
    assert_ne!(read[1], before[1]);
    let client = definitions(&checked(&with("/tools/2/client/run_seconds", json!(60))));
    assert_ne!(client[2], before[2]);
    let slug = definitions(&checked(&with("/slug", json!("help"))));
    assert!(slug.iter().zip(&before).all(|(after, before)| after != before));
}

#[test]
fn a_definition_does_not_change_with_who_may_call_the_tool() {
    let before = definitions(&checked(&base()));
    for (pointer, value) in [
        ("/title", json!("Desk")),
        ("/tools/0/min_role", json!("owner")),
        ("/tools/0/accessible_by", json!("everyone")),
        ("/tools/0/promoted", json!(true)),
        ("/tools/0/tags", json!(["a"])),
        ("/tools/0/examples", json!(["a"])),
        ("/tools/0/notifies_admins", json!(true)),
        ("/tools/0/draft", json!(true)),
    ] {
        assert_eq!(definitions(&checked(&with(pointer, value))), before, "{pointer}");
    }
}
