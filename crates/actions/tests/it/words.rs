//! Text that other people wrote is marked wherever it is shown: in outputs, in the descriptions of outputs,
//! and in refusals.

use serde_json::{Map, Value, json};
use toolcrib_engine::{Outcome, Problem};
use toolcrib_model::Id;
use toolcrib_registry::{ActionMeta, Level, required_of};
use toolcrib_store::{connections, connections::ConnectionRow, datasources, datasources::DatasourceRow};
use toolcrib_testkit::{NOW, TestDb, both_databases};

use crate::harness::App;

/// A word in every text that another person wrote, and in no argument of the calls that are checked.
const CANARY: &str = "Zorblax";

/// The ids of the rows that have the word.
struct Written {
    agent: Value,
    playbook: Value,
    blueprint: Value,
    document: Value,
    memory: Value,
    mission: Value,
    task: Value,
    schedule: Value,
}

async fn write(app: &App) -> Written {
    let owner = app.owner();
    let text = |what: &str| format!("{what} {CANARY}");
    let make = async |action: &str, arguments: Value| owner.done(action, arguments).await["id"].clone();
    let agent =
        make("create_agent", json!({"name": text("Agent"), "description": text("common"), "tags": [CANARY]}))
            .await;
    let written = Written {
        playbook: make(
            "create_playbook",
            json!({"name": text("Playbook"), "description": text("common"),
            "steps": [{"prompt": text("Do"), "agent": agent}]}),
        )
        .await,
        blueprint: make(
            "create_blueprint",
            json!({"name": text("Blueprint"), "rules": {"required_tags": [CANARY]}}),
        )
        .await,
        document: make("add_document", json!({"title": text("Document"), "content": text("common")})).await,
        memory: make("store_memory", json!({"content": text("common")})).await,
        mission: make("create_mission", json!({"goal": text("Goal"), "auto_start": true})).await,
        task: make("create_task", json!({"title": text("Task"), "description": text("common")})).await,
        schedule: make(
            "schedule_task",
            json!({"kind": "one_shot", "description": text("common"), "agent": agent,
            "when": "2030-01-01T00:00:00Z"}),
        )
        .await,
        agent,
    };
    owner
        .done("field_inject", json!({"mission": written.mission, "key": CANARY, "value": text("common")}))
        .await;
    toolcrib_testkit::write(&app.db, app.a.workspace, async |tx| {
        let (id, name) = (Id::from_u128(1), format!("Source {CANARY}"));
        let row = ConnectionRow {
            id,
            app: "some-app".into(),
            name: name.clone(),
            created_by: None,
            created_at: NOW,
        };
        connections::insert(tx, &row).await?;
        let row = DatasourceRow { id, name, kind: "sqlite".into(), created_by: None, created_at: NOW };
        datasources::insert(tx, &row, "sqlite:nowhere").await
    })
    .await
    .unwrap();
    written
}

/// A value for a required parameter: the id of a row that exists or, if `near`, a name that no row has.
fn value(action: &str, parameter: &str, schema: &Value, written: &Written, near: bool) -> Value {
    let name = |what: &str, id: &Value| if near { json!(format!("{what} Zorblux")) } else { id.clone() };
    match parameter {
        "agent" => name("Agent", &written.agent),
        "playbook" => name("Playbook", &written.playbook),
        "blueprint" => name("Blueprint", &written.blueprint),
        "document" => name("Document", &written.document),
        "datasource" => name("Source", &json!(Id::from_u128(1))),
        "app" => name("some-up", &json!("some-app")),
        "memory_id" => written.memory.clone(),
        "mission" | "mission_id" => written.mission.clone(),
        "task_id" if action == "platform_cancel_scheduled_task" => written.schedule.clone(),
        "task_id" => written.task.clone(),
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

fn arguments(meta: &ActionMeta, written: &Written, near: bool) -> Value {
    let schema = meta.input.value();
    let given = required_of(schema).map(|parameter| {
        let property = &schema["properties"][parameter];
        (parameter.to_owned(), value(&meta.spec.name, parameter, property, written, near))
    });
    let mut given: Map<String, Value> = given.collect();
    // What a write needs to change something.
    for (parameter, id) in [("agent", &written.agent), ("mission", &written.mission)] {
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
async fn validate(app: &App, written: &Written, near: bool) -> (usize, usize) {
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
