//! Models see all pages: following the cursors in the messages shows every item once.

use serde_json::{Value, json};
use toolcrib_engine::{CallResponse, Outcome};
use toolcrib_model::Id;
use toolcrib_registry::{ActionKind, Completion, completed};
use toolcrib_store::{
    StoreError, connections, connections::ConnectionRow, datasources, datasources::DatasourceRow,
};
use toolcrib_testkit::{NOW, TestDb, both_databases, write};

use crate::harness::App;

/// Number of rows in each list that must be filled.
const ROWS: usize = 9;

/// Creates rows for every action with pages, some far larger than a message.
async fn fill(app: &App) {
    let owner = app.owner();
    let model = json!({"agent": "Agent 0", "when": "2030-01-01T00:00:00Z"});
    for n in 0..ROWS {
        let text = "long ".repeat(if n % 4 == 3 { 390 } else { 10 * n + 1 });
        let text = text.trim_end();
        let tags: Vec<String> = (0..n).map(|n| format!("a tag {n}")).collect();
        let name = |what: &str| format!("{what} {n}");
        for (action, arguments) in [
            ("create_agent", json!({"name": name("Agent"), "description": text, "tags": tags})),
            (
                "create_playbook",
                json!({"name": name("Playbook"), "description": text, "tags": tags,
                "steps": [{"prompt": "Do it."}]}),
            ),
            ("create_task", json!({"title": name("Task"), "description": text, "tags": tags})),
            ("store_memory", json!({"content": format!("{n} {text}"), "tags": tags})),
            ("add_document", json!({"title": name("Document"), "content": text, "tags": tags})),
            ("create_mission", json!({"goal": name("Reach"), "auto_start": false})),
            (
                "schedule_task",
                json!({"description": format!("{n} {text}"), "agent": model["agent"], "when": model["when"],
                "kind": "one_shot"}),
            ),
            (
                "create_blueprint",
                json!({"name": name("Blueprint"), "description": text, "rules": {"min_tools": 1}}),
            ),
        ] {
            owner.done(action, arguments).await;
        }
    }
    for kind in ["skill", "plugin"] {
        let items = owner.done(&format!("browse_marketplace_{kind}s"), json!({"limit": ROWS})).await;
        for item in items["items"].as_array().unwrap() {
            owner.done(&format!("install_{kind}"), json!({kind: item["slug"]})).await;
        }
    }
    let models = owner.done("list_llms", json!({"limit": ROWS})).await;
    for model in models["items"].as_array().unwrap() {
        owner.done("install_model", json!({"model": model["model"]})).await;
    }
    connect(app).await;
}

/// Inserts connected apps and datasources.
async fn connect(app: &App) {
    write::<_, StoreError>(&app.db, app.a.workspace, async |tx| {
        for n in 0..u128::try_from(ROWS).unwrap_or_default() {
            let (id, created_at) =
                (Id::from_u128(n + 1), NOW.plus_seconds(i64::try_from(n).unwrap_or_default() / 2));
            let row = ConnectionRow {
                id,
                app: format!("app-{n}"),
                name: format!("{n} {}", "long ".repeat(20)),
                created_by: None,
                created_at,
            };
            connections::insert(tx, &row).await?;
            let row = DatasourceRow {
                id,
                name: format!("Source {n}"),
                kind: "sqlite".into(),
                created_by: None,
                created_at,
            };
            datasources::insert(tx, &row, "sqlite:nowhere").await?;
        }
        Ok(())
    })
    .await
    .unwrap();
}

/// What a model reads of a response, in at most `limit` bytes.
fn message(answer: &CallResponse, limit: usize) -> Value {
    let Outcome::Completed(done) = &answer.outcome else { panic!("{answer:?}") };
    let data = done.value();
    let told = completed(
        &Completion {
            description: &done.description,
            data: &data,
            unreadable: None,
            ends: &done.ends,
            untrusted: None,
            repaired: &[],
            replayed: false,
        },
        limit,
    );
    assert!(told.to_string().len() <= limit, "{told}");
    told
}

/// What identifies an item: its id or, without an id, its name.
fn name(item: &Value) -> String {
    let name = ["id", "model", "name"].iter().find_map(|key| item.get(*key).and_then(Value::as_str));
    name.unwrap_or_else(|| panic!("{item} has no name")).to_owned()
}

fn names(data: &Value) -> Vec<String> {
    data["items"].as_array().unwrap().iter().map(name).collect()
}

/// Every item that the messages show while following the cursors, and the number of messages.
async fn walk(app: &App, action: &str, page: usize, limit: usize) -> (Vec<String>, usize) {
    let (mut given, mut seen, mut messages) = (json!({ "limit": page }), Vec::new(), 0);
    loop {
        let told = message(&app.owner().call(action, given.clone()).await, limit);
        let shown = names(&told["data"]);
        assert!(!shown.is_empty(), "`{action}` stands still at {given}: {told}");
        seen.extend(shown);
        messages += 1;
        match told["data"]["next_cursor"].as_str() {
            Some(next) => given["cursor"] = json!(next),
            None => return (seen, messages),
        }
    }
}

#[both_databases]
async fn a_model_reaches_every_item_of_every_list_once(db: TestDb) {
    let app = App::new(db).await;
    fill(&app).await;
    let registry = app.engine.catalog().registry();
    let paged: Vec<&str> = registry
        .tools()
        .filter(|meta| {
            meta.spec.kind == ActionKind::Tool
                && meta.output.value().pointer("/properties/next_cursor").is_some()
        })
        .map(|meta| &*meta.spec.name)
        .collect();
    assert!(paged.len() >= 16, "{paged:?}");
    for action in paged {
        let all = names(&app.owner().done(action, json!({"limit": 100})).await);
        assert!(all.len() >= ROWS, "`{action}` has only {} items to show", all.len());
        for (page, limit) in [(100, 600), (5, 600), (100, 1_500), (3, 4_000)] {
            let (seen, messages) = walk(&app, action, page, limit).await;
            assert_eq!(seen, all, "`{action}`, pages of {page}, {limit} bytes");
            assert!(messages >= all.len().div_ceil(page), "`{action}`");
        }
    }
}
