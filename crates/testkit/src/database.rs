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

    /// Everything that is stored, as bytes to look for a word in: the files, or every row of every table as text.
    pub async fn everything(&self) -> Vec<u8> {
        match &self.place {
            Place::Folder(folder) => {
                let files = std::fs::read_dir(folder.path()).expect("the folder is read");
                let paths = files.map(|file| file.expect("a file").path());
                paths.flat_map(|path| std::fs::read(path).expect("the file is read")).collect()
            }
            Place::Server(database) => rows_as_text(database.url()).await.into_bytes(),
        }
    }
}

async fn rows_as_text(url: &str) -> String {
    let mut conn = sqlx::PgConnection::connect(url).await.expect("the server answers");
    let tables: Vec<String> =
        sqlx::query_scalar("SELECT CAST(tablename AS TEXT) FROM pg_tables WHERE schemaname = 'public'")
            .fetch_all(&mut conn)
            .await
            .expect("the tables are listed");
    let mut text = String::new();
    for table in tables {
        let sql = format!("SELECT COALESCE(string_agg(CAST(t AS TEXT), ' '), '') FROM {table} t");
        let rows: String = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
            .fetch_one(&mut conn)
            .await
            .expect("the table is read");
        text.push_str(&rows);
    }
    text
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
