//! Rows of both databases, which become the same values.

use sqlx::Connection as _;

use super::*;
use crate::{
    backend::{PgPools, Tx, postgres::PgTx, transaction::Backend},
    queries::STATEMENTS,
};

#[derive(Debug, PartialEq, FromRow)]
struct Row {
    workspace: Id,
    id: Id,
    number: i64,
    flag: bool,
    text: String,
    absent: Option<String>,
    absent_id: Option<Id>,
}

const WORKSPACE: Id = Id::from_u128(0xa);
const TEXT: &str = "it's \\ \"quoted\"\n; -- $1 \u{fc}\u{1f600}";
const VALUES: &str =
    "SELECT $1 AS workspace, $2 AS id, $3 AS number, $4 AS flag, $5 AS text, $6 AS absent, $7 AS absent_id";
const NO_ROW: &str = "SELECT 1 AS only WHERE $1 IS NULL";
const THREE: &str = "SELECT number FROM (SELECT 1 AS number UNION ALL SELECT 2 UNION ALL SELECT 3) numbers \
    WHERE $1 IS NOT NULL ORDER BY number DESC";

fn values() -> Select<Row> {
    let absent: Option<String> = None;
    let absent_id: Option<Id> = None;
    let values = [
        Id::from_u128(0xb).into(),
        (-5).into(),
        true.into(),
        TEXT.into(),
        (&absent).into(),
        absent_id.into(),
    ];
    Select::one(VALUES, values)
}

fn expected() -> Row {
    Row {
        workspace: WORKSPACE,
        id: Id::from_u128(0xb),
        number: -5,
        flag: true,
        text: TEXT.to_owned(),
        absent: None,
        absent_id: None,
    }
}

/// A read on SQLite and one on PostgreSQL.
async fn reads() -> (toolcrib_testkit::TestDb, PgPools, [Tx; 2]) {
    let db = toolcrib_testkit::postgres().await;
    let pools = PgPools::open(&db.url().parse().unwrap(), 1, &STATEMENTS).await.unwrap();
    let pg = PgTx::begin(&pools.reads, WORKSPACE, false).await.unwrap();
    let sqlite = Box::new(SqliteConnection::connect("sqlite::memory:").await.unwrap());
    let reads = [Backend::SqliteWrite(sqlite), Backend::Pg(pg)].map(|backend| Tx::new(backend, WORKSPACE));
    (db, pools, reads)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_value_is_the_same_on_both_databases() {
    let (_db, pools, reads) = reads().await;
    for mut tx in reads {
        // Prepared at the first, and found prepared at the second.
        for _ in 0..2 {
            assert_eq!(tx.fetch(values()).await.unwrap(), expected());
        }
        tx.end().await.unwrap();
    }
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_select_of_a_tuple_gets_its_own_rows() {
    let (_db, pools, reads) = reads().await;
    for mut tx in reads {
        let none = Select::<Option<(i64,)>>::optional(NO_ROW, []);
        let one = Select::<i64>::scalar("SELECT CAST(COUNT(*) AS BIGINT) WHERE $1 IS NOT NULL", []);
        let three = Select::<Vec<(i32,)>>::all(THREE, []);
        let (none, (three, one), row) = tx.fetch((none, (three, one), values())).await.unwrap();
        assert_eq!((none, one), (None, 1));
        assert_eq!(three, [(3,), (2,), (1,)]);
        assert_eq!(row, expected());
        // As with `fetch_optional` of sqlx, the first of several.
        let first = Select::<Option<(i32,)>>::optional(THREE, []);
        assert_eq!(tx.fetch(first).await.unwrap(), Some((3,)));
        tx.end().await.unwrap();
    }
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_database_gets_its_own_text() {
    let (_db, pools, reads) = reads().await;
    for (mut tx, name) in reads.into_iter().zip(["SQLite", "PostgreSQL"]) {
        let select = Select::<String>::scalar("SELECT 'SQLite'", []).on_pg("SELECT 'PostgreSQL'");
        assert_eq!(tx.fetch(select).await.unwrap(), name);
        tx.end().await.unwrap();
    }
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_is_missing_is_an_error() {
    let (_db, pools, reads) = reads().await;
    for mut tx in reads {
        let refused = tx.fetch(Select::<i64>::scalar(NO_ROW, [])).await;
        assert!(refused.is_err(), "{refused:?}");
        tx.end().await.unwrap();
    }
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tuple_is_one_message_to_postgresql() {
    let (_db, pools, [_, mut tx]) = reads().await;
    // The time at which the server received the message, in microseconds.
    let received = || Select::<String>::scalar("SELECT CAST(statement_timestamp() AS TEXT)", []);
    let mut seen = Vec::new();
    // The first round prepares the statement.
    for _ in 0..2 {
        let (first, second) = tx.fetch((received(), received())).await.unwrap();
        assert_eq!(first, second);
        seen.push(first);
    }
    assert_ne!(seen[0], seen[1]);
    tx.end().await.unwrap();
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_select_alone_is_bound_and_those_of_a_tuple_are_executed_by_a_text() {
    // Whether the statement was prepared by a text, for each time it was prepared.
    const PREPARED: &str = "SELECT from_sql FROM pg_prepared_statements WHERE statement LIKE '%absent_id' \
        AND $1 IS NOT NULL ORDER BY from_sql";
    let (_db, pools, [_, mut tx]) = reads().await;
    let prepared = || Select::<Vec<(bool,)>>::all(PREPARED, []);
    tx.fetch(values()).await.unwrap();
    assert_eq!(tx.fetch(prepared()).await.unwrap(), [(false,)]);
    tx.fetch((values(), values())).await.unwrap();
    assert_eq!(tx.fetch(prepared()).await.unwrap(), [(false,), (true,)]);
    tx.end().await.unwrap();
    pools.close().await;
}
