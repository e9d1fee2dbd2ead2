//! Keeps PostgreSQL's plans true to the size of its tables.
//!
//! Connections plan a statement once (`pg.rs`), and a plan made while a table was empty walks through all of it when it
//! has grown. Autovacuum's ANALYZE makes everybody plan again, but looks only once a minute; a new deployment fills its
//! tables in seconds. Large tables are left to autovacuum: those don't grow like that in a minute.

use sqlx::{AssertSqlSafe, PgPool, Row};

use crate::{Db, StoreError};

/// Tables that were never looked at, or are four times as large since, up to 64 MiB. `relpages` is the size at the last
/// look, in blocks of 8 KiB.
const GROWN: &str = "SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c \
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relkind = 'r' \
    AND pg_relation_size(c.oid) > greatest(c.relpages, 0)::bigint * 4 * 8192 \
    AND pg_relation_size(c.oid) <= 67108864 ORDER BY 1";

/// Looks at tables that have grown; how many. SQLite has none: it plans by its indexes alone.
pub async fn refresh(db: &Db) -> Result<usize, StoreError> {
    match db.pg() {
        Some(pools) => refresh_in(&pools.owner).await,
        None => Ok(0),
    }
}

async fn refresh_in(owner: &PgPool) -> Result<usize, StoreError> {
    let mut names = Vec::new();
    for row in sqlx::query(GROWN).fetch_all(owner).await? {
        names.push(row.try_get::<String, _>("name")?);
    }
    if !names.is_empty() {
        // Other processes may be at the same table: one look is enough.
        let sql = format!("ANALYZE (SKIP_LOCKED) {}", names.join(", "));
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(owner).await?;
    }
    Ok(names.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pg::PgPools;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_table_is_looked_at_when_it_has_grown() {
        let db = toolcrib_testkit::postgres().await;
        let pools = PgPools::open(&db.url().parse().unwrap(), 1).await.unwrap();
        let owner = &pools.owner;
        refresh_in(owner).await.unwrap();
        sqlx::raw_sql("CREATE TABLE growing (text TEXT) WITH (autovacuum_enabled = off)")
            .execute(owner)
            .await
            .unwrap();
        for (rows, looked) in [(0, 0), (1_000, 1), (0, 0), (1_000, 0), (9_000, 1), (0, 0)] {
            sqlx::query("INSERT INTO growing SELECT repeat('x', 100) FROM generate_series(1, $1)")
                .bind(rows)
                .execute(owner)
                .await
                .unwrap();
            assert_eq!(refresh_in(owner).await.unwrap(), looked, "{rows} rows more");
        }
        pools.close().await;
    }
}
