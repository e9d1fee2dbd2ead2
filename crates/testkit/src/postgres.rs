//! Databases on the test server: one migrated template for all processes, and a copy of it for each test.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
    thread,
};

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use tokio::sync::OnceCell;
use toolcrib_store::Db;

/// The key of the advisory lock that a process holds while it makes the template.
const LOCK: i64 = 0x746f_6f6c_6372_6962;

static TEMPLATE: OnceCell<String> = OnceCell::const_new();

/// A copy of the template, dropped with this value.
pub struct Database {
    server: String,
    url: String,
    name: String,
}

impl Database {
    pub async fn create() -> Self {
        let server = server();
        let template = TEMPLATE.get_or_init(|| make_template(&server)).await;
        let mut admin = connect(&server).await;
        let name: String =
            sqlx::query_scalar("SELECT 't_' || replace(CAST(gen_random_uuid() AS TEXT), '-', '')")
                .fetch_one(&mut admin)
                .await
                .expect("the server makes a name");
        run(&mut admin, &format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
        admin.close().await.expect("the connection closes");
        Self { url: url_of(&server, &name), server, name }
    }

    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Database {
    /// Runs on a separate thread, because the test's runtime is blocked by this drop. A failure leaves a
    /// database on a server that is discarded anyway.
    fn drop(&mut self) {
        let (server, name) = (self.server.clone(), self.name.clone());
        let dropping = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
            runtime.block_on(async {
                let mut admin = PgConnection::connect(&server).await.ok()?;
                let sql = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
                admin.execute(AssertSqlSafe(sql)).await.ok()?;
                admin.close().await.ok()
            })
        });
        drop(dropping.join());
    }
}

fn server() -> String {
    given("TEST_PG_URL")
}

/// Returns `HOST:PORT` of the pooler in transaction mode before the test server. It accepts every login of the server.
pub fn pooler() -> String {
    let url = given("TEST_POOLER_URL");
    url.strip_prefix("postgres://").expect("TEST_POOLER_URL is postgres://HOST:PORT").to_owned()
}

#[expect(clippy::disallowed_methods, reason = "tests take no settings: the servers are the runner's affair")]
fn given(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| {
        panic!("start services with scripts/services and export {variable}, or run scripts/test")
    })
}

/// Returns the name of the template, which contains a hash of the schema, so that only processes with the
/// same schema share it. Creates the template if it is missing.
async fn make_template(server: &str) -> String {
    let name = format!("template_{:016x}", schema_hash());
    let mut admin = connect(server).await;
    sqlx::query("SELECT pg_advisory_lock($1)")
        .bind(LOCK)
        .execute(&mut admin)
        .await
        .expect("the lock is given");
    let made: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)")
        .bind(&name)
        .fetch_one(&mut admin)
        .await
        .expect("the server lists its databases");
    if !made {
        // Use another name until the template is complete, so that a process that dies here leaves no
        // incomplete template.
        let unfinished = format!("{name}_unfinished");
        run(&mut admin, &format!("DROP DATABASE IF EXISTS {unfinished} WITH (FORCE)")).await;
        run(&mut admin, &format!("CREATE DATABASE {unfinished} TEMPLATE template0")).await;
        let db = Db::open_pg(&url_of(server, &unfinished), 1).await.expect("the schema is created");
        db.close().await;
        disconnect(&mut admin, &unfinished).await;
        run(&mut admin, &format!("ALTER DATABASE {unfinished} RENAME TO {name}")).await;
    }
    admin.close().await.expect("the connection closes");
    name
}

/// Terminates the connections to a database. A server process may outlive its connection by a moment, and a
/// database that is in use can't be renamed.
async fn disconnect(admin: &mut PgConnection, database: &str) {
    sqlx::query("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1")
        .bind(database)
        .execute(admin)
        .await
        .expect("what is still connected goes");
}

fn schema_hash() -> u64 {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations/postgres");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the schema is there")
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    let mut hash = DefaultHasher::new();
    for file in files {
        (file.file_name(), std::fs::read(&file).expect("a readable schema")).hash(&mut hash);
    }
    hash.finish()
}

/// Returns the URL of another database on the same server.
fn url_of(server: &str, database: &str) -> String {
    let (base, query) = server.split_once('?').map_or((server, ""), |(base, query)| (base, query));
    let base = base.rsplit_once('/').expect("TEST_PG_URL ends with /DATABASE").0;
    if query.is_empty() { format!("{base}/{database}") } else { format!("{base}/{database}?{query}") }
}

pub async fn connect(url: &str) -> PgConnection {
    PgConnection::connect(url).await.expect("the server answers")
}

async fn run(admin: &mut PgConnection, sql: &str) {
    admin.execute(AssertSqlSafe(sql.to_owned())).await.expect("the superuser may do this");
}
