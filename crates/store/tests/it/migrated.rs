//! Databases of an earlier version that have rows, and then all migrations.

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqliteConnection};
use toolcrib_model::Id;
use toolcrib_testkit::postgres as test_database;

use crate::help::raw_pg;

/// Replaces `#1` and `#2` with ids, and `#yes` and `#no` with truth values.
fn rows(text: &str, id: fn(u8) -> String, yes: &str, no: &str) -> AssertSqlSafe<String> {
    let ids = text.replace("#1", &id(1)).replace("#2", &id(2));
    AssertSqlSafe(ids.replace("#yes", yes).replace("#no", no))
}

/// Runs the migrations up to `before`, inserts the rows, and runs the other migrations.
pub async fn sqlite(before: i64, inserts: &str) -> SqliteConnection {
    let all = sqlx::migrate!("../../migrations/sqlite");
    let mut old = SqliteConnection::connect("sqlite::memory:").await.unwrap();
    all.run_to(before, &mut old).await.unwrap();
    old.execute(rows(inserts, |number| format!("X'{number:032x}'"), "1", "0")).await.unwrap();
    all.run(&mut old).await.unwrap();
    old
}

/// The same on PostgreSQL in a database of its own, in which it then calls `find`.
///
/// The tables' owner is not a superuser, as on most hosted PostgreSQL services, so row level security binds
/// it too.
pub async fn postgres<T>(before: i64, inserts: &str, find: impl AsyncFnOnce(&mut PgConnection) -> T) -> T {
    const HAND_OVER: &str = "CREATE ROLE # NOSUPERUSER NOBYPASSRLS; GRANT ALL ON SCHEMA public TO #; \
        GRANT toolcrib_lookup TO #; \
        DO $$ DECLARE found REGCLASS; BEGIN \
        FOR found IN \
            SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP \
            EXECUTE format('ALTER TABLE %s OWNER TO #', found); \
        END LOOP; END $$; SET ROLE #";
    let db = test_database().await;
    let mut admin = raw_pg(&db).await;
    let name: String =
        sqlx::query_scalar("SELECT 'old_' || current_database()").fetch_one(&mut admin).await.unwrap();
    admin.execute(AssertSqlSafe(format!("CREATE DATABASE {name}"))).await.unwrap();
    let server = db.url().rsplit_once('/').unwrap().0.to_owned();
    let mut old = PgConnection::connect(&format!("{server}/{name}")).await.unwrap();
    let all = sqlx::migrate!("../../migrations/postgres");
    all.run_to(before, &mut old).await.unwrap();
    old.execute(rows(inserts, |number| format!("'{}'", Id::from_u128(number.into())), "TRUE", "FALSE"))
        .await
        .unwrap();
    old.execute(AssertSqlSafe(HAND_OVER.replace('#', &name))).await.unwrap();
    all.run(&mut old).await.unwrap();
    old.execute("RESET ROLE").await.unwrap();
    let found = find(&mut old).await;
    old.close().await.unwrap();
    for what in ["DATABASE", "ROLE"] {
        admin.execute(AssertSqlSafe(format!("DROP {what} {name}"))).await.unwrap();
    }
    found
}
