//! What is open in a database that was restored from a backup is ended: nothing of it can be decided, claimed
//! or run.

use serde_json::{Value, json};
use toolcrib_engine::EndedWork;
use toolcrib_model::{ConfirmationStatus, ErrorCode, ExecutorKind, Id, OpenCallState};
use toolcrib_store::{
    confirmations,
    open_calls::{self, OpenCallRow},
};
use toolcrib_testkit::{App, NOW, TestDb, both_databases, write};

use crate::{people::rows, things};

fn call(id: u128, state: OpenCallState, requester: &str) -> OpenCallRow {
    OpenCallRow {
        call_id: Id::from_u128(id),
        executor: ExecutorKind::Client,
        action: "desk__send".into(),
        definition: "sha256:1".into(),
        principal_kind: "user".into(),
        principal_id: Id::from_u128(1),
        user_id: None,
        session: None,
        requester: requester.into(),
        arguments: Some("{}".into()),
        arguments_digest: "sha256:2".into(),
        state,
        created_at: NOW,
        claim_by: Some(NOW.plus_seconds(60).as_micros()),
        end_by: None,
        claimed_at: None,
        ended_at: None,
        confirmation_id: None,
        tool_call_id: None,
        tool_format: None,
        idempotency_key: None,
        result: None,
        report_digest: None,
    }
}

/// Ends what is open in both workspaces, in one transaction of the owner.
async fn end(app: &App) -> [EndedWork; 2] {
    let mut tx = app.db.begin_write_as_owner().await.unwrap();
    let mut ended = Vec::new();
    for workspace in [app.a.workspace, app.b.workspace] {
        tx.switch_workspace(workspace).await.unwrap();
        ended.push(app.engine.end_restored(&mut tx).await.unwrap());
        tx.insert_collected().await.unwrap();
    }
    tx.commit().await.unwrap();
    ended.try_into().unwrap()
}

#[both_databases]
async fn what_is_open_after_a_restore_is_ended(db: TestDb) {
    let app = things::app(db).await;
    let owner = app.owner();
    let id = owner.pending("create_thing", json!({"name": "x", "dangerous": true})).await;
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let requester = confirmations::get(&mut tx, id).await.unwrap().unwrap().call.requester;
    tx.end().await.unwrap();
    write(&app.db, app.a.workspace, async |tx| {
        open_calls::insert(tx, &call(1, OpenCallState::Ready, &requester)).await?;
        open_calls::insert(tx, &call(2, OpenCallState::Running, &requester)).await
    })
    .await
    .unwrap();

    let ended = EndedWork { confirmations: 1, calls: 2 };
    assert_eq!(end(&app).await, [ended, EndedWork::default()]);
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let record = confirmations::get(&mut tx, id).await.unwrap().unwrap();
    assert_eq!(record.status, ConfirmationStatus::Void);
    assert_eq!(record.reason.as_deref(), Some("the database was restored from a backup"));
    let steps: Value = serde_json::from_str(&record.history).unwrap();
    assert_eq!(steps.as_array().unwrap().last().unwrap()["status"], "void");
    for n in [1, 2] {
        let call = open_calls::get(&mut tx, Id::from_u128(n)).await.unwrap().unwrap();
        assert_eq!((call.state, call.arguments), (OpenCallState::Unknown, None));
    }
    tx.end().await.unwrap();

    let decision = rows(&app, "confirmation", None).await.pop().unwrap();
    assert_eq!((decision.reason.as_deref(), decision.decision.as_str()), (Some("restored"), "denied"));
    let outcomes = rows(&app, "outcome", None).await;
    let told: Vec<_> = outcomes.iter().map(|row| (row.outcome.as_str(), row.reason.as_deref())).collect();
    assert_eq!(told, [("unknown", Some("restored")); 2]);
    // Nobody can go on with any of it, and the second time finds nothing.
    assert_eq!(owner.approve(id).await.unwrap_err().code, ErrorCode::Void);
    assert_eq!(end(&app).await, [EndedWork::default(); 2]);
}
