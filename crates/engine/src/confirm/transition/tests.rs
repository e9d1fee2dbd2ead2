use toolcrib_testkit::{NOW, sqlite, write};

use super::*;

/// In production, the lock of the record prevents a concurrent decision. Without it, the transition must
/// fail.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_finds_no_open_record_is_refused() {
    let db = sqlite().await;
    let done = write(&db, Id::from_u128(1), async |tx| {
        let step = confirmations::Transition {
            to: ConfirmationStatus::Denied,
            now: NOW,
            by: None,
            reason: None,
            phrase_attempts: 0,
            call_id: None,
            result: None,
            edited: None,
            history: "[]".into(),
            superseded_by: None,
        };
        apply(tx, &row(ConfirmationStatus::Pending), &step).await
    })
    .await;
    assert!(matches!(done, Err(EarlyExit::Failed(error)) if error.code == ErrorCode::AlreadyDecided));
}

fn row(status: ConfirmationStatus) -> ConfirmationRow {
    let id = Id::from_u128(1);
    let text = String::new;
    ConfirmationRow {
        id,
        action: text(),
        call: confirmations::RequestedCall {
            schema_digest: text(),
            arguments: text(),
            arguments_digest: text(),
            target_id: None,
            target_label: None,
            target_detail: None,
            target_version: None,
            upstream_target: None,
            repaired: None,
            summary: text(),
            more: 0,
            requester: text(),
        },
        warning: None,
        level: text(),
        requester_kind: text(),
        requester_id: id,
        requester_user_id: None,
        session: None,
        tool_call_id: None,
        tool_format: None,
        via: toolcrib_model::Via::Direct,
        surface: toolcrib_model::Surface::Rest,
        request_id: text(),
        idempotency_key: None,
        status,
        phrase_attempts: 0,
        created_at: NOW,
        expires_at: NOW.plus_seconds(900),
        decided_at: None,
        decided_by: None,
        reason: None,
        call_id: None,
        result: None,
        history: text(),
        superseded_by: None,
    }
}

#[test]
fn a_confirmation_whose_call_runs_is_decided_and_has_its_own_error() {
    use ConfirmationStatus::{AwaitingPhrase, Pending, Running, Unknown};
    for status in [Pending, AwaitingPhrase] {
        assert!(closed(&row(status), NOW).is_none());
    }
    for (status, expected) in [(Running, ErrorCode::InProgress), (Unknown, ErrorCode::OutcomeUnknown)] {
        let error = closed(&row(status), NOW).unwrap();
        assert_eq!(error.code, ErrorCode::AlreadyDecided, "{status}");
        assert_eq!(ended(status, None).code, expected, "{status}");
    }
}
