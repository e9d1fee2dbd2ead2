//! What the gates do when what they stand on breaks.

use serde_json::json;
use toolcrib_testkit::both_databases;

use crate::things::app;

both_databases! {
    async fn no_effect_without_an_audit_row(db: TestDb) {
        let app = app(db).await;
        app.owner().done("create_thing", json!({"name": "before"})).await;
        app.db.sabotage("ALTER TABLE action_log RENAME TO action_log_gone").await;
        assert_eq!(app.owner().refused("create_thing", json!({"name": "x"})).await, "audit_unavailable");
        assert_eq!(app.owner().refused("get_thing", json!({"name": "before"})).await, "audit_unavailable");
        assert_eq!(app.owner().refused("create_thing", json!({})).await, "audit_unavailable");
        app.db.sabotage("ALTER TABLE action_log_gone RENAME TO action_log").await;
        assert_eq!(app.owner().refused("get_thing", json!({"name": "x"})).await, "not_found", "it had no effect");
        app.owner().done("create_thing", json!({"name": "x"})).await;
    }

    async fn rights_that_cannot_be_read_are_no_rights(db: TestDb) {
        let app = app(db).await;
        app.db.sabotage("ALTER TABLE members RENAME TO members_gone").await;
        assert_eq!(app.owner().refused("create_thing", json!({"name": "x"})).await, "authorization_unavailable");
        assert_eq!(app.owner().refused("get_thing", json!({"name": "x"})).await, "authorization_unavailable");
        app.db.sabotage("ALTER TABLE members_gone RENAME TO members").await;
        app.owner().done("create_thing", json!({"name": "x"})).await;
    }

    async fn a_caller_who_goes_away_changes_nothing(db: TestDb) {
        let app = app(db).await;
        for n in 0..20_u64 {
            let owner = app.owner();
            let call = owner.call("create_thing", json!({"name": format!("t{n}")}));
            // Dropped after ever more polls: the call goes on, or never began.
            let _ = tokio::time::timeout(std::time::Duration::from_micros(n * 150), call).await;
        }
        let settled = async {
            loop {
                let mut tx = app.db.read(app.a.workspace).await.unwrap();
                let things = toolcrib_store::agents::names(&mut tx).await.unwrap().len();
                let filter = toolcrib_store::audit::Filter { action: Some("platform_create_thing".into()), ..Default::default() };
                let rows = toolcrib_store::audit::list(&mut tx, &filter, toolcrib_model::Cursor::START, 100).await.unwrap();
                tx.end().await.unwrap();
                if things == rows.len() && things > 0 {
                    return things;
                }
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        };
        let things = tokio::time::timeout(std::time::Duration::from_secs(20), settled).await.unwrap();
        assert!(things <= 20);
    }
}
