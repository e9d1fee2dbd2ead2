//! What changes between the gates of a call and the commit that lets it out: nothing is sent that would not
//! be allowed then, and nothing without its start row.

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use futures_util::{FutureExt as _, future::BoxFuture};
use serde_json::json;
use toolcrib_engine::{
    OpenCallFilter,
    limits::{LimitRequest, LimitState, Limited, Limiter, LocalLimiter},
};
use toolcrib_model::ErrorCode;
use toolcrib_testkit::{TestDb, both_databases, open_pg_transaction, open_sqlite_transaction};

use super::{Desk, code, note};

/// Changes the database while a call is counted, which is after its gates and before the commit that lets it
/// out.
struct ChangesOnTheWay {
    limiter: LocalLimiter,
    url: String,
    sql: Arc<Mutex<Option<&'static str>>>,
}

impl Limiter for ChangesOnTheWay {
    fn spend(&self, request: LimitRequest) -> BoxFuture<'_, Result<LimitState, Limited>> {
        async move {
            let sql = self.sql.lock().unwrap().take();
            if let Some(sql) = sql {
                match self.url.strip_prefix("sqlite:") {
                    Some(file) => open_sqlite_transaction(Path::new(file), &format!("BEGIN; {sql}")).await,
                    None => open_pg_transaction(&self.url, sql).await,
                }
                .commit()
                .await;
            }
            self.limiter.spend(request).await
        }
        .boxed()
    }

    fn peek(&self, request: LimitRequest) -> BoxFuture<'_, Result<LimitState, Limited>> {
        self.limiter.peek(request)
    }
}

/// A desk, and the SQL that runs on the way of the next call.
async fn desk(db: TestDb) -> (Desk, Arc<Mutex<Option<&'static str>>>) {
    let (url, sql) = (db.url(), Arc::default());
    let limiter = |clock, sql| Arc::new(ChangesOnTheWay { limiter: LocalLimiter::new(clock), url, sql });
    let desk = Desk::with_limiter(db, |clock| limiter(clock, Arc::clone(&sql))).await;
    (desk, sql)
}

const DEMOTE: &str = "UPDATE members SET role = 'viewer' WHERE role = 'member'";

/// Changes that forbid the call, and how it is refused.
const CHANGES: [(&str, &str, ErrorCode); 5] = [
    (DEMOTE, "UPDATE members SET role = 'member' WHERE role = 'viewer'", ErrorCode::PermissionDenied),
    (
        "UPDATE workspaces SET approval_mode = 'read_only'",
        "UPDATE workspaces SET approval_mode = 'standard'",
        ErrorCode::PermissionDenied,
    ),
    (
        "UPDATE toolsets SET enabled = FALSE; UPDATE workspaces SET toolset_version = toolset_version + 1",
        "UPDATE toolsets SET enabled = TRUE; UPDATE workspaces SET toolset_version = toolset_version + 1",
        ErrorCode::PermissionDenied,
    ),
    // Another origin, without a new version: the secret does not open for it.
    (
        "UPDATE upstream_secrets SET upstream = 'gone'",
        "UPDATE upstream_secrets SET upstream = 'helpdesk'",
        ErrorCode::ConnectorNotConfigured,
    ),
    (
        "UPDATE members SET active = FALSE WHERE role = 'member'",
        "UPDATE members SET active = TRUE",
        ErrorCode::PermissionDenied,
    ),
];

#[both_databases]
async fn a_right_that_is_lost_on_the_way_sends_nothing(db: TestDb) {
    let (desk, sql) = desk(db).await;
    for (change, back, expected) in CHANGES {
        *sql.lock().unwrap() = Some(change);
        let answer = desk.member().call("desk__add_note", note()).await;
        assert!(sql.lock().unwrap().is_none(), "the call passed its gates");
        assert_eq!(code(&answer), expected, "{change}: {answer:?}");
        desk.app.db.raw_sql(back).await;
        let filter = json!({"action": ["desk__add_note"], "outcome": ["started"]});
        let started = desk.app.owner().done("audit.list", filter).await;
        assert_eq!(started["items"], json!([]), "{change}");
        assert!(desk.service.received().is_empty(), "{change}: a request was sent");
    }
    let answer = desk.member().call("desk__add_note", note()).await;
    assert_eq!((answer.status(), desk.service.received().len()), (200, 1), "{answer:?}");
}

#[both_databases]
async fn a_right_that_is_lost_during_an_approval_sends_nothing(db: TestDb) {
    let (desk, sql) = desk(db).await;
    desk.answers(200, json!({"subject": "Printer", "version": 3}));
    let id = desk.member().pending("desk__close_ticket", json!({"id": 7})).await;
    // The approval counts its second look at the target, and then begins its transaction.
    *sql.lock().unwrap() = Some(DEMOTE);
    let error = desk.app.owner().approve(id).await.unwrap_err();
    assert!(sql.lock().unwrap().is_none(), "the target was looked up");
    assert!([ErrorCode::PermissionDenied, ErrorCode::Void].contains(&error.code), "{error:?}");
    assert!(desk.service.lines().iter().all(|line| line.starts_with("GET")), "the ticket was closed");
}

#[both_databases]
async fn nothing_is_sent_without_its_start_row(db: TestDb) {
    let desk = Desk::new(db).await;
    desk.app.db.raw_sql("ALTER TABLE action_log RENAME TO action_log_gone").await;
    let answer = desk.member().call("desk__add_note", note()).await;
    desk.app.db.raw_sql("ALTER TABLE action_log_gone RENAME TO action_log").await;
    assert_eq!(code(&answer), ErrorCode::AuditUnavailable, "{answer:?}");
    assert!(desk.service.received().is_empty(), "a request was sent");
    let calls =
        desk.app.engine.open_calls(&desk.member().authenticated, &OpenCallFilter::default()).await.unwrap();
    assert!(calls.items.is_empty(), "{calls:?}");
}

#[both_databases]
async fn a_tool_that_became_another_kind_runs_as_that(db: TestDb) {
    let desk = Desk::new(db).await;
    let mut document = super::desk();
    let http = document["tools"][1]["http"].take();
    for round in 0..3 {
        let tool = document["tools"][1].as_object_mut().unwrap();
        tool.remove("http");
        tool.insert("client".into(), json!({}));
        desk.app.owner().done("toolsets.put", json!({"slug": "desk", "document": document})).await;
        assert_eq!(desk.member().call("desk__add_note", note()).await.status(), 202);
        let tool = document["tools"][1].as_object_mut().unwrap();
        tool.remove("client");
        tool.insert("http".into(), http.clone());
        desk.app.owner().done("toolsets.put", json!({"slug": "desk", "document": document})).await;
        assert_eq!(desk.member().call("desk__add_note", note()).await.status(), 200);
        assert_eq!(desk.service.received().len(), round + 1);
    }
}
