//! A fresh, migrated database for one test.

use std::{ops::Deref, path::PathBuf};

use sqlx::{ConnectOptions, Connection};
use tempfile::TempDir;
use toolcrib_store::Db;

use crate::postgres::Database;

/// A database of its own, gone when it is dropped.
pub struct TestDb {
    db: Db,
    place: Place,
}

enum Place {
    Folder(TempDir),
    Server(Database),
}

impl TestDb {
    /// Where it is: `sqlite:` and the file, or the URL of the PostgreSQL database (as its superuser).
    pub fn url(&self) -> String {
        match &self.place {
            Place::Folder(folder) => format!("sqlite:{}", file_in(folder).display()),
            Place::Server(database) => database.url().to_owned(),
        }
    }
}

impl TestDb {
    /// Runs SQL as the database's owner, behind the back of everything: to break it, or to look where no door leads.
    pub async fn sabotage(&self, sql: &str) {
        let sql = sqlx::AssertSqlSafe(sql.to_owned());
        let done = match &self.place {
            Place::Folder(folder) => {
                let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file_in(folder));
                let mut conn = options.connect().await.expect("the file opens");
                sqlx::raw_sql(sql).execute(&mut conn).await.map(|_| ())
            }
            Place::Server(database) => {
                let mut conn = sqlx::PgConnection::connect(database.url()).await.expect("the server answers");
                sqlx::raw_sql(sql).execute(&mut conn).await.map(|_| ())
            }
        };
        done.expect("the sabotage succeeds");
    }
}

impl Deref for TestDb {
    type Target = Db;

    fn deref(&self) -> &Db {
        &self.db
    }
}

/// SQLite in a temporary file.
pub async fn sqlite() -> TestDb {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let db = Db::open_sqlite(&file_in(&folder)).await.expect("a new SQLite file opens");
    TestDb { db, place: Place::Folder(folder) }
}

/// A new database on the PostgreSQL server that `TEST_PG_URL` names.
pub async fn postgres() -> TestDb {
    let database = Database::create().await;
    let db = Db::open_pg(database.url(), 8).await.expect("a new PostgreSQL database opens");
    TestDb { db, place: Place::Server(database) }
}

fn file_in(folder: &TempDir) -> PathBuf {
    folder.path().join("toolcrib.db")
}
