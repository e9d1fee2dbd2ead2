//! A household's requests to the assistant.

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib_actions::Infrastructure;
use toolcrib_assistant::{Assistant, AssistantSettings, OperatorProvider, Providers};
use toolcrib_connectors::llm::ModelFormat;
use toolcrib_model::Role;
use toolcrib_testkit::{FakeModel, LlmReply, Person, TestDb, both_databases, eventually};

use crate::house::House;

async fn house(db: TestDb, model: &FakeModel) -> House {
    let client = Arc::new(model.client(ModelFormat::OpenAi));
    let operator = OperatorProvider::new("fake", client, &["small"]);
    let operator = OperatorProvider { context_tokens: Some(200_000), ..operator };
    let models = Arc::new(Providers { operator: Some(operator), ..Providers::default() });
    let services = Infrastructure { models: models.clone(), ..Infrastructure::default() };
    let house = House::with(db, &services).await;
    let (engine, db) = (house.app.engine.clone(), (*house.app.db).clone());
    tokio::spawn(Assistant::new(engine, db, models, AssistantSettings::default()).serve());
    house
}

/// Sends a message. Returns the run when it has ended or waits.
async fn say(person: &Person<'_>, words: &str) -> Value {
    let run = person.done("assistant.start_run", json!({ "thread": "t1", "message": words })).await;
    eventually("the run has ended or waits", async || {
        let now = person.done("assistant.get_run", json!({ "id": run["run"] })).await;
        if matches!(now["state"].as_str(), Some("queued" | "running")) { Err(now) } else { Ok(now) }
    })
    .await
}

/// The last message of a request.
fn last(model: &FakeModel, request: usize) -> String {
    let body = &model.requests()[request].body;
    body["messages"].as_array().unwrap().last().unwrap()["content"].to_string()
}

#[both_databases]
async fn a_film_is_added_by_a_member(db: TestDb) {
    let model = FakeModel::start().await;
    let house = house(db, &model).await;
    let member = house.app.as_role(Role::Member);
    model.script([
        LlmReply::calls([("media_add_movie", json!({ "tmdb_id": 9001 }))]),
        LlmReply::text(["It is added."]),
    ]);
    let run = say(&member, "Add it").await;
    assert_eq!((&run["state"], &run["text"]), (&json!("completed"), &json!("It is added.")), "{run}");
    assert_eq!(house.a.radarr.changes().len(), 1);
    let told = last(&model, 0);
    assert!(
        told.contains("services that are set: `radarr`, `sonarr`, `tmdb`, `brave`; not set: none."),
        "{told}"
    );
    assert!(last(&model, 1).contains("added"), "{}", last(&model, 1));
}

#[both_databases]
async fn a_removal_waits_for_a_person_and_yes_is_no_approval(db: TestDb) {
    let model = FakeModel::start().await;
    let house = house(db, &model).await;
    let admin = house.app.as_role(Role::Admin);
    model.script([LlmReply::calls([("media_remove_movie", json!({ "title": "Arrival" }))])]);
    let run = say(&admin, "Remove Arrival").await;
    assert_eq!(run["state"], "waiting", "{run}");
    model.script([LlmReply::text(["Please approve it on the card."])]);
    assert_eq!(say(&admin, "yes").await["state"], "completed");
    assert!(house.a.radarr.changes().is_empty(), "words removed it");
    let card = run["confirmations"][0]["id"].as_str().unwrap().parse().unwrap();
    admin.approve(card).await.unwrap();
    assert_eq!(house.a.radarr.changes().len(), 1);
    model.script([LlmReply::text(["It is gone."])]);
    say(&admin, "Is it gone?").await;
    assert!(last(&model, 2).contains("was approved and has run"), "{}", last(&model, 2));
}
