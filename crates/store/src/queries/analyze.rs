//! Keeps PostgreSQL's query plans suitable for the size of the tables.
//!
//! Connections prepare statements once (`backend/postgres.rs`), and a plan that was made while a table was
//! empty scans the whole table after it has grown. ANALYZE makes all connections plan again, but autovacuum
//! runs it only once a minute, and a new deployment fills its tables in seconds. Large tables are left to
//! autovacuum, because they don't grow by such a factor in a minute.

use crate::backend::{Db, StoreError, WORKER_LIMIT, WriteTx, within};

/// Analyzes the tables that have grown and returns their number. On PostgreSQL a function does this as the
/// owner of the tables; only workers may call it. SQLite needs no statistics, because its
/// plans depend only on the indexes.
pub async fn refresh(db: &Db) -> Result<i64, StoreError> {
    if db.is_sqlite() {
        return Ok(0);
    }
    let mut tx = db.begin_write_as_worker().await?;
    let analyzed = within(WORKER_LIMIT, refresh_plans(&mut tx)).await?;
    tx.end(analyzed).await
}

async fn refresh_plans(tx: &mut WriteTx) -> Result<i64, StoreError> {
    per_backend!(tx,
        sqlite _c => Ok(0),
        pg c => sqlx::query_scalar("SELECT refresh_plans()").fetch_one(c).await,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_table_is_looked_at_when_it_has_grown() {
        let test = toolcrib_testkit::postgres().await;
        let db = Db::open_pg(&test.url(), 3).await.unwrap();
        refresh(&db).await.unwrap();
        test.raw_sql("CREATE TABLE growing (text TEXT) WITH (autovacuum_enabled = off)").await;
        for (rows, looked) in [(0, 0), (1_000, 1), (0, 0), (1_000, 0), (9_000, 1), (0, 0)] {
            let more = format!("INSERT INTO growing SELECT repeat('x', 100) FROM generate_series(1, {rows})");
            test.raw_sql(&more).await;
            assert_eq!(refresh(&db).await.unwrap(), looked, "{rows} rows more");
        }
        db.close().await;
    }
}
