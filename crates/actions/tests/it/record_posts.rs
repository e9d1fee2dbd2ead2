//! Full posts of records: each is one write.

use serde_json::{Value, json};
use toolcrib_engine::Outcome;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, audit_rows, record_id, service_key};

const ACTION: &str = "records.add_llm_usage";

fn usage(n: u128) -> Value {
    json!({
        "id": record_id(n), "at": "2026-01-15T09:00:00Z",
        "model": format!("model-{n}"), "provider": "openai", "input_tokens": 1, "output_tokens": 1,
        "cost_microusd": 1
    })
}

/// Makes the database refuse the record of this model.
async fn refuse(db: &TestDb, model: &str) {
    db.raw_sql(&if db.kind() == "sqlite" {
        format!(
            "CREATE TRIGGER refuse BEFORE INSERT ON llm_usage WHEN NEW.model = '{model}' \
             BEGIN SELECT RAISE(ABORT, 'refused'); END"
        )
    } else {
        format!(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.model = '{model}' \
             THEN RAISE 'refused'; END IF; RETURN NEW; END $$; \
             CREATE TRIGGER refuse BEFORE INSERT ON llm_usage FOR EACH ROW EXECUTE FUNCTION refuse()"
        )
    })
    .await;
}

async fn accept(db: &TestDb) {
    let sqlite = db.kind() == "sqlite";
    db.raw_sql(if sqlite { "DROP TRIGGER refuse" } else { "DROP TRIGGER refuse ON llm_usage" }).await;
}

#[both_databases]
async fn a_full_post_is_one_write(db: TestDb) {
    let app = App::new(db).await;
    let runtime = app.as_identity(service_key(&app, "records:write"));
    let mut records: Vec<Value> = (0..100).map(usage).collect();
    records[3] = json!(7);
    records[60] = usage(0);
    records[99] = json!({"x": 1});
    let call = json!({"records": records});
    let keyed = runtime.with_key("once");
    let answer = keyed.call(ACTION, call.clone()).await;
    let Outcome::Completed(done) = &answer.outcome else { panic!("{answer:?}") };
    let data = done.value();
    assert_eq!((&data["accepted"], &data["duplicates"]), (&json!(97), &json!(1)), "{data}");
    let wrong: Vec<_> = data["rejected"].as_array().unwrap().iter().map(|one| one["index"].clone()).collect();
    assert_eq!(wrong, [3, 99]);
    assert_eq!(done.description, "Records stored: 97; known: 1; rejected: 2");
    let written = audit_rows(&app, app.a.workspace, Some(ACTION)).await;
    assert_eq!(written.len(), 1);
    assert_eq!((written[0].outcome.as_str(), Some(written[0].id)), ("succeeded", answer.outcome.call_id()));
    // The same call with the same key gets the same response. Another call with this key is refused.
    let again = keyed.call(ACTION, call).await;
    assert_eq!(again.outcome.to_value()["data"], data);
    assert_eq!(audit_rows(&app, app.a.workspace, Some(ACTION)).await.len(), 2, "one more row, of the replay");
    let other: Vec<Value> = (0..99).map(usage).collect();
    assert_eq!(keyed.refused(ACTION, json!({"records": other})).await, "idempotency_mismatch");
}

#[both_databases]
async fn a_post_that_failed_stores_nothing_and_can_be_repeated(db: TestDb) {
    let app = App::new(db).await;
    let runtime = app.as_identity(service_key(&app, "records:write"));
    let call = json!({"records": (0..100).map(usage).collect::<Vec<_>>()});
    refuse(&app.db, "model-70").await;
    let keyed = runtime.with_key("once");
    let problem = keyed.problem(ACTION, call.clone()).await;
    assert!(problem.status >= 500, "{problem:?}");
    let outcomes: Vec<_> =
        audit_rows(&app, app.a.workspace, Some(ACTION)).await.into_iter().map(|row| row.outcome).collect();
    assert_eq!(outcomes, ["failed"]);
    accept(&app.db).await;
    let done = keyed.done(ACTION, call.clone()).await;
    assert_eq!((&done["accepted"], &done["duplicates"]), (&json!(100), &json!(0)));
    assert_eq!(
        keyed.call(ACTION, call.clone()).await.outcome.to_value()["data"],
        done,
        "and now it is known"
    );
    let done = runtime.done(ACTION, call).await;
    assert_eq!((&done["accepted"], &done["duplicates"]), (&json!(0), &json!(100)));
}

#[both_databases]
async fn a_full_post_counts_as_one_call(db: TestDb) {
    let app = App::new(db).await;
    let runtime = app.as_identity(service_key(&app, "records:write"));
    let left = |answer: toolcrib_engine::CallResponse| answer.limit.unwrap().remaining;
    let one = left(runtime.call(ACTION, json!({"records": [usage(100)]})).await);
    let many = left(runtime.call(ACTION, json!({"records": (0..100).map(usage).collect::<Vec<_>>()})).await);
    assert_eq!(many, one - 1);
}
