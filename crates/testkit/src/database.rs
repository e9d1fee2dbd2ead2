//! A fresh, migrated database for one test.

use std::{ops::Deref, path::PathBuf};

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
