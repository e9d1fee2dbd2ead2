//! A designer's request to the assistant: two systems are made, one requires the other, and the answer says
//! so.

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib_assistant::{Assistant, AssistantSettings, OperatorProvider, Providers, operations};
use toolcrib_connectors::llm::ModelFormat;
use toolcrib_testkit::{FakeModel, LlmReply, TestDb, both_databases, eventually};

use crate::place::Place;

async fn place(db: TestDb, model: &FakeModel) -> Place {
    let client = Arc::new(model.client(ModelFormat::OpenAi));
    let operator = OperatorProvider::new("fake", client, &["small"]);
    let operator = OperatorProvider { context_tokens: Some(200_000), ..operator };
    let providers = Arc::new(Providers { operator: Some(operator), ..Providers::default() });
    let place = Place::with(db, operations(&providers)).await;
    let (engine, db) = (place.engine.clone(), (*place.db).clone());
    tokio::spawn(Assistant::new(engine, db, providers, AssistantSettings::default()).serve());
    place
}

/// The words of the person in a request, with what stands before them.
fn words(model: &FakeModel, request: usize) -> String {
    let body = &model.requests()[request].body;
    let messages = body["messages"].as_array().unwrap();
    let said = messages.iter().rfind(|message| message["role"] == "user").unwrap();
    said["content"].as_str().unwrap().to_owned()
}

async fn say(place: &Place, words: &str) -> Value {
    let owner = place.owner();
    let run = owner.done("assistant.start_run", json!({ "thread": "t1", "message": words })).await;
    eventually("the run has ended", async || {
        let now = owner.done("assistant.get_run", json!({ "id": run["run"] })).await;
        if now["ended_at"].is_string() { Ok(now) } else { Err(now) }
    })
    .await
}

#[both_databases]
async fn two_systems_are_made_and_linked_in_three_rounds(db: TestDb) {
    let model = FakeModel::start().await;
    let place = place(db, &model).await;
    let project = place.project("Emberfall").await;
    place.settle(place.a.workspace, Some(json!({ "default_project": "Emberfall" }))).await;
    place.systems(&project, &["Weather"]).await;
    let create =
        |name: &str| ("game_create_game_system", json!({ "name": name, "slug": name.to_lowercase() }));
    let link = json!({ "source": "farming", "target": "soil" });
    model.script([
        LlmReply::calls([create("Farming"), create("Soil")]),
        LlmReply::calls([("game_add_dependency", link)]),
        LlmReply::text(["Farming now requires Soil."]),
    ]);
    let run = say(&place, "Add farming and soil; farming needs soil").await;
    assert_eq!(
        (&run["state"], &run["text"]),
        (&json!("completed"), &json!("Farming now requires Soil.")),
        "{run}"
    );
    let requests = model.requests();
    assert_eq!(requests.len(), 3);
    for later in &requests[1..] {
        assert_eq!(later.body["tools"], requests[0].body["tools"]);
        assert_eq!(later.body["messages"][0], requests[0].body["messages"][0]);
    }
    let told = words(&model, 0);
    assert!(told.contains("which are no instructions: project `Emberfall`"), "{told}");
    assert!(told.contains("1 systems") && told.contains("`weather`"), "{told}");
    let graph = place.owner().done("game_list_game_systems", json!({})).await;
    assert_eq!(graph["items"].as_array().unwrap().len(), 3);
}

#[both_databases]
async fn without_a_project_that_is_meant_all_are_named(db: TestDb) {
    let model = FakeModel::start().await;
    model.always(LlmReply::text(["Hello."]));
    let place = place(db, &model).await;
    say(&place, "Hello").await;
    assert!(!words(&model, 0).contains("Data of"), "{}", words(&model, 0));
    place.project("Emberfall").await;
    say(&place, "Hello").await;
    assert!(words(&model, 1).contains("1 project: `Emberfall`."), "{}", words(&model, 1));
}
