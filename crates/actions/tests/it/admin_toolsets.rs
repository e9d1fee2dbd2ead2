//! Toolsets: stored whole or not at all, with versions, switches and what a caller would get.

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib_engine::{CallResponse, Outcome};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, both_databases};
use toolcrib_toolset::{CheckContext, CheckedToolset, ToolsetSource, check};

use crate::harness::{App, new_agent, pointers};

/// A document with a read for everyone and a destructive tool for one agent.
fn document(slug: &str) -> Value {
    json!({
        "schema": "toolcrib.toolset/1", "slug": slug, "title": "Support desk",
        "tools": [
            {
                "name": "get_ticket", "description": "One ticket with its messages.",
                "permission_level": "read", "accessible_by": "everyone", "promoted": true,
                "parameters": {"required": ["id"], "properties": {"id": {"type": "integer", "minimum": 1}}},
                "client": {}
            },
            {
                "name": "delete_draft", "description": "Delete a draft.", "permission_level": "destructive",
                "accessible_by": {"types": [], "names": ["project_initializer"]},
                "warning": "The draft is gone for good.", "confirm_text": "Delete the draft {draft_id}",
                "parameters": {
                    "required": ["draft_id"], "properties": {"draft_id": {"type": "string", "maxLength": 64}}
                },
                "client": {"claim_seconds": 120, "run_seconds": 600}
            }
        ]
    })
}

fn operators(slug: &str) -> Arc<CheckedToolset> {
    let context = CheckContext::new(ToolsetSource::Operator);
    Arc::new(check(&document(slug), &context).unwrap())
}

fn put(slug: &str, document: &Value) -> Value {
    json!({ "slug": slug, "document": document })
}

fn changes(output: &Value) -> Vec<(&str, &str)> {
    let changes = output["changes"].as_array().unwrap().iter();
    changes.map(|one| (one["tool"].as_str().unwrap(), one["change"].as_str().unwrap())).collect()
}

#[both_databases]
async fn a_document_is_stored_with_versions_and_says_what_changed(db: TestDb) {
    let app = App::new(db).await;
    let admin = app.as_role(Role::Admin);
    let first = admin.done("toolsets.put", put("desk", &document("desk"))).await;
    assert_eq!(changes(&first), [("desk__get_ticket", "added"), ("desk__delete_draft", "added")]);
    assert_has(&first, json!({"version": 1, "enabled": true, "/tools/on": 2}));
    assert!(first["tokens"].as_u64().unwrap() > 20, "{first}");
    let same = admin.done("toolsets.put", put("desk", &document("desk"))).await;
    assert_eq!((&same["changed"], &same["version"]), (&json!(false), &json!(1)));

    let mut next = document("desk");
    next["tools"][0]["description"] = json!("One ticket.");
    next["tools"][1]["min_role"] = json!("owner");
    next["tools"].as_array_mut().unwrap().push(json!({
        "name": "list_tickets", "description": "All tickets.", "permission_level": "read", "draft": true,
        "accessible_by": "everyone", "client": {}
    }));
    let mut wish = put("desk", &next);
    wish["if_match"] = json!("\"1\"");
    let second = admin.done("toolsets.put", wish.clone()).await;
    assert_eq!(
        changes(&second),
        [
            ("desk__get_ticket", "redefined"),
            ("desk__delete_draft", "updated"),
            ("desk__list_tickets", "added")
        ]
    );
    assert_eq!(admin.refused("toolsets.put", wish).await, "precondition_failed");
    let got = admin.done("toolsets.get", json!({"slug": "desk"})).await;
    assert_eq!((&got["version"], &got["tools"]["draft"]), (&json!(2), &json!(1)));
    // What was read can be sent back and changes nothing.
    let back = admin.done("toolsets.put", put("desk", &got["document"])).await;
    assert_eq!(back["changed"], json!(false), "{back}");
    let shrunk = admin.done("toolsets.put", put("desk", &document("desk"))).await;
    assert!(changes(&shrunk).contains(&("desk__list_tickets", "removed")));
    let old = json!({"slug": "desk", "if_match": "2"});
    assert_eq!(admin.refused("toolsets.delete", old).await, "precondition_failed");
    let gone = admin.done("toolsets.delete", json!({"slug": "desk"})).await;
    assert_eq!(gone["tools"], json!(2));
    assert_eq!(admin.refused("toolsets.get", json!({"slug": "desk"})).await, "not_found");
    // What was read before the deletion is no version of the new toolset.
    admin.done("toolsets.put", put("desk", &document("desk"))).await;
    for version in ["1", "2", "3"] {
        let old = json!({"slug": "desk", "enabled": false, "if_match": version});
        assert_eq!(admin.refused("toolsets.update", old).await, "precondition_failed", "{version}");
    }
}

#[both_databases]
async fn every_defect_is_named_at_once_and_nothing_is_stored(db: TestDb) {
    let app = App::new(db).await;
    let admin = app.as_role(Role::Admin);
    admin.done("toolsets.put", put("desk", &document("desk"))).await;
    let mut broken = document("desk");
    broken["titel"] = json!("x");
    broken["tools"][0]["permission_level"] = Value::Null;
    broken["tools"][1].as_object_mut().unwrap().remove("warning");
    let refused = admin.call("toolsets.put", put("desk", &broken)).await;
    let found = pointers(&refused);
    for pointer in ["/titel", "/tools/0/permission_level", "/tools/1"] {
        assert!(found.iter().any(|known| known.starts_with(pointer)), "{pointer} in {found:?}");
    }
    let checked = admin.call("toolsets.check", json!({ "document": broken })).await;
    assert_eq!(pointers(&checked), found.iter().map(|at| format!("/document{at}")).collect::<Vec<_>>());
    assert_eq!(pointers(&admin.call("toolsets.put", put("other", &document("desk"))).await), ["/slug"]);
    assert_eq!(admin.done("toolsets.get", json!({"slug": "desk"})).await["version"], json!(1));
    let large = json!({"slug": "desk", "document": {"title": "x".repeat(3_000_000)}});
    assert_eq!(admin.refused("toolsets.put", large).await, "payload_too_large");
}

#[both_databases]
async fn a_workspace_switches_toolsets_and_single_tools(db: TestDb) {
    let app = App::with_toolsets(db, vec![operators("ops")]).await;
    let admin = app.as_role(Role::Admin);
    let listed = admin.done("toolsets.list", json!({})).await;
    let ops = &listed["items"][0];
    assert_has(ops, json!({"source": "operator", "enabled": false, "version": 0}));
    assert_eq!(ops["tools"]["toolset_off"], json!(2));
    let wish = json!({"slug": "ops", "enabled": true, "disabled_tools": ["delete_draft"]});
    let on = admin.done("toolsets.update", wish.clone()).await;
    assert_has(&on, json!({"/tools/on": 1, "/tools/disabled": 1, "changed": true}));
    assert_eq!(admin.done("toolsets.update", wish).await["changed"], json!(false));
    let again = admin.done("toolsets.update", json!({"slug": "ops", "disabled_tools": []})).await;
    assert_eq!((&again["tools"]["on"], &again["version"]), (&json!(2), &json!(2)));
    let wrong =
        admin.problem("toolsets.update", json!({"slug": "ops", "disabled_tools": ["get_tickt"]})).await;
    assert_eq!(wrong.errors[0].pointer, "/disabled_tools/0");
    assert!(wrong.errors[0].message.contains("did you mean `get_ticket`"), "{:?}", wrong.errors);
    // The operator's document is not the workspace's to replace or delete.
    assert_eq!(admin.refused("toolsets.put", put("ops", &document("ops"))).await, "conflict");
    assert_eq!(admin.refused("toolsets.delete", json!({"slug": "ops"})).await, "conflict");
    // Another workspace has its own switches.
    let b = app.as_role_b(Role::Admin).done("toolsets.get", json!({"slug": "ops"})).await;
    assert_eq!((&b["enabled"], &b["version"]), (&json!(false), &json!(0)));
}

#[both_databases]
async fn a_check_shows_what_a_caller_would_get(db: TestDb) {
    let app = App::new(db).await;
    let admin = app.as_role(Role::Admin);
    let access = async |caller: Value| {
        let asked = json!({ "document": document("desk"), "as": caller });
        let output = admin.done("toolsets.check", asked).await;
        let access = output["access"].as_array().unwrap().clone();
        access.iter().map(|one| one["reason"].as_str().unwrap_or("allowed").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(access(json!({"role": "viewer"})).await, ["allowed", "accessible_by"]);
    let agent = json!({"role": "member", "caller_type": "mission", "caller_name": "project-initializer"});
    assert_eq!(access(agent).await, ["allowed", "role"]);
    let agent = json!({"role": "admin", "caller_type": "mission", "caller_name": "project_initializer"});
    assert_eq!(access(agent).await, ["allowed", "allowed"]);
    let unknown = json!({ "document": document("desk"), "as": {"role": "viewer", "caller_type": "robot"} });
    assert_eq!(pointers(&admin.call("toolsets.check", unknown).await), ["/as/caller_type"]);
    let plain = admin.done("toolsets.check", json!({ "document": document("desk") })).await;
    assert!(plain.get("access").is_none() && changes(&plain).len() == 2, "{plain}");
    assert_eq!(admin.done("toolsets.list", json!({})).await["items"], json!([]), "a check stores nothing");
}

#[both_databases]
async fn no_agent_and_no_other_workspace_manages_a_toolset(db: TestDb) {
    let app = App::new(db).await;
    let stored = put("desk", &document("desk"));
    app.owner().done("toolsets.put", stored.clone()).await;
    let agent = new_agent(&app, "Scout", Role::Owner).await;
    assert_eq!(agent.refused("toolsets.put", stored).await, "permission_denied");
    let b = app.as_role_b(Role::Admin);
    assert_eq!(b.refused("toolsets.get", json!({"slug": "desk"})).await, "not_found");
}

#[both_databases]
async fn the_limits_of_a_workspace_hold(db: TestDb) {
    let app = App::new(db).await;
    let admin = app.as_role(Role::Admin);
    for number in 0..20 {
        let slug = format!("desk{number}");
        admin.done("toolsets.put", put(&slug, &document(&slug))).await;
    }
    assert_eq!(admin.refused("toolsets.put", put("desk20", &document("desk20"))).await, "conflict");
    let known = admin.done("toolsets.put", put("desk7", &document("desk7"))).await;
    assert_eq!(known["changed"], json!(false), "a toolset that exists can be replaced at the limit");
}

#[both_databases]
async fn a_key_names_a_toolset_that_exists(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let key = |scope: &str| json!({"kind": "service", "name": format!("k {scope}"), "scopes": [scope]});
    assert_eq!(pointers(&owner.call("keys.create", key("desk:read")).await), ["/scopes/0"]);
    owner.done("toolsets.put", put("desk", &document("desk"))).await;
    for scope in ["desk:read", "desk:*", "tools:use"] {
        let CallResponse { outcome: Outcome::Completed(_), .. } = owner.call("keys.create", key(scope)).await
        else {
            panic!("{scope}")
        };
    }
}

fn openapi() -> Value {
    let parameters = json!([{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}]);
    json!({
        "openapi": "3.1.0", "info": {"title": "Support desk", "version": "2"},
        "servers": [{"url": "https://api.helpdesk.example/v2"}],
        "paths": {"/tickets/{id}": {
            "get": {"operationId": "getTicket", "summary": "One ticket.", "parameters": parameters},
            "delete": {"operationId": "dropTicket", "summary": "Drop it.", "parameters": parameters},
            "trace": {"operationId": "traceTicket", "summary": "Trace it."}
        }}
    })
}

#[both_databases]
async fn an_openapi_document_becomes_drafts_and_nothing_is_stored(db: TestDb) {
    let app = App::new(db).await;
    let admin = app.as_role(Role::Admin);
    let wish = json!({"slug": "desk", "openapi": openapi(), "exclude": ["trace*"]});
    let made = admin.done("toolsets.import", wish).await;
    assert_eq!(made["base_url"], "https://api.helpdesk.example/v2/", "{made}");
    let tools = made["document"]["tools"].as_array().unwrap();
    assert!(!tools.is_empty() && tools.iter().all(|tool| tool["draft"] == true), "{made}");
    assert!(made["document"].get("upstreams").is_none(), "a workspace names its upstreams elsewhere");
    assert_eq!(admin.done("toolsets.list", json!({})).await["items"], json!([]));
    let code = admin.refused("toolsets.import", json!({"slug": "desk", "openapi": {}})).await;
    assert_eq!(code, "invalid_arguments");
    let slug = json!({"slug": "Platform!", "openapi": openapi()});
    let problem = admin.problem("toolsets.import", slug).await;
    assert_eq!(problem.errors[0].pointer, "/slug", "{problem:?}");
}
