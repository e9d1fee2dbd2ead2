//! The status of a confirmation changes by the steps of its state machine only, and the end of a call that
//! runs outside the service keeps what the approval stored.

use std::time::Duration;

use tokio::{sync::oneshot, time::timeout};
use toolcrib_model::{
    ConfirmationStatus::{self, *},
    Id, Surface, Ts, Via,
};
use toolcrib_store::{
    ActorIds, Db, StoreError,
    confirmations::{self, ConfirmationRow, RequestedCall, Transition},
};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, clock, seed, write};

const ID: Id = Id::from_u128(1);
const DECIDER: Id = Id::from_u128(2);

/// A confirmation that expires after 15 minutes.
fn pending() -> ConfirmationRow {
    let call = RequestedCall {
        schema_digest: "s".into(),
        arguments: "{}".into(),
        arguments_digest: "a".into(),
        target_id: None,
        target_label: None,
        target_detail: None,
        target_version: None,
        upstream_target: None,
        repaired: None,
        summary: "[]".into(),
        more: 0,
        requester: "{}".into(),
    };
    ConfirmationRow {
        id: ID,
        action: "desk__delete_draft".into(),
        call,
        warning: None,
        level: "typed".into(),
        requester_kind: "user".into(),
        requester_id: Id::from_u128(3),
        requester_user_id: Some(Id::from_u128(3)),
        session: None,
        tool_call_id: None,
        tool_format: None,
        via: Via::Direct,
        surface: Surface::Rest,
        request_id: "request".into(),
        idempotency_key: None,
        status: Pending,
        phrase_attempts: 0,
        created_at: NOW,
        expires_at: NOW.plus_seconds(900),
        decided_at: None,
        decided_by: None,
        reason: None,
        call_id: None,
        result: None,
        history: "[]".into(),
        superseded_by: None,
    }
}

async fn insert(db: &Db, workspace: Id) {
    let done = write(db, workspace, async |tx| confirmations::insert(tx, &pending()).await).await;
    done.unwrap();
}

/// A decision without a call.
fn decision(to: ConfirmationStatus) -> Transition<'static> {
    Transition {
        to,
        now: NOW,
        by: Some(DECIDER),
        reason: None,
        phrase_attempts: 0,
        call_id: None,
        result: None,
        edited: None,
        history: "[1]".into(),
        superseded_by: None,
    }
}

/// Makes a step at this time. With `by`, it is a decision.
async fn step(
    db: &Db,
    workspace: Id,
    (from, to): (ConfirmationStatus, ConfirmationStatus),
    now: Ts,
    by: Option<Id>,
) -> bool {
    write::<_, StoreError>(db, workspace, async |tx| {
        let transition = Transition {
            now,
            by,
            reason: by.map(|_| "fine"),
            call_id: Some(Id::from_u128(4)),
            result: to.has_ended().then(|| "{}".to_owned()),
            ..decision(to)
        };
        let row = ConfirmationRow { status: from, ..confirmations::lock(tx, ID).await?.unwrap() };
        let Some(changed) = confirmations::transition(tx, &row, &transition).await? else {
            return Ok(false);
        };
        let stored = confirmations::get(tx, ID).await?.unwrap();
        assert_eq!(format!("{changed:?}"), format!("{stored:?}"), "as it is stored");
        Ok(true)
    })
    .await
    .unwrap()
}

async fn stored(db: &Db, workspace: Id) -> ConfirmationRow {
    let mut tx = db.read(workspace).await.unwrap();
    let row = confirmations::get(&mut tx, ID).await.unwrap().unwrap();
    tx.end().await.unwrap();
    row
}

async fn a_run_ends_as(db: &Db, place: Id, first: ConfirmationStatus, end: ConfirmationStatus) {
    let (approved, much_later) = (NOW.plus_seconds(60), NOW.plus_seconds(3_600));
    assert!(!step(db, place, (first, Running), NOW.plus_seconds(900), Some(DECIDER)).await, "it expired");
    assert!(step(db, place, (first, Running), approved, Some(DECIDER)).await);
    for wrong in [Pending, AwaitingPhrase, Running, Denied, Expired, Superseded, Void] {
        assert!(!step(db, place, (Running, wrong), much_later, None).await, "{wrong}");
    }
    let mut tx = db.read(place).await.unwrap();
    let open = confirmations::count_open(&mut tx, pending().requester(), Surface::Rest, NOW).await.unwrap();
    assert_eq!(open, (0, 0), "a call that runs waits for nobody");
    tx.end().await.unwrap();
    assert_eq!(confirmations::overdue(db, much_later, 10).await.unwrap(), [], "and does not expire");

    assert!(step(db, place, (Running, end), much_later, None).await);
    let row = stored(db, place).await;
    assert_eq!((row.status, row.result.as_deref(), row.call_id), (end, Some("{}"), Some(Id::from_u128(4))));
    let decision = (row.decided_at, row.decided_by, row.reason.as_deref());
    assert_eq!(decision, (Some(approved.as_micros()), Some(DECIDER), Some("fine")));
    for to in ConfirmationStatus::ALL {
        assert!(!step(db, place, (end, *to), much_later, None).await, "{end} is an end");
    }
}

#[both_databases]
async fn a_call_that_runs_elsewhere_ends_once_and_keeps_its_decision(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    insert(&db, world.workspace).await;
    assert!(step(&db, world.workspace, (Pending, AwaitingPhrase), NOW, Some(DECIDER)).await);
    let row = stored(&db, world.workspace).await;
    assert_eq!((row.decided_at, row.decided_by, row.reason), (None, None, None), "nothing is decided yet");
    a_run_ends_as(&db, world.workspace, AwaitingPhrase, Unknown).await;
    for (prefix, end) in [("one-", Executed), ("two-", Failed)] {
        let other = toolcrib_testkit::seed_named(&db, &clock(), &ids, prefix).await;
        insert(&db, other.workspace).await;
        assert!(!step(&db, other.workspace, (Pending, Unknown), NOW, None).await, "nothing was started");
        a_run_ends_as(&db, other.workspace, Pending, end).await;
    }
}

/// In production the row is locked since it was read.
#[both_databases]
async fn a_step_from_a_status_of_the_past_changes_nothing(db: TestDb) {
    let world = seed(&db, &clock(), &TestIds::default()).await;
    insert(&db, world.workspace).await;
    assert!(step(&db, world.workspace, (Pending, Denied), NOW, Some(DECIDER)).await);
    for first in [Pending, AwaitingPhrase] {
        assert!(!step(&db, world.workspace, (first, Running), NOW, Some(DECIDER)).await, "{first}");
    }
    assert_eq!(stored(&db, world.workspace).await.status, Denied);
}

#[both_databases]
async fn a_step_with_an_edit_returns_the_confirmation_as_it_is_stored(db: TestDb) {
    let world = seed(&db, &clock(), &TestIds::default()).await;
    insert(&db, world.workspace).await;
    let changed = write(&db, world.workspace, async |tx| {
        let row = pending();
        let edited = RequestedCall { arguments: "{\"id\":2}".into(), ..row.call.clone() };
        let transition = Transition { edited: Some(&edited), ..decision(AwaitingPhrase) };
        confirmations::transition(tx, &row, &transition).await
    })
    .await
    .unwrap();
    let changed = changed.unwrap();
    assert_eq!((changed.status, changed.call.arguments.as_str()), (AwaitingPhrase, "{\"id\":2}"));
    assert_eq!(format!("{changed:?}"), format!("{:?}", stored(&db, world.workspace).await));
}

#[both_databases]
async fn a_decision_waits_until_the_one_before_has_ended(db: TestDb) {
    let workspace = seed(&db, &clock(), &TestIds::default()).await.workspace;
    insert(&db, workspace).await;
    let ((locked, is_locked), (end, may_end)) = (oneshot::channel(), oneshot::channel());
    let other = db.clone();
    let first = tokio::spawn(async move {
        write(&other, workspace, async |tx| {
            let row = confirmations::lock(tx, ID).await?.unwrap();
            locked.send(()).unwrap();
            may_end.await.unwrap();
            confirmations::transition(tx, &row, &decision(Denied)).await
        })
        .await
        .unwrap()
        .unwrap()
    });
    is_locked.await.unwrap();
    let other = db.clone();
    let mut second = tokio::spawn(async move {
        let (mut tx, access) = other.begin_write_as(workspace, ActorIds::default()).await.unwrap();
        let row = confirmations::lock(&mut tx, ID).await.unwrap().unwrap();
        tx.commit().await.unwrap();
        (access.is_some(), row.status)
    });
    assert!(timeout(Duration::from_millis(200), &mut second).await.is_err(), "it did not wait");
    end.send(()).unwrap();
    assert_eq!(first.await.unwrap().status, Denied);
    assert_eq!(
        second.await.unwrap(),
        (true, Denied),
        "the workspace's policy, and the status after the first"
    );
}
