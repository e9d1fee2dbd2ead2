//! Statements that are kept and sent together.

use sqlx::Row as _;

use super::*;
use crate::backend::{
    SqlValue, pool::StatementForm, postgres::transaction::MAX_KEPT_BYTES, select::Statement,
};

const INSERT: &str = "INSERT INTO kept_rows (id, label) VALUES ($1, $2)";
const UPDATE: &str = "UPDATE kept_rows SET label = $2 WHERE id = $1";

/// A new database with an empty table `kept_rows`, and one connection for writes.
async fn with_table() -> (TestDb, PgPools) {
    let (db, pools) = opened(1).await;
    let table = "CREATE TABLE kept_rows (id BIGINT PRIMARY KEY, label TEXT NOT NULL); \
        GRANT ALL ON kept_rows TO toolcrib_app";
    sqlx::raw_sql(table).execute(pools.owner()).await.unwrap();
    (db, pools)
}

async fn begin(pools: &PgPools) -> PgTx {
    PgTx::begin(&pools.writes, Id::from_u128(0xa), true).await.unwrap()
}

async fn insert(tx: &mut PgTx, id: i64, label: &str) -> Result<(), StoreError> {
    tx.keep(INSERT, &[id.into(), label.into()]).await
}

const LABELS: &str = "SELECT label FROM kept_rows ORDER BY id";

/// The labels that are committed.
async fn stored(pools: &PgPools) -> Vec<String> {
    sqlx::query_scalar(LABELS).fetch_all(pools.owner()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn kept_statements_are_sent_in_order_and_seen_by_the_next_read() {
    let (_db, pools) = with_table().await;
    let mut tx = begin(&pools).await;
    insert(&mut tx, 1, "first").await.unwrap();
    tx.keep(UPDATE, &[1.into(), "changed".into()]).await.unwrap();
    insert(&mut tx, 2, "second").await.unwrap();
    let seen: Vec<String> =
        sqlx::query_scalar(LABELS).fetch_all(tx.connection().await.unwrap()).await.unwrap();
    assert_eq!(seen, ["changed", "second"]);
    tx.keep(UPDATE, &[2.into(), "with the commit".into()]).await.unwrap();
    assert_eq!(stored(&pools).await, [""; 0]);
    tx.commit("").await.unwrap();
    assert_eq!(stored(&pools).await, ["changed", "with the commit"]);
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_drops_what_is_kept() {
    let (_db, pools) = with_table().await;
    let mut tx = begin(&pools).await;
    insert(&mut tx, 1, "before").await.unwrap();
    tx.begin_again(Id::from_u128(0xa)).await.unwrap();
    insert(&mut tx, 2, "after").await.unwrap();
    tx.commit("").await.unwrap();
    assert_eq!(stored(&pools).await, ["after"]);
    let mut tx = begin(&pools).await;
    insert(&mut tx, 3, "refused").await.unwrap();
    tx.end("ROLLBACK").await.unwrap();
    assert_eq!(stored(&pools).await, ["after"]);
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_statement_that_fails_undoes_all_and_leaves_a_usable_connection() {
    let (_db, pools) = with_table().await;
    let mut tx = begin(&pools).await;
    let server = pid(tx.connection().await.unwrap()).await;
    insert(&mut tx, 1, "once").await.unwrap();
    insert(&mut tx, 1, "twice").await.unwrap();
    let refused = tx.commit("").await;
    assert!(matches!(refused, Err(StoreError::Duplicate)), "{refused:?}");
    assert_eq!(stored(&pools).await, [""; 0]);

    let mut tx = begin(&pools).await;
    insert(&mut tx, 1, "once").await.unwrap();
    insert(&mut tx, 1, "twice").await.unwrap();
    let refused = tx.connection().await.map(|_| ());
    assert!(matches!(refused, Err(StoreError::Duplicate)), "{refused:?}");
    tx.end("ROLLBACK").await.unwrap();

    // What was prepared is still prepared, and the connection is the same.
    let mut tx = begin(&pools).await;
    insert(&mut tx, 2, "later").await.unwrap();
    assert_eq!(pid(tx.connection().await.unwrap()).await, server);
    let names = "SELECT COUNT(*) FROM pg_prepared_statements WHERE name LIKE 'statement%'";
    let prepared = sqlx::query(names).fetch_one(tx.connection().await.unwrap()).await.unwrap();
    assert_eq!(prepared.get::<i64, _>(0), 1);
    tx.commit("").await.unwrap();
    assert_eq!(stored(&pools).await, ["later"]);
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_cannot_be_prepared_takes_no_name() {
    let (_db, pools) = with_table().await;
    let mut tx = begin(&pools).await;
    let refused = tx.keep("INSERT INTO no_such_table VALUES ($1)", &[1.into()]).await;
    assert!(matches!(refused, Err(StoreError::Statement(_))), "{refused:?}");
    tx.end("ROLLBACK").await.unwrap();
    let mut tx = begin(&pools).await;
    insert(&mut tx, 1, "first").await.unwrap();
    tx.keep(UPDATE, &[1.into(), "changed".into()]).await.unwrap();
    tx.commit("").await.unwrap();
    assert_eq!(stored(&pools).await, ["changed"]);
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_than_the_limit_waits_in_memory() {
    let (_db, pools) = with_table().await;
    let mut tx = begin(&pools).await;
    let label = "x".repeat(MAX_KEPT_BYTES / 4);
    for id in 0..3 {
        insert(&mut tx, id, &label).await.unwrap();
        assert!(!tx.kept.is_empty());
    }
    insert(&mut tx, 3, &label).await.unwrap();
    assert!(tx.kept.is_empty());
    tx.commit("").await.unwrap();
    assert_eq!(stored(&pools).await.len(), 4);
    pools.close().await;
}

/// Selects the label of a row. Fails for a row whose label is not a number if `number` is set.
fn label(number: bool, values: Vec<SqlValue>) -> Statement {
    const TEXT: &str = "SELECT label FROM kept_rows WHERE $1 IS NOT NULL AND id = $2";
    const NUMBER: &str = "SELECT CAST(label AS BIGINT) FROM kept_rows WHERE $1 IS NOT NULL AND label = $2";
    let sql = if number { NUMBER } else { TEXT };
    Statement { sqlite: sql, pg: sql, values }
}

#[tokio::test(flavor = "multi_thread")]
async fn selects_follow_the_kept_statements_in_one_message() {
    let (_db, pools) = with_table().await;
    let mut tx = begin(&pools).await;
    for (id, text) in [(1, "first"), (2, "second")] {
        insert(&mut tx, id, text).await.unwrap();
    }
    let selects = [3, 2, 1].map(|id| label(false, vec![id.into()]));
    let selects: Vec<&Statement> = selects.iter().collect();
    let rows = tx.select(Id::nil(), &selects).await.unwrap();
    let labels =
        |rows: &Vec<sqlx::postgres::PgRow>| rows.iter().map(|row| row.get(0)).collect::<Vec<String>>();
    assert_eq!(
        rows.iter().map(labels).collect::<Vec<_>>(),
        [vec![], vec!["second".to_owned()], vec!["first".into()]]
    );
    assert_eq!(tx.kept, "");
    // With another number of kept statements.
    insert(&mut tx, 3, "third").await.unwrap();
    let rows = tx.select(Id::nil(), &selects[..1]).await.unwrap();
    assert_eq!(rows.iter().map(labels).collect::<Vec<_>>(), [["third"]]);
    tx.commit("").await.unwrap();
    assert_eq!(stored(&pools).await, ["first", "second", "third"]);
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_select_that_can_not_be_written_leaves_the_kept_statements() {
    let (_db, pools) = with_table().await;
    let mut tx = begin(&pools).await;
    insert(&mut tx, 1, "first").await.unwrap();
    let refused = tx.select(Id::nil(), &[&label(true, vec!["a\0b".into()])]).await;
    assert!(matches!(refused, Err(StoreError::Inconsistent(_))), "{refused:?}");
    tx.commit("").await.unwrap();
    assert_eq!(stored(&pools).await, ["first"]);
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_select_that_fails_undoes_all_and_leaves_a_usable_connection() {
    let (_db, pools) = with_table().await;
    let mut tx = begin(&pools).await;
    insert(&mut tx, 1, "no number").await.unwrap();
    let selects = [label(false, vec![1.into()]), label(true, vec!["no number".into()])];
    let refused = tx.select(Id::nil(), &selects.iter().collect::<Vec<_>>()).await;
    assert!(matches!(refused, Err(StoreError::Statement(_))), "{refused:?}");
    tx.begin_again(Id::nil()).await.unwrap();
    let rows = tx.select(Id::nil(), &[&selects[0]]).await.unwrap();
    assert!(rows[0].is_empty());
    tx.commit("").await.unwrap();
    assert_eq!(stored(&pools).await, [""; 0]);
    pools.close().await;
}

const FORMS: [StatementForm; 2] = [StatementForm::Plain, StatementForm::ChangesRow];

/// Keeps an INSERT and an UPDATE whose outcomes are assumed.
async fn assume(tx: &mut PgTx, inserted: i64, updated: i64) {
    tx.keep_assumed(FORMS[0], INSERT, &[inserted.into(), "inserted".into()]).await.unwrap();
    tx.keep_assumed(FORMS[1], UPDATE, &[updated.into(), "updated".into()]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn assumed_outcomes_that_are_right_are_committed() {
    let (_db, pools) = with_table().await;
    let mut tx = begin(&pools).await;
    assume(&mut tx, 1, 1).await;
    assert_ne!(tx.kept, "");
    tx.commit("").await.unwrap();
    assert_eq!(stored(&pools).await, ["updated"]);
    // At once, the counts are those of the statement alone.
    let mut tx = begin(&pools).await;
    insert(&mut tx, 2, "kept").await.unwrap();
    assert_eq!(tx.execute(UPDATE, &[2.into(), "at once".into()]).await.unwrap(), 1);
    assert_eq!(tx.execute(UPDATE, &[3.into(), "no row".into()]).await.unwrap(), 0);
    tx.commit("").await.unwrap();
    assert_eq!(stored(&pools).await, ["updated", "at once"]);
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_assumption_undoes_all() {
    let (_db, pools) = with_table().await;
    let mut tx = begin(&pools).await;
    insert(&mut tx, 1, "first").await.unwrap();
    tx.commit("").await.unwrap();
    for (inserted, updated) in [(1, 1), (2, 3)] {
        // In the commit.
        let mut tx = begin(&pools).await;
        assume(&mut tx, inserted, updated).await;
        let refused = tx.commit("").await;
        assert!(matches!(refused, Err(StoreError::WrongAssumption)), "{refused:?}");
        // In an earlier message: whoever goes on after the rollback is told nevertheless.
        let mut tx = begin(&pools).await;
        assume(&mut tx, inserted, updated).await;
        assert!(tx.connection().await.is_err());
        tx.begin_again(Id::from_u128(0xa)).await.unwrap();
        assert!(tx.refuted);
        tx.end("ROLLBACK").await.unwrap();
    }
    // A failure of what is not assumed is none of an assumption.
    let mut tx = begin(&pools).await;
    assume(&mut tx, 2, 2).await;
    tx.connection().await.unwrap();
    insert(&mut tx, 1, "twice").await.unwrap();
    let refused = tx.commit("").await;
    assert!(matches!(refused, Err(StoreError::Duplicate)), "{refused:?}");
    assert_eq!(stored(&pools).await, ["first"]);
    pools.close().await;
}
