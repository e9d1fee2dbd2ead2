use toolcrib_testkit::{NOW, sqlite};

use super::*;

/// In production, the lock of the record prevents a concurrent decision. Without it, the transition must
/// fail.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_finds_no_open_record_is_refused() {
    let db = sqlite().await;
    let done: Result<(), EarlyExit> = db
        .write(Id::from_u128(1), |tx| {
            Box::pin(async move {
                let step = confirmations::Transition {
                    from: ConfirmationStatus::Pending,
                    to: ConfirmationStatus::Denied,
                    now: NOW,
                    by: None,
                    reason: None,
                    phrase_attempts: 0,
                    call_id: None,
                    result: None,
                    edited: None,
                    history: "[]",
                };
                apply(tx, Id::from_u128(2), &step).await
            })
        })
        .await;
    assert!(matches!(done, Err(EarlyExit::Unaudited(error)) if error.code == ErrorCode::AlreadyDecided));
}
