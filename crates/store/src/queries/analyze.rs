//! Keeps PostgreSQL's plans true to the size of its tables.
//!
//! Connections plan a statement once (`backend/postgres.rs`), and a plan made while a table was empty walks through all of it when it
//! has grown. Autovacuum's ANALYZE makes everybody plan again, but looks only once a minute; a new deployment fills its
//! tables in seconds. Large tables are left to autovacuum: those don't grow like that in a minute.

use futures_util::FutureExt as _;

use crate::backend::{Db, StoreError};

/// Looks at tables that have grown; how many. The function does it as the owner of the tables, for the workers alone
/// (migration 76). SQLite has none: it plans by its indexes alone.
pub async fn refresh(db: &Db) -> Result<i64, StoreError> {
    if db.pg().is_none() {
        return Ok(0);
    }
    db.write_as_worker(|tx| {
        async move {
            Ok(per_backend!(tx,
                sqlite _c => Ok::<_, sqlx::Error>(0),
                pg c => sqlx::query_scalar("SELECT refresh_plans()").fetch_one(c).await,
            )?)
        }
        .boxed()
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_table_is_looked_at_when_it_has_grown() {
        let test = toolcrib_testkit::postgres().await;
        let db = Db::open_pg(&test.url(), 3).await.unwrap();
        refresh(&db).await.unwrap();
        test.sabotage("CREATE TABLE growing (text TEXT) WITH (autovacuum_enabled = off)").await;
        for (rows, looked) in [(0, 0), (1_000, 1), (0, 0), (1_000, 0), (9_000, 1), (0, 0)] {
            let more = format!("INSERT INTO growing SELECT repeat('x', 100) FROM generate_series(1, {rows})");
            test.sabotage(&more).await;
            assert_eq!(refresh(&db).await.unwrap(), looked, "{rows} rows more");
        }
        db.close().await;
    }
}
