//! Responses stored under an idempotency key.

use toolcrib_model::{Id, Ts};
use toolcrib_store::{
    Db, StoreError,
    idempotency::{self, IdempotencyKey, Row},
};
use toolcrib_testkit::{
    NOW, TestDb, TestIds, both_databases, clock, eventually, open_pg_transaction, postgres, seed, seed_named,
    write,
};

const PRINCIPAL: Id = Id::from_u128(1);
const DAY: i64 = 86_400;

fn key(key: &'static str) -> IdempotencyKey<'static> {
    IdempotencyKey { principal: PRINCIPAL, action: "platform_create_agent", key }
}

fn row(digest: &str) -> Row {
    Row {
        arguments_digest: digest.into(),
        status: Some(201),
        body: Some(r#"{"name":"O'Neil"}"#.into()),
        confirmation_id: None,
    }
}

async fn insert(
    db: &Db,
    workspace: Id,
    slot: IdempotencyKey<'static>,
    row: Row,
    now: Ts,
) -> Result<(), StoreError> {
    write(db, workspace, async |tx| idempotency::insert(tx, slot, &row, now, now.plus_seconds(DAY)).await)
        .await
}

async fn find(db: &Db, workspace: Id, slot: IdempotencyKey<'static>, now: Ts) -> Option<Row> {
    let mut tx = db.read(workspace).await.unwrap();
    let found = idempotency::find(&mut tx, slot, now).await.unwrap();
    tx.end().await.unwrap();
    found
}

#[both_databases]
async fn a_stored_answer_holds_until_it_expires(db: TestDb) {
    let world = seed(&db, &clock(), &TestIds::default()).await;
    assert_eq!(find(&db, world.workspace, key("k"), NOW).await, None);
    insert(&db, world.workspace, key("k"), row("a"), NOW).await.unwrap();
    assert_eq!(find(&db, world.workspace, key("k"), NOW).await, Some(row("a")));
    assert_eq!(find(&db, world.workspace, key("k"), NOW.plus_seconds(DAY - 1)).await, Some(row("a")));
    assert_eq!(find(&db, world.workspace, key("k"), NOW.plus_seconds(DAY)).await, None);
}

#[both_databases]
async fn a_key_belongs_to_workspace_principal_and_action(db: TestDb) {
    let ids = TestIds::default();
    let (world, other) = (seed(&db, &clock(), &ids).await, seed_named(&db, &clock(), &ids, "other-").await);
    insert(&db, world.workspace, key("k"), row("a"), NOW).await.unwrap();
    assert_eq!(find(&db, other.workspace, key("k"), NOW).await, None);
    assert_eq!(find(&db, world.workspace, key("K"), NOW).await, None);
    let another = IdempotencyKey { principal: Id::from_u128(2), ..key("k") };
    assert_eq!(find(&db, world.workspace, another, NOW).await, None);
    let another = IdempotencyKey { action: "platform_delete_agent", ..key("k") };
    assert_eq!(find(&db, world.workspace, another, NOW).await, None);
    insert(&db, other.workspace, key("k"), row("b"), NOW).await.unwrap();
    assert_eq!(find(&db, world.workspace, key("k"), NOW).await, Some(row("a")));
}

#[both_databases]
async fn a_valid_key_is_a_duplicate_and_an_expired_one_is_replaced(db: TestDb) {
    let world = seed(&db, &clock(), &TestIds::default()).await;
    insert(&db, world.workspace, key("k"), row("a"), NOW).await.unwrap();
    let second = insert(&db, world.workspace, key("k"), row("b"), NOW.plus_seconds(DAY - 1)).await;
    assert!(matches!(second, Err(StoreError::Duplicate)), "{second:?}");
    assert_eq!(find(&db, world.workspace, key("k"), NOW).await, Some(row("a")));
    let later = NOW.plus_seconds(DAY);
    let waits = Row { status: None, body: None, confirmation_id: Some(Id::from_u128(7)), ..row("c") };
    insert(&db, world.workspace, key("k"), waits.clone(), later).await.unwrap();
    assert_eq!(find(&db, world.workspace, key("k"), later).await, Some(waits));
}

#[both_databases]
async fn of_many_concurrent_inserts_one_succeeds(db: TestDb) {
    let world = seed(&db, &clock(), &TestIds::default()).await;
    let tries = (0..16).map(|n| insert(&db, world.workspace, key("k"), row(&n.to_string()), NOW));
    let ended = futures_util::future::join_all(tries).await;
    assert_eq!(ended.iter().filter(|end| end.is_ok()).count(), 1);
    assert_eq!(ended.iter().filter(|end| matches!(end, Err(StoreError::Duplicate))).count(), 15);
}

#[both_databases]
async fn expired_keys_are_deleted_in_every_workspace(db: TestDb) {
    let ids = TestIds::default();
    let (world, other) = (seed(&db, &clock(), &ids).await, seed_named(&db, &clock(), &ids, "other-").await);
    insert(&db, world.workspace, key("old"), row("a"), NOW).await.unwrap();
    insert(&db, other.workspace, key("old"), row("a"), NOW).await.unwrap();
    insert(&db, other.workspace, key("new"), row("a"), NOW.plus_seconds(1)).await.unwrap();
    let at = NOW.plus_seconds(DAY);
    for deleted in [2, 0] {
        let mut tx = db.begin_write_as_worker().await.unwrap();
        assert_eq!(idempotency::delete_expired(&mut tx, at).await.unwrap(), deleted);
        tx.commit().await.unwrap();
    }
    assert_eq!(find(&db, other.workspace, key("new"), at).await, Some(row("a")));
}

/// The worker waits for a call that takes an expired key anew, and then leaves the key alone.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_taken_anew_meanwhile_is_not_deleted() {
    const WAITING: &str = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() \
        AND wait_event_type = 'Lock'";
    let db = postgres().await;
    let world = seed(&db, &clock(), &TestIds::default()).await;
    insert(&db, world.workspace, key("k"), row("a"), NOW).await.unwrap();
    let at = NOW.plus_seconds(DAY);
    let anew = format!("UPDATE idempotency SET expires_at = {}", at.plus_seconds(DAY).as_micros());
    let anew = open_pg_transaction(&db.url(), &anew).await;
    let worker = (*db).clone();
    let deleting = tokio::spawn(async move {
        let mut tx = worker.begin_write_as_worker().await.unwrap();
        let deleted = idempotency::delete_expired(&mut tx, at).await.unwrap();
        tx.commit().await.unwrap();
        deleted
    });
    eventually("the worker waits", async || db.number(WAITING).await > 0).await;
    anew.commit().await;
    assert_eq!(deleting.await.unwrap(), 0);
    assert_eq!(find(&db, world.workspace, key("k"), at).await, Some(row("a")));
}
