//! No surface leads from one workspace into another: every action with every kind of foreign id.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolcrib_engine::Outcome;
use toolcrib_model::{Clock as _, Role};
use toolcrib_testkit::{Person, TestDb, both_databases};

use crate::{
    walkthrough::{Saved, Step, full_name, steps, walk},
    world::{World, world},
};

/// A word in every text that workspace B can write, and nowhere else.
const CANARY: &str = "zq-canary-7731";

/// A step of the walkthrough with the word added to its texts.
fn marked(step: &Step) -> Step {
    let mut step = step.clone();
    let texts = [
        "name",
        "title",
        "description",
        "content",
        "goal",
        "prompt",
        "value",
        "key",
        "summary",
        "reason",
        "note",
        "system_prompt",
        "agent",
        "playbook",
        "blueprint",
        "document",
    ];
    for (name, value) in step.params.as_object_mut().unwrap() {
        if let (true, Some(text)) =
            (texts.contains(&name.as_str()), value.as_str().filter(|t| !t.starts_with('$')))
        {
            *value = json!(format!("{text} {CANARY}"));
        }
        if name == "steps" || name == "tasks" {
            for item in value.as_array_mut().into_iter().flatten() {
                for key in ["agent", "prompt", "title", "description"] {
                    if let Some(text) = item.get(key).and_then(Value::as_str) {
                        item[key] = json!(format!("{text} {CANARY}"));
                    }
                }
            }
        }
    }
    step
}

/// Runs the whole walkthrough as a person of B, with the word in its texts.
pub async fn walk_marked(person: &Person<'_>) -> Saved {
    let mut saved = Saved::new();
    for step in steps() {
        let step = marked(&step);
        let answer = step.run(person, &mut saved).await;
        assert!(
            matches!(answer.outcome, Outcome::Completed(_)),
            "`{}`: {}",
            step.action,
            answer.outcome.to_value()
        );
    }
    saved
}

/// The response to a caller, without the reference itself and without what differs between calls.
async fn told(person: &Person<'_>, door: Door, action: &str, params: &Value, reference: &str) -> String {
    let answer = match door {
        Door::Direct => person.call(action, params.clone()).await,
        Door::Dispatcher => {
            let inner = json!({ "action": full_name(action), "params": params });
            person.call("platform_execute", inner).await
        }
        Door::Model => person.as_model("call_1").call(action, params.clone()).await,
    };
    let mut told = answer.outcome.to_value();
    for name in ["call_id", "executed_at", "request_id", "duration_ms", "confirmation"] {
        if let Some(told) = told.as_object_mut() {
            told.remove(name);
        }
    }
    told.to_string().replace(reference, "<reference>")
}

#[derive(Clone, Copy, Debug)]
enum Door {
    Direct,
    Dispatcher,
    Model,
}

/// The parameters of an action, given in its step or not, that refer to something created earlier.
fn references(app: &World, step: &Step) -> Vec<&'static str> {
    let names = [
        "agent",
        "playbook",
        "execution_id",
        "blueprint",
        "mission",
        "mission_id",
        "task_id",
        "parent_task_id",
        "memory_id",
        "document",
        "project",
        "system",
        "plan",
        "brainstorm",
        "from_brainstorm",
        "source",
        "target",
        "thread",
        "up_to",
        "export",
    ];
    let meta = app.engine.catalog().registry().get(&full_name(&step.action)).unwrap().clone();
    let declared = meta.input.value()["properties"].as_object().unwrap();
    // The source of a brainstorm is a word.
    let refers =
        |name: &&str| declared.contains_key(*name) && (*name != "source" || declared.contains_key("target"));
    names.into_iter().filter(refers).collect()
}

/// The step's parameters without what excludes `parameter`.
fn filled_for(step: &Step, saved: &Saved, parameter: &str) -> Value {
    let mut params = step.filled(saved);
    if step.action == "get_playbook_execution" {
        params.as_object_mut().unwrap().retain(|name, _| name == parameter);
    }
    params
}

/// The name that B gave the thing with this id; `None` for things without a name.
fn name_of(saved: &Saved, id: &str) -> Option<String> {
    let (variable, _) = saved.iter().find(|(_, saved)| *saved == id)?;
    let step = steps().into_iter().find(|step| step.save.contains_key(variable))?;
    let params = marked(&step).params;
    params.get("name").or(params.get("title"))?.as_str().map(str::to_owned)
}

/// B's id of the kind of thing that a parameter of an action names.
fn foreign<'s>(saved: &'s Saved, action: &str, parameter: &str) -> &'s str {
    let name = match parameter {
        "agent" => "PRICE_WATCHER",
        "playbook" => "PLAYBOOK",
        "execution_id" => "EXECUTION",
        "blueprint" => "BLUEPRINT",
        "mission" => "CARTONS",
        "mission_id" => "MISSION",
        "task_id" if action.contains("scheduled") => "SCHEDULE",
        "task_id" | "parent_task_id" => "TASK",
        "memory_id" => "MEMORY",
        "document" => "DOCUMENT",
        "project" => "QUEST",
        "system" | "source" => "COMBAT",
        "target" => "MOVEMENT",
        "plan" => "PLAN",
        "brainstorm" | "from_brainstorm" => "OVENS",
        "thread" => "BOSSES",
        "up_to" => "THREE",
        "export" => "EXPORT",
        other => panic!("`{other}` of `{action}` names nothing known"),
    };
    saved[name].as_str().unwrap()
}

/// The id of something in A that was deleted, of the kind that a parameter names; `None` if this kind is
/// never deleted.
fn gone<'s>(saved: &'s Saved, parameter: &str) -> Option<&'s str> {
    let name = match parameter {
        "agent" => "GONE_AGENT",
        "playbook" => "GONE_PLAYBOOK",
        "memory_id" => "MEMORY",
        "document" => "DOCUMENT",
        _ => return None,
    };
    saved[name].as_str()
}

/// Adds an agent and a playbook that were deleted. The walkthrough has deleted a memory and a document.
async fn bury(owner: &Person<'_>, saved: &mut Saved) {
    let agent = owner.done("create_agent", json!({ "name": "Gone" })).await["id"].clone();
    owner.confirmed("delete_agent", json!({ "agent": agent })).await;
    let steps = json!([{ "agent": "Price Watcher", "prompt": "look" }]);
    let playbook = owner
        .done("create_playbook", json!({ "name": "Gone", "description": "Not for long", "steps": steps }))
        .await["id"]
        .clone();
    owner.confirmed("delete_playbook", json!({ "playbook": playbook })).await;
    saved.insert("GONE_AGENT".into(), agent);
    saved.insert("GONE_PLAYBOOK".into(), playbook);
}

/// The responses of all reads by B's owner.
async fn everything(app: &World, saved: &Saved) -> BTreeMap<String, Value> {
    let owner = app.as_role_b(Role::Owner);
    let mut all = BTreeMap::new();
    for step in steps() {
        let meta = app.engine.catalog().registry().get(&full_name(&step.action)).unwrap().clone();
        let level = meta.spec.level;
        let of_calls =
            ["get_activity_feed", "get_system_health", "query_loki_logs", "get_logs", "query_prometheus"];
        if level == toolcrib_registry::Level::Read && !of_calls.contains(&step.action.as_str()) {
            let answer = owner.call(&step.action, marked(&step).filled(saved)).await;
            if let Outcome::Completed(done) = answer.outcome {
                all.insert(step.action.clone(), done.value());
            }
        }
    }
    all
}

#[both_databases]
async fn another_workspaces_ids_are_as_unknown_as_any(db: TestDb) {
    let app = world(db).await;
    let owner = app.owner();
    let mut saved_a = walk(&owner).await;
    bury(&owner, &mut saved_a).await;
    let saved_b = walk_marked(&app.as_role_b(Role::Owner)).await;
    let began = app.clock.now();
    let before = everything(&app, &saved_b).await;
    let never = "01900000-0000-7000-8000-00000000dead";
    let mut checks = 0;
    for step in steps() {
        for parameter in references(&app, &step) {
            // Refusals are limited too.
            app.clock.advance(2);
            let mut params = filled_for(&step, &saved_a, parameter);
            let theirs = foreign(&saved_b, &step.action, parameter);
            for door in [Door::Direct, Door::Dispatcher, Door::Model] {
                params[parameter] = json!(theirs);
                let left = told(&owner, door, &step.action, &params, theirs).await;
                params[parameter] = json!(never);
                let right = told(&owner, door, &step.action, &params, never).await;
                assert_eq!(left, right, "`{parameter}` of `{}` through {door:?}", step.action);
                assert!(
                    left.contains("\"code\":\"not_found\""),
                    "`{parameter}` of `{}`: {left}",
                    step.action
                );
                if let Some(id) = gone(&saved_a, parameter) {
                    params[parameter] = json!(id);
                    let deleted = told(&owner, door, &step.action, &params, id).await;
                    assert_eq!(
                        deleted, right,
                        "a deleted `{parameter}` of `{}` through {door:?}",
                        step.action
                    );
                    checks += 1;
                }
                checks += 2;
            }
            for name in name_of(&saved_b, theirs).into_iter().chain(["no id at all".to_owned()]) {
                params[parameter] = json!(name);
                let answer = owner.call(&step.action, params.clone()).await;
                let known = answer.outcome.to_value();
                assert!([404, 422].contains(&answer.status()), "{} `{parameter}`: {known}", step.action);
                checks += 1;
            }
        }
    }
    println!("{checks} references were refused alike");
    app.clock.set(began);
    assert_eq!(before, everything(&app, &saved_b).await, "workspace B changed");
}

#[both_databases]
async fn no_text_of_b_reaches_a(db: TestDb) {
    let app = world(db).await;
    walk_marked(&app.as_role_b(Role::Owner)).await;
    let owner = app.owner();
    let mut saved = Saved::new();
    let mut answers = 0;
    let mut look = |what: &str, answer: &toolcrib_engine::CallResponse| {
        answers += 1;
        assert!(
            !answer.outcome.to_value().to_string().contains(CANARY),
            "{what}: {}",
            answer.outcome.to_value()
        );
    };
    for step in steps() {
        // Suggestions of similar names come from the caller's own workspace.
        for parameter in
            references(&app, &step).iter().filter(|name| !name.contains("_id") && **name != "mission")
        {
            let mut params = step.filled(&saved);
            params[parameter] = json!(format!("Price Watcher {}", &CANARY[..CANARY.len() - 1]));
            look(&step.action, &owner.call(&step.action, params).await);
        }
        let answer = step.run(&owner, &mut saved).await;
        look(&step.action, &answer);
    }
    for (operation, input) in [
        ("audit.list", json!({ "limit": 100 })),
        ("audit.stats", json!({ "by": "principal" })),
        ("access.matrix", json!({})),
        ("members.list", json!({})),
        ("keys.list", json!({})),
        ("connections.list", json!({})),
        ("datasources.list", json!({})),
        ("workspaces.list", json!({})),
    ] {
        look(operation, &owner.call(operation, input).await);
    }
    for action in ["search_memory", "search_documents", "search_chat_history", "find_tools"] {
        let answer = owner.call(action, json!({ "query": CANARY })).await;
        // The description may repeat the query, but the items must not contain it.
        if let Outcome::Completed(done) = &answer.outcome {
            assert!(!done.value()["items"].to_string().contains(CANARY), "{action}: {}", done.data);
        }
    }
    println!("{answers} answers hold no word of the other workspace");
}
