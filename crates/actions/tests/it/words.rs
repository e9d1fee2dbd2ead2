//! Text that other people wrote is marked wherever it is shown: in outputs, in the descriptions of outputs,
//! and in refusals.

use serde_json::{Map, Value, json};
use toolcrib_engine::{Outcome, Problem};
use toolcrib_model::Id;
use toolcrib_registry::{ActionMeta, Level, required_of};
use toolcrib_store::{datasources, datasources::DatasourceRow};
use toolcrib_testkit::{NOW, TestDb, both_databases};

use crate::harness::App;

/// A word in every text that another person wrote, and in no argument of the calls that are checked.
const CANARY: &str = "Zorblax";

/// Writes rows with the word. Returns their ids.
async fn write(app: &App) -> Value {
    let owner = app.owner();
    let text = |what: &str| format!("{what} {CANARY}");
    let agent = json!({"name": text("Agent"), "description": text("common"), "tags": [CANARY]});
    let agent = owner.done("create_agent", agent).await["id"].clone();
    let steps = json!([{"prompt": text("Do"), "agent": agent}]);
    let mut written = json!({ "agent": agent });
    for (what, action, arguments) in [
        (
            "playbook",
            "create_playbook",
            json!({"name": text("Playbook"), "description": text("common"), "steps": steps}),
        ),
        (
            "blueprint",
            "create_blueprint",
            json!({"name": text("Blueprint"), "rules": {"required_tags": [CANARY]}}),
        ),
        ("document", "add_document", json!({"title": text("Document"), "content": text("common")})),
        ("memory", "store_memory", json!({"content": text("common")})),
        ("mission", "create_mission", json!({"goal": text("Goal"), "auto_start": true})),
        ("task", "create_task", json!({"title": text("Task"), "description": text("common")})),
        (
            "schedule",
            "schedule_task",
            json!({"kind": "one_shot", "description": text("common"), "agent": agent,
            "when": "2030-01-01T00:00:00Z"}),
        ),
        ("connection", "connections.create", json!({"app": "some-app", "name": text("Source")})),
    ] {
        written[what] = owner.done(action, arguments).await["id"].clone();
    }
    let wish = json!({"mission": written["mission"], "key": CANARY, "value": text("common")});
    owner.done("field_inject", wish).await;
    let (id, name) = (Id::from_u128(1), text("Source"));
    let row = DatasourceRow { id, name, kind: "sqlite".into(), created_by: None, created_at: NOW };
    toolcrib_testkit::write(&app.db, app.a.workspace, async |tx| {
        datasources::insert(tx, &row, "sqlite:nowhere").await
    })
    .await
    .unwrap();
    written
}

/// A value for a required parameter: the id of a row that exists or, if `near`, a name that no row has.
fn value(action: &str, parameter: &str, schema: &Value, written: &Value, near: bool) -> Value {
    let name = |what: &str, id: &Value| if near { json!(format!("{what} Zorblux")) } else { id.clone() };
    match parameter {
        "agent" => name("Agent", &written["agent"]),
        "playbook" => name("Playbook", &written["playbook"]),
        "blueprint" => name("Blueprint", &written["blueprint"]),
        "document" => name("Document", &written["document"]),
        "datasource" => name("Source", &json!(Id::from_u128(1))),
        "app" => name("some-up", &json!("some-app")),
        "memory_id" => written["memory"].clone(),
        "mission" | "mission_id" => written["mission"].clone(),
        "task_id" if action == "platform_cancel_scheduled_task" => written["schedule"].clone(),
        "task_id" => written["task"].clone(),
        "skill" => json!(if near { "calm-replay" } else { "calm-reply" }),
        "plugin" => json!(if near { "web-raeder" } else { "web-reader" }),
        "model" => json!("gpt-4o-mini"),
        "query" => json!("common"),
        "sql" => json!("SELECT 1"),
        "when" => json!("2030-01-01T00:00:00Z"),
        "step" => json!(if near { 40 } else { 0 }),
        "rules" => json!({"min_tools": 1}),
        _ => schema.pointer("/enum/0").cloned().unwrap_or_else(|| json!("plain")),
    }
}

fn arguments(meta: &ActionMeta, written: &Value, near: bool) -> Value {
    let schema = meta.input.value();
    let given = required_of(schema).map(|parameter| {
        let property = &schema["properties"][parameter];
        (parameter.to_owned(), value(&meta.spec.name, parameter, property, written, near))
    });
    let mut given: Map<String, Value> = given.collect();
    // What a write needs to change something.
    for (parameter, id) in [("agent", &written["agent"]), ("mission", &written["mission"])] {
        let takes = schema["properties"].get(parameter).is_some() && meta.spec.level != Level::Read;
        if takes && !given.contains_key(parameter) {
            given.insert(parameter.to_owned(), id.clone());
        }
    }
    if meta.spec.name.contains("_update_") && schema["properties"].get("description").is_some() {
        given.insert("description".into(), json!("plain"));
    }
    Value::Object(given)
}

fn quotes(problem: &Problem) -> bool {
    let errors = serde_json::to_string(&problem.errors).unwrap();
    [Some(&problem.detail), problem.hint.as_ref(), Some(&errors)]
        .into_iter()
        .flatten()
        .any(|text| text.contains(CANARY))
}

/// Calls every tool, the destructive ones last. Returns how many showed the word in an output and how many in
/// a refusal.
async fn validate(app: &App, written: &Value, near: bool) -> (usize, usize) {
    let registry = app.engine.catalog().registry();
    let mut tools: Vec<_> = registry.tools().collect();
    tools.sort_by_key(|meta| meta.spec.level);
    let (mut shown, mut refused) = (0, 0);
    for meta in tools {
        let name = &meta.spec.name;
        let given = arguments(meta, written, near);
        let mut answer = app.owner().call(name, given.clone()).await;
        if let Outcome::Waiting(waiting) = &answer.outcome {
            answer = app.owner().approve(waiting.confirmation.id).await.unwrap();
        }
        match &answer.outcome {
            Outcome::Completed(done) => {
                let data = done.value();
                if format!("{} {data}", done.description).contains(CANARY) {
                    shown += 1;
                    assert!(
                        !meta.untrusted(&data).is_empty(),
                        "`{name}` {given}: {} {data}",
                        done.description
                    );
                }
            }
            Outcome::Refused(problem) => {
                if quotes(problem) {
                    refused += 1;
                    assert!(problem.untrusted.is_some(), "`{name}` {given}: {problem:?}");
                }
            }
            other => panic!("`{name}`: {other:?}"),
        }
    }
    (shown, refused)
}

#[both_databases]
async fn whatever_shows_other_peoples_words_is_marked(db: TestDb) {
    let app = App::new(db).await;
    let written = write(&app).await;
    let (_, refused) = validate(&app, &written, true).await;
    assert!(refused >= 15, "only {refused} refusals quoted a name");
    let (shown, _) = validate(&app, &written, false).await;
    assert!(shown >= 40, "only {shown} outputs showed what was written");
}
