//! A database with the schema of another build is refused before anything in it changes.

use std::{fs, sync::Arc};

use sqlx::{Connection, Executor, SqliteConnection};
use toolcrib_store::{Db, logins, pack_schemas};
use toolcrib_testkit::{TestDb, both_databases, pack_schema, postgres, sqlite};

const OTHER: &str = "made by another build, whose schema can't be upgraded: start with an empty database";

/// Changes of a new database, and the error that follows.
const CASES: [(&str, &str); 5] = [
    ("UPDATE _sqlx_migrations SET checksum = substr(checksum, 2)", OTHER),
    ("UPDATE _sqlx_migrations SET version = 2", OTHER),
    (
        "UPDATE _sqlx_migrations SET checksum = substr(checksum, 2); \
         INSERT INTO _sqlx_migrations SELECT 2, description, installed_on, success, checksum, execution_time \
         FROM _sqlx_migrations",
        OTHER,
    ),
    ("DROP TABLE _sqlx_migrations", OTHER),
    (
        "INSERT INTO _sqlx_migrations SELECT 999999, description, installed_on, success, checksum, \
         execution_time FROM _sqlx_migrations",
        "newer than this program: it has migration 999999",
    ),
];

/// Without these rows the built-in data would be loaded again.
const NOT_LOADED: &str = "DELETE FROM catalogue_versions";

#[tokio::test(flavor = "multi_thread")]
async fn a_sqlite_file_of_another_build_is_refused_and_keeps_its_bytes() {
    let (db, folder) = (sqlite().await, tempfile::tempdir().unwrap());
    for (change, reason) in CASES {
        // The copy has no WAL, so that the journal mode would change too.
        let file = folder.path().join("copy.db");
        db.raw_sql(&format!("VACUUM INTO '{}'", file.display())).await;
        let mut raw = SqliteConnection::connect(&format!("sqlite:{}", file.display())).await.unwrap();
        raw.execute(NOT_LOADED).await.unwrap();
        raw.execute(change).await.unwrap();
        raw.close().await.unwrap();
        let before = fs::read(&file).unwrap();
        let error = Db::open_sqlite(&file).await.map(drop).unwrap_err().to_string();
        assert!(error.contains(reason), "{change}: {error}");
        assert!(fs::read(&file).unwrap() == before, "{change}: the file changed");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{change}: there are further files");
        fs::remove_file(&file).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_postgresql_database_of_another_build_is_refused_and_keeps_its_rows() {
    const TABLES: &str = "SELECT COUNT(*) FROM pg_class WHERE relnamespace = CAST('public' AS regnamespace)";
    for (change, reason) in CASES {
        let db = postgres().await;
        db.raw_sql(&format!("{NOT_LOADED}; {change}")).await;
        let before = (db.number(TABLES).await, db.everything().await);
        for error in [
            Db::open_pg(&db.url(), 2).await.map(drop).unwrap_err().to_string(),
            logins::migrate(&db.url()).await.unwrap_err().to_string(),
        ] {
            assert!(error.contains(reason), "{change}: {error}");
        }
        assert!((db.number(TABLES).await, db.everything().await) == before, "{change}: the rows changed");
    }
}

/// A pack's tables of another version, newer or changed, are refused by the login that serves too.
#[both_databases]
async fn tables_of_another_version_of_a_pack_are_refused(db: TestDb) {
    const SQLITE: &str = "CREATE TABLE shop_notes (workspace_id TEXT NOT NULL, id TEXT NOT NULL, \
        PRIMARY KEY (workspace_id, id))";
    const PG: &str = "CREATE TABLE shop_notes (workspace_id UUID NOT NULL, id UUID NOT NULL, \
        PRIMARY KEY (workspace_id, id)); SELECT guard_tenant('shop_notes', 'SELECT')";
    const APPLIED: &str = "_sqlx_migrations_shop";
    let packs = [Arc::new(pack_schema("shop", SQLITE, PG, &["shop_notes"]))];
    db.migrate_packs(&packs).await.unwrap();
    let newer = format!(
        "INSERT INTO {APPLIED} SELECT 2, description, installed_on, success, checksum, execution_time \
         FROM {APPLIED}"
    );
    let changed = format!(
        "DELETE FROM {APPLIED} WHERE version = 2; UPDATE {APPLIED} SET checksum = substr(checksum, 2)"
    );
    for change in [newer, changed] {
        db.raw_sql(&change).await;
        let error = pack_schemas::check(&db, &packs).await.unwrap_err().to_string();
        assert!(
            error.contains("pack `shop`: the database has its tables of another version"),
            "{change}: {error}"
        );
    }
}
