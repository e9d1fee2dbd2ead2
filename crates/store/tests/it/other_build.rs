//! A database with the schema of another build is refused before anything in it changes.

use std::fs;

use sqlx::{Connection, Executor, SqliteConnection};
use toolcrib_store::{Db, logins};
use toolcrib_testkit::{postgres, sqlite};

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
