//! Promotions: which actions are tools of their own, and for which callers.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolcrib_auth::{Authenticated, Credential};
use toolcrib_engine::CallerTools;
use toolcrib_model::Role;
use toolcrib_testkit::{Person, TestDb, assert_has, both_databases};

use crate::harness::{App, agent_key, pointers};

/// The actions that are tools of their own for this caller.
async fn promoted(app: &App, authenticated: &Authenticated) -> BTreeSet<String> {
    let (caller, policy) = app.engine.admit(authenticated).await.unwrap();
    let tools = CallerTools::new(app.engine.catalog(), &caller, &policy);
    let allowed = tools.allowed();
    allowed.iter().filter(|meta| tools.promoted(meta)).map(|meta| meta.spec.short_name().to_owned()).collect()
}

fn set_of(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(ToString::to_string).collect()
}

fn calling_as(person: &Person<'_>, caller_type: &str) -> Authenticated {
    let mut authenticated = person.authenticated.clone();
    authenticated.requested.caller_type = Some(caller_type.to_owned());
    authenticated
}

/// The key of an agent, with both caller types of agents that run without a person.
fn key_of(app: &App, made: &Value) -> Authenticated {
    let mut authenticated = agent_key(app, made["id"].as_str().unwrap().parse().unwrap(), Role::Owner);
    if let Credential::Agent(key) = &mut authenticated.credential {
        key.caller_types.push("heartbeat".to_owned());
    }
    authenticated
}

fn names(view: &Value) -> Vec<&str> {
    view["actions"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[both_databases]
async fn a_caller_type_gets_tools_of_its_own_and_the_dispatcher_the_rest(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let usual = promoted(&app, &owner.authenticated).await;
    assert_eq!((usual.len(), usual.contains("install_skill")), (16, true));
    let wanted = json!({
        "caller": "chat",
        "actions": ["platform_list_tasks", "platform_create_task", "platform_list_tasks"]
    });
    let set = owner.done("promotions.set", wanted).await;
    assert_eq!(names(&set), ["platform_create_task", "platform_list_tasks"]);
    assert_has(&set, json!({"caller": "chat", "whose": "caller_type", "built_in": false}));
    let chat = app.as_identity(calling_as(&owner, "chat"));
    assert_eq!(promoted(&app, &chat.authenticated).await, set_of(&["create_task", "list_tasks"]));
    assert_eq!(promoted(&app, &owner.authenticated).await, usual, "nobody else is concerned");
    // The dispatcher runs both kinds of actions: a promotion changes what is shown.
    for name in ["platform_list_tasks", "platform_list_agents"] {
        chat.done("platform_execute", json!({"action": name, "params": {}})).await;
    }
    // Hints say how this caller can call the action.
    let found = chat.done("find_tools", json!({"query": "list the agents"})).await;
    let list = found["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|item| item["name"] == "platform_list_agents")
        .unwrap();
    assert_eq!(list["how_to_call"]["name"], "platform_execute");
    let gone = owner.done("promotions.delete", json!({"caller": "chat"})).await;
    assert_eq!((&gone["built_in"], names(&gone).len()), (&json!(true), 16));
    assert_eq!(promoted(&app, &chat.authenticated).await, usual);
    assert_eq!(owner.refused("promotions.delete", json!({"caller": "chat"})).await, "not_found");
}

#[both_databases]
async fn an_agents_own_come_before_those_of_its_caller_type(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let made = owner.done("create_agent", json!({"name": "Scout"})).await;
    let agent = app.as_identity(key_of(&app, &made));
    let at_work = promoted(&app, &agent.authenticated).await;
    owner.done("promotions.set", json!({"caller": "Scout", "actions": ["platform_field_query"]})).await;
    assert_eq!(promoted(&app, &agent.authenticated).await, set_of(&["field_query"]));
    let set = owner.done("promotions.set", json!({"caller": made["id"], "actions": []})).await;
    assert_has(&set, json!({"caller": "Scout", "whose": "agent", "agent_id": made["id"]}));
    assert!(promoted(&app, &agent.authenticated).await.is_empty(), "nothing at all may be wished");
    let listed = owner.done("promotions.list", json!({})).await;
    let callers: Vec<&str> =
        listed["items"].as_array().unwrap().iter().map(|item| item["caller"].as_str().unwrap()).collect();
    assert!(callers.contains(&"Scout") && callers.contains(&"mission"), "{callers:?}");
    assert_eq!(listed["usual"].as_array().unwrap().len(), 16);
    owner.done("promotions.delete", json!({"caller": "Scout"})).await;
    assert_eq!(promoted(&app, &agent.authenticated).await, at_work);
}

#[both_databases]
async fn unattended_agents_get_task_tools_instead_of_the_marketplace(db: TestDb) {
    let app = App::new(db).await;
    let made = app.owner().done("create_agent", json!({"name": "Scout"})).await;
    let agent = app.as_identity(key_of(&app, &made));
    for kind in ["mission", "heartbeat"] {
        let shown = promoted(&app, &calling_as(&agent, kind)).await;
        for name in
            ["field_query", "field_inject", "search_memory", "list_tasks", "update_task_status", "find_tools"]
        {
            assert!(shown.contains(name), "{kind}: {shown:?}");
        }
        assert!(
            !shown.iter().any(|name| name.contains("marketplace") || name.starts_with("install")),
            "{kind}: {shown:?}"
        );
    }
}

#[both_databases]
async fn mistakes_are_named_and_another_workspace_is_not_concerned(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let wish = json!({
        "caller": "chat", "actions": ["platform_list_tasks", "platform_list_task", "members.list"]
    });
    let wrong = owner.call("promotions.set", wish).await;
    assert_eq!(pointers(&wrong), ["/actions/1", "/actions/2"]);
    let many = vec!["platform_list_tasks"; 33];
    let answer = owner.call("promotions.set", json!({"caller": "chat", "actions": many})).await;
    assert_eq!(pointers(&answer), ["/actions"]);
    let nobody = owner.problem("promotions.set", json!({"caller": "chatt", "actions": []})).await;
    assert_eq!((nobody.code.as_str(), nobody.status), ("not_found", 404));
    let hint = nobody.hint.unwrap();
    assert!(hint.contains("agents: ") && hint.contains("; caller types: chat, "), "{hint}");
    app.as_role(Role::Editor).done("promotions.set", json!({"caller": "chat", "actions": []})).await;
    let other = app.as_role_b(Role::Owner);
    let found = other.call("promotions.list", json!({})).await.outcome.to_value();
    assert_eq!(found["description"], "Found 2 lists of promoted actions beside the default", "theirs alone");
    let (caller, policy) = app.engine.admit(&calling_as(&other, "chat")).await.unwrap();
    let tools = CallerTools::new(app.engine.catalog(), &caller, &policy);
    let found = tools.allowed().iter().filter(|meta| tools.promoted(meta)).count();
    assert_eq!(found, 16, "another tenant is not concerned");
}
