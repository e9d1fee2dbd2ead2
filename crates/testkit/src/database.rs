//! A fresh, migrated database for each test.

use std::{
    ops::Deref,
    path::{Path, PathBuf},
    sync::Arc,
};

use sqlx::{
    ConnectOptions as _, SqlStr,
    migrate::{Migration, MigrationType, Migrator},
};
use tempfile::TempDir;
use tokio::sync::OnceCell;
use toolcrib_model::Id;
use toolcrib_store::{Db, PackSchema, StoreError, WriteTx, pack_schemas};

use crate::postgres::{Database, connect};

/// A database for one test, deleted when this value is dropped.
pub struct TestDb {
    db: Db,
    location: DatabaseLocation,
}

enum DatabaseLocation {
    Folder(TempDir),
    Server(Database),
}

impl TestDb {
    /// Returns the URL: `sqlite:` with the path of the file, or the URL of the PostgreSQL database with its
    /// superuser.
    pub fn url(&self) -> String {
        match &self.location {
            DatabaseLocation::Folder(folder) => format!("sqlite:{}", file_in(folder).display()),
            DatabaseLocation::Server(database) => database.url().to_owned(),
        }
    }

    /// Makes the tables of packs, as the program does at its start.
    pub async fn migrate_packs(&self, packs: &[Arc<PackSchema>]) -> Result<(), StoreError> {
        match &self.location {
            DatabaseLocation::Folder(folder) => pack_schemas::migrate_sqlite(&file_in(folder), packs).await?,
            DatabaseLocation::Server(database) => pack_schemas::migrate_pg(database.url(), packs).await?,
        }
        pack_schemas::check(&self.db, packs).await
    }

    /// Runs SQL as the database's owner, without the store's checks: to damage the database, or to read what
    /// the store does not offer.
    pub async fn raw_sql(&self, sql: &str) {
        let sql = sqlx::AssertSqlSafe(sql.to_owned());
        let done = match &self.location {
            DatabaseLocation::Folder(folder) => {
                sqlx::raw_sql(sql).execute(&mut open(&file_in(folder)).await).await.map(|_| ())
            }
            DatabaseLocation::Server(database) => {
                sqlx::raw_sql(sql).execute(&mut connect(database.url()).await).await.map(|_| ())
            }
        };
        done.expect("the SQL runs");
    }

    /// Returns SQL for `count` rows that one statement inserts: a clause that begins it and has the numbers from 1 as
    /// `numbers(n)`, and the id that `n` stands for.
    pub fn numbered_rows(&self, count: usize) -> (String, &'static str) {
        let numbers = format!(
            "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})"
        );
        let sqlite = self.kind() == "sqlite";
        (numbers, if sqlite { "unhex(printf('%032x', n))" } else { "CAST(lpad(to_hex(n), 32, '0') AS UUID)" })
    }

    /// Sets the display name of a member in each workspace.
    pub async fn set_display_name(&self, user: Id, name: &str) {
        let id = if self.kind() == "sqlite" { format!("X'{}'", user.simple()) } else { format!("'{user}'") };
        self.raw_sql(&format!("UPDATE members SET display_name = '{name}' WHERE user_id = {id}")).await;
    }

    /// Begins a transaction with this SQL, such as one that takes a lock, and leaves it open until it is
    /// released.
    pub async fn open_transaction(&self, sql: &str) -> OpenTransaction {
        match &self.location {
            DatabaseLocation::Folder(folder) => open_sqlite_transaction(&file_in(folder), sql).await,
            DatabaseLocation::Server(database) => open_pg_transaction(database.url(), sql).await,
        }
    }

    /// Runs a query of one number past the store, on PostgreSQL as its superuser.
    pub async fn number(&self, sql: &str) -> i64 {
        let sql = sqlx::AssertSqlSafe(sql.to_owned());
        let found = match &self.location {
            DatabaseLocation::Folder(folder) => {
                sqlx::query_scalar(sql).fetch_one(&mut open(&file_in(folder)).await).await
            }
            DatabaseLocation::Server(database) => {
                sqlx::query_scalar(sql).fetch_one(&mut connect(database.url()).await).await
            }
        };
        found.expect("it answers with a number")
    }

    /// Returns everything that is stored, as bytes to be searched: the files, or every row of every table as
    /// text.
    pub async fn everything(&self) -> Vec<u8> {
        match &self.location {
            DatabaseLocation::Folder(folder) => {
                let files = std::fs::read_dir(folder.path()).expect("the folder is read");
                let paths = files.map(|file| file.expect("a file").path());
                paths.flat_map(|path| std::fs::read(path).expect("the file is read")).collect()
            }
            DatabaseLocation::Server(database) => rows_as_text(database.url()).await.into_bytes(),
        }
    }
}

/// An open transaction on a separate connection.
pub enum OpenTransaction {
    /// A transaction on a SQLite file.
    Sqlite(sqlx::SqliteConnection),
    /// A transaction on a PostgreSQL server.
    Pg(sqlx::PgConnection),
}

impl OpenTransaction {
    /// Rolls the transaction back.
    pub async fn release(self) {
        self.end("ROLLBACK").await;
    }

    pub async fn commit(self) {
        self.end("COMMIT").await;
    }

    async fn end(self, sql: &'static str) {
        let done = match self {
            Self::Sqlite(mut conn) => sqlx::raw_sql(sql).execute(&mut conn).await.map(|_| ()),
            Self::Pg(mut conn) => sqlx::raw_sql(sql).execute(&mut conn).await.map(|_| ()),
        };
        done.expect("the transaction ends");
    }
}

/// Begins a transaction on a SQLite file with this SQL, such as `BEGIN IMMEDIATE`, and leaves it open.
pub async fn open_sqlite_transaction(file: &Path, sql: &str) -> OpenTransaction {
    let mut conn = open(file).await;
    let sql = sqlx::AssertSqlSafe(sql.to_owned());
    sqlx::raw_sql(sql).execute(&mut conn).await.expect("it is taken");
    OpenTransaction::Sqlite(conn)
}

/// Does the same as [`open_sqlite_transaction`] on a PostgreSQL server; the transaction is begun already.
pub async fn open_pg_transaction(url: &str, sql: &str) -> OpenTransaction {
    let mut conn = connect(url).await;
    let sql = sqlx::AssertSqlSafe(format!("BEGIN; {sql}"));
    sqlx::raw_sql(sql).execute(&mut conn).await.expect("it is taken");
    OpenTransaction::Pg(conn)
}

async fn rows_as_text(url: &str) -> String {
    let mut conn = connect(url).await;
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

/// A migrated file, copied for every test of the process, because making the schema takes longer than most tests.
static TEMPLATE: OnceCell<Vec<u8>> = OnceCell::const_new();

async fn make_template() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = folder.path().join("copy.db");
    let db = Db::open_sqlite(&file_in(&folder)).await.expect("a new SQLite file opens");
    let sql = sqlx::AssertSqlSafe(format!("VACUUM INTO '{}'", copy.display()));
    sqlx::raw_sql(sql).execute(&mut open(&file_in(&folder)).await).await.expect("it is copied");
    db.close().await;
    std::fs::read(copy).expect("the copy is read")
}

/// Returns a fresh SQLite database in a temporary file.
pub async fn sqlite() -> TestDb {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let template = TEMPLATE.get_or_init(make_template).await;
    std::fs::write(file_in(&folder), template).expect("the template is copied");
    let db = Db::open_sqlite(&file_in(&folder)).await.expect("a new SQLite file opens");
    TestDb { db, location: DatabaseLocation::Folder(folder) }
}

/// Creates a database on the PostgreSQL server of `TEST_PG_URL`.
pub async fn postgres() -> TestDb {
    let database = Database::create().await;
    let db = Db::open_pg(database.url(), 8).await.expect("a new PostgreSQL database opens");
    TestDb { db, location: DatabaseLocation::Server(database) }
}

/// Makes the schema of a pack of one migration, for SQLite and for PostgreSQL.
pub fn pack_schema(
    slug: &'static str,
    sqlite: &'static str,
    postgres: &'static str,
    tables: &'static [&'static str],
) -> PackSchema {
    let migrator = |sql| {
        let (kind, text) = (MigrationType::Simple, SqlStr::from_static(sql));
        Migrator::with_migrations(vec![Migration::new(1, "tables".into(), kind, text, false)])
    };
    PackSchema::new(slug, &migrator(sqlite), &migrator(postgres), tables)
}

/// Runs SQL on any SQLite file, in one transaction.
pub async fn change_sqlite_file(file: &Path, sql: &str) {
    open_sqlite_transaction(file, &format!("BEGIN; {sql}")).await.commit().await;
}

/// Runs the migrations of a later version on a PostgreSQL database: the SQL of each is a migration behind those of this
/// build.
pub async fn migrate_later(url: &str, later: &[&'static str]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations/postgres");
    let present = Migrator::new(folder).await.expect("the migrations are read");
    let mut all: Vec<Migration> = present.iter().cloned().collect();
    for sql in later {
        let version = all.last().map_or(1, |last| last.version + 1);
        let (kind, text) = (MigrationType::Simple, SqlStr::from_static(sql));
        all.push(Migration::new(version, "later".into(), kind, text, false));
    }
    Migrator::with_migrations(all).run(&mut connect(url).await).await.expect("the migrations run");
}

async fn open(file: &Path) -> sqlx::SqliteConnection {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
    options.connect().await.expect("the file opens")
}

fn file_in(folder: &TempDir) -> PathBuf {
    folder.path().join("toolcrib.db")
}

/// Begins a write, runs `work`, and commits after `Ok` or rolls back after `Err`.
pub async fn write<T, E: From<StoreError>>(
    db: &Db,
    workspace: Id,
    work: impl AsyncFnOnce(&mut WriteTx) -> Result<T, E>,
) -> Result<T, E> {
    let mut tx = db.begin_write(workspace).await?;
    let outcome = work(&mut tx).await;
    tx.end(outcome).await
}
