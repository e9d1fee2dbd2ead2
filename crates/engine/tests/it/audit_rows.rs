//! Gate 11: one row for every call that reached gate 4.

use serde_json::json;
use toolcrib_model::{Cursor, Role};
use toolcrib_store::audit::{self, Entry, Filter};
use toolcrib_testkit::{App, both_databases};

use crate::things::app;

async fn rows(app: &App) -> Vec<Entry> {
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let rows = audit::list(&mut tx, &Filter::default(), Cursor::START, 100).await.unwrap();
    tx.end().await.unwrap();
    rows
}

both_databases! {
    async fn every_answer_has_its_row(db: TestDb) {
        let app = app(db).await;
        let cases = [
            (app.owner().call("create_thing", json!({"name": "x"})).await, "auto_allowed", "succeeded"),
            (app.owner().call("get_thing", json!({"name": "x"})).await, "auto_allowed", "succeeded"),
            (app.owner().call("get_thing", json!({"name": "y"})).await, "auto_allowed", "failed"),
            (app.owner().call("half_thing", json!({"name": "z"})).await, "auto_allowed", "failed"),
            (app.owner().call("slow_thing", json!({"name": "z"})).await, "auto_allowed", "failed"),
            (app.owner().call("create_thing", json!({})).await, "invalid", "not_run"),
            (app.owner().call("no_such", json!({})).await, "invalid", "not_run"),
            (app.as_role(Role::Viewer).call("create_thing", json!({})).await, "denied", "not_run"),
            (app.owner().call("delete_thing", json!({"name": "x"})).await, "confirmation_required", "not_run"),
        ];
        let rows = rows(&app).await;
        assert_eq!(rows.len(), cases.len());
        for (answer, decision, outcome) in cases {
            let id = answer.call_id().unwrap();
            let row = rows.iter().find(|row| row.id == id).unwrap_or_else(|| panic!("no row for {answer:?}"));
            assert_eq!((row.decision.as_str(), row.outcome.as_str()), (decision, outcome), "{answer:?}");
        }
    }

    async fn calls_that_nobody_made_leave_no_row(db: TestDb) {
        let app = app(db).await;
        let stranger = app.as_identity(toolcrib_testkit::user_identity(app.a.workspace, app.b.owner));
        stranger.refused("get_thing", json!({"name": "x"})).await;
        app.owner().call_raw("get_thing", toolcrib_engine::Arguments::Text("{".into())).await;
        assert!(rows(&app).await.is_empty());
    }

    async fn sensitive_values_are_masked(db: TestDb) {
        let app = app(db).await;
        app.owner().done("create_thing", json!({"name": "x", "password": "hunter2"})).await;
        app.owner().refused("create_thing", json!({"name": "x", "pasword": "hunter2"})).await;
        app.owner().refused("no_such", json!({"anything": "hunter2"})).await;
        let text = format!("{:?}", rows(&app).await);
        assert!(text.contains("•••") && !text.contains("hunter2"), "{text}");
    }
}
