//! Many callers at once: of any number of duplicates and approvals, one request is sent.
//!
//! A short run, or a long one with `SOAK=1`. Prints the counts.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use toolcrib_model::{ConfirmationStatus, ErrorCode};
use toolcrib_testkit::{TestDb, both_databases, outside::ServiceAnswer, soak};

use super::{Desk, code, note};

#[both_databases]
async fn duplicates_of_a_key_send_one_request_soak(db: TestDb) {
    let desk = Desk::new(db).await;
    desk.service.answer(ServiceAnswer::After(Duration::from_millis(300)));
    let member = desk.member().with_key("k-1");
    let calls = (0..soak(100, 1_000)).map(|_| member.call("desk__add_note", note()));
    let answers = join_all(calls).await;
    let (done, waited): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status() == 200);
    // A duplicate that waits longer than ten seconds is told so.
    assert!(waited.iter().all(|answer| code(answer) == ErrorCode::InProgress));
    let (kind, sent) = (desk.app.db.kind(), desk.service.received().len());
    println!(
        "duplicates, {kind}: {} calls with one key, {} answered, {sent} requests",
        answers.len(),
        done.len()
    );
    assert!(!done.is_empty());
    assert_eq!(member.call("desk__add_note", note()).await.status(), 200);
    assert_eq!(desk.service.received().len(), 1);
    assert_eq!(sent, 1);
    let other = member.call("desk__add_note", json!({"id": 8, "note": "x"})).await;
    assert_eq!(code(&other), ErrorCode::IdempotencyMismatch);
}

#[both_databases]
async fn one_of_many_approvals_sends_one_request_soak(db: TestDb) {
    let desk = Desk::new(db).await;
    desk.answers(200, json!({"subject": "Printer", "version": 3}));
    let member = desk.member();
    let rounds = soak(3, 300);
    for round in 1..=rounds {
        let id = member.pending("desk__close_ticket", json!({"id": round})).await;
        let shown = member.confirmation(id).await.unwrap();
        assert!(shown.description.contains(&format!("Close ticket {round}")), "{}", shown.description);
        assert!(shown.description.contains("Printer") && shown.description.contains("127.0.0.1"));
        let answers = join_all((0..32).map(|_| member.approve(id))).await;
        let won = answers.iter().filter(|answer| answer.is_ok()).count();
        assert_eq!(won, 1, "{answers:?}");
        let closed = desk.service.lines().into_iter().filter(|line| line.starts_with("POST")).count();
        assert_eq!(closed, round);
        let confirmation = member.confirmation(id).await.unwrap();
        assert_eq!(confirmation.status, ConfirmationStatus::Executed);
    }
    println!("32 approve a call of an upstream, {}: {rounds} rounds, {rounds} requests", desk.app.db.kind());
}
