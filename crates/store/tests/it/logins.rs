//! Three logins that own nothing: what each may do on a real server, and what none may do.

use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, error::DatabaseError};
use toolcrib_store::{Db, Logins, analyze, logins, members, retention};
use toolcrib_testkit::{NOW, TestDb, TestIds, World, clock, outside::Postgres, postgres, seed, seed_named};

use crate::help::{audit_row, raw_pg};

/// Logins with names of their own for each test, because all databases of a server share its logins.
pub fn logins_of(db: &TestDb) -> Logins {
    let url = db.url();
    let (server, name) = url.rsplit_once('/').unwrap();
    let host = server.rsplit_once('@').unwrap().1;
    let login = |what: &str| format!("postgres://{name}_{what}:pass%40word@{host}/{name}");
    Logins { app: login("app"), audit: login("audit"), worker: login("worker"), pooled: false }
}

fn name(url: &str) -> &str {
    url.trim_start_matches("postgres://").split(':').next().unwrap()
}

/// A database with the three logins and two workspaces.
pub async fn made() -> (TestDb, Logins, [World; 2]) {
    let (db, ids) = (postgres().await, TestIds::default());
    let logins = logins_of(&db);
    logins::migrate_for(&db.url(), &logins, &ids, &[]).await.unwrap();
    let worlds = [seed(&db, &clock(), &ids).await, seed_named(&db, &clock(), &ids, "b-").await];
    for world in &worlds {
        db.audit(vec![audit_row(&ids, world.workspace, NOW)]).await.unwrap();
    }
    (db, logins, worlds)
}

/// Removes the logins: they belong to the server and outlive the database.
pub async fn drop_logins(db: &TestDb, logins: &Logins) {
    for url in [&logins.app, &logins.audit, &logins.worker] {
        db.raw_sql(&format!("DROP OWNED BY {0}; DROP ROLE {0}", name(url))).await;
    }
}

async fn refused(conn: &mut PgConnection, sql: &str) -> bool {
    let Err(error) = conn.execute(AssertSqlSafe(sql.to_owned())).await else { return false };
    error.as_database_error().and_then(DatabaseError::code).as_deref() == Some("42501")
}

/// Statements that no login may run.
const REFUSED: &[&str] = &[
    "ALTER TABLE agents DISABLE ROW LEVEL SECURITY",
    "ALTER TABLE action_log NO FORCE ROW LEVEL SECURITY",
    "DROP POLICY tenant ON agents",
    "UPDATE action_log SET action = 'another'",
    "DELETE FROM action_log",
    "TRUNCATE action_log",
    "ALTER TABLE action_log DISABLE TRIGGER ALL",
    "UPDATE audit_chain SET hash = 'another'",
    "DELETE FROM audit_checkpoints",
    "CREATE TABLE mine (text TEXT)",
    "CREATE ROLE another",
    "INSERT INTO operator_keys (id, name, secret_hash, scopes, created_at) \
    VALUES (gen_random_uuid(), 'x', 'x', '[]', 1)",
    "SELECT rolpassword FROM pg_authid",
];

#[tokio::test(flavor = "multi_thread")]
async fn no_login_gets_further_than_its_role() {
    let (db, logins, [a, b]) = made().await;
    let owner: String = sqlx::query_scalar("SELECT CAST(current_user AS TEXT)")
        .fetch_one(&mut raw_pg(&db).await)
        .await
        .unwrap();
    let urls = [&logins.app, &logins.audit, &logins.worker];
    for url in urls {
        let mut conn = PgConnection::connect(url).await.unwrap();
        let me: String =
            sqlx::query_scalar("SELECT CAST(current_user AS TEXT)").fetch_one(&mut conn).await.unwrap();
        assert_eq!(me, name(url));
        let others = urls.into_iter().filter(|other| *other != url).map(|url| name(url));
        let roles = ["toolcrib_app", "toolcrib_audit", "toolcrib_worker", "toolcrib_lookup", owner.as_str()];
        for role in others.chain(roles) {
            assert!(refused(&mut conn, &format!("SET ROLE {role}")).await, "{me}: SET ROLE {role}");
            assert!(
                refused(&mut conn, &format!("SET SESSION AUTHORIZATION {role}")).await,
                "{me}: as {role}"
            );
        }
        conn.execute("RESET ROLE").await.unwrap();
        for sql in REFUSED {
            assert!(refused(&mut conn, sql).await, "{me}: {sql}");
        }
        conn.close().await.unwrap();
    }
    // The settings that remain after `RESET ROLE` still limit the login to the workspace that was set.
    let mut app = PgConnection::connect(&logins.app).await.unwrap();
    let count = async |conn: &mut PgConnection, workspace: &str| -> i64 {
        let sql = format!("BEGIN; SET LOCAL app.workspace_id = '{workspace}'");
        conn.execute(AssertSqlSafe(sql)).await.unwrap();
        conn.execute("RESET ROLE").await.unwrap();
        let sql = format!("SELECT COUNT(*) FROM members WHERE workspace_id = '{}'", b.workspace);
        let found = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut *conn).await.unwrap();
        conn.execute("COMMIT").await.unwrap();
        found
    };
    assert_eq!(count(&mut app, &a.workspace.to_string()).await, 0, "another tenant's rows");
    assert_eq!(count(&mut app, &b.workspace.to_string()).await, 5, "its own");
    app.close().await.unwrap();
    // The other logins read no workspace's data at all.
    for (url, tables) in [
        (&logins.audit, ["members", "agents", "action_log"]),
        (&logins.worker, ["members", "keys", "memories"]),
    ] {
        let mut conn = PgConnection::connect(url).await.unwrap();
        for table in tables {
            assert!(refused(&mut conn, &format!("SELECT * FROM {table}")).await, "{}: {table}", name(url));
        }
        conn.close().await.unwrap();
    }
    drop_logins(&db, &logins).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_service_works_as_three_logins() {
    let (db, logins, [a, _]) = made().await;
    let served = Db::open_pg_as(&logins, 4).await.unwrap();
    assert!(!served.may_become_owner() && db.may_become_owner());
    let mut tx = served.read(a.workspace).await.unwrap();
    assert_eq!(members::get(&mut tx, a.owner).await.unwrap().unwrap().role, "owner");
    tx.end().await.unwrap();
    served.audit(vec![audit_row(&TestIds::default(), a.workspace, NOW.plus_seconds(1))]).await.unwrap();
    analyze::refresh(&served).await.unwrap();
    let mut tx = served.begin_write_as_worker().await.unwrap();
    assert_eq!(retention::events(&mut tx, NOW).await.unwrap(), 0);
    tx.commit().await.unwrap();
    served.close().await;
    drop_logins(&db, &logins).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn migrating_again_changes_nothing_and_gives_what_is_new() {
    let (db, logins, _) = made().await;
    let app = name(&logins.app).to_owned();
    // Somebody holds a table meanwhile: where nothing changes nothing is waited for.
    let held = db.open_transaction("LOCK TABLE agents IN ACCESS SHARE MODE").await;
    logins::migrate_for(&db.url(), &logins, &TestIds::default(), &[]).await.unwrap();
    held.release().await;
    db.raw_sql(&format!(
        "CREATE TABLE notes (workspace_id UUID, text TEXT); SELECT guard_tenant('notes', 'SELECT, INSERT'); \
         CREATE POLICY workers ON notes TO toolcrib_worker USING (true); GRANT UPDATE ON notes TO {app}"
    ))
    .await;
    logins::migrate_for(&db.url(), &logins, &TestIds::default(), &[]).await.unwrap();
    let can = async |right: &str| {
        db.number(&format!(
            "SELECT CAST(CAST(has_table_privilege('{app}', 'notes', '{right}') AS INT) AS BIGINT)"
        ))
        .await
    };
    assert_eq!((can("SELECT").await, can("INSERT").await, can("UPDATE").await), (1, 1, 0));
    let policies = format!(
        "SELECT COUNT(*) FROM pg_policies WHERE tablename = 'notes' AND '{}' = ANY(roles)",
        name(&logins.worker)
    );
    assert_eq!(db.number(&policies).await, 1);
    drop_logins(&db, &logins).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_that_could_get_further_is_refused() {
    let (db, logins, _) = made().await;
    let (app, worker) = (name(&logins.app).to_owned(), name(&logins.worker).to_owned());
    let opened = async || Db::open_pg_as(&logins, 2).await.map(drop).unwrap_err().to_string();
    for (open, close, told) in [
        (format!("ALTER ROLE {app} SUPERUSER"), format!("ALTER ROLE {app} NOSUPERUSER"), "is a superuser"),
        (
            format!("ALTER ROLE {app} BYPASSRLS"),
            format!("ALTER ROLE {app} NOBYPASSRLS"),
            "row level security",
        ),
        (format!("ALTER ROLE {app} CREATEROLE"), format!("ALTER ROLE {app} NOCREATEROLE"), "CREATEROLE"),
        (format!("GRANT {worker} TO {app}"), format!("REVOKE {worker} FROM {app}"), "is a member of"),
        (
            format!("GRANT toolcrib_lookup TO {worker}"),
            format!("REVOKE toolcrib_lookup FROM {worker}"),
            "toolcrib_lookup",
        ),
        (
            format!("ALTER TABLE agents OWNER TO {app}"),
            "ALTER TABLE agents OWNER TO CURRENT_USER".into(),
            "owns something",
        ),
    ] {
        db.raw_sql(&open).await;
        let error = opened().await;
        assert!(error.contains(told) && error.contains("-database`"), "{open}: {error}");
        db.raw_sql(&close).await;
    }
    let twice = Logins { audit: logins.app.clone(), ..logins.clone() };
    let error = Db::open_pg_as(&twice, 2).await.map(drop).unwrap_err().to_string();
    assert!(error.contains("`--audit-database` needs a login of its own"), "{error}");
    let owner = Logins { worker: db.url(), ..logins.clone() };
    let error =
        logins::migrate_for(&db.url(), &owner, &TestIds::default(), &[]).await.unwrap_err().to_string();
    assert!(error.contains("is a superuser"), "{error}");
    db.raw_sql(
        "INSERT INTO _sqlx_migrations SELECT 999999, description, installed_on, success, checksum, \
        execution_time FROM _sqlx_migrations LIMIT 1",
    )
    .await;
    assert!(opened().await.contains("newer than this program"));
    db.raw_sql("UPDATE _sqlx_migrations SET checksum = '\\x00' WHERE version = 1").await;
    assert!(opened().await.contains("made by another build"));
    db.raw_sql("DELETE FROM _sqlx_migrations").await;
    assert!(opened().await.contains("older than this program: run `toolcrib migrate`"));
    drop_logins(&db, &logins).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn logins_of_another_database_have_nothing_here() {
    let ((first, logins, _), (second, others, [world, _])) = (made().await, made().await);
    let (server, database) =
        second.url().rsplit_once('/').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let host = server.rsplit_once('@').unwrap().1;
    let elsewhere = format!("postgres://{}@{host}/{database}", name(&logins.app));
    let mut conn = PgConnection::connect(&elsewhere).await.unwrap();
    conn.execute(AssertSqlSafe(format!("SET app.workspace_id = '{}'", world.workspace))).await.unwrap();
    for table in ["members", "agents", "action_log", "workspaces", "users"] {
        assert!(refused(&mut conn, &format!("SELECT * FROM {table}")).await, "{table}");
    }
    conn.close().await.unwrap();
    let there = Logins { app: elsewhere, ..others.clone() };
    let error = Db::open_pg_as(&there, 2).await.map(drop).unwrap_err().to_string();
    assert!(error.contains("not set up for these logins"), "{error}");
    drop_logins(&second, &others).await;
    drop_logins(&first, &logins).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn logins_are_made_with_the_passwords_of_their_urls() {
    let server = Postgres::start_with_passwords();
    let host = server.url().rsplit_once('@').unwrap().1.to_owned();
    let login = |what: &str, password: &str| format!("postgres://{what}:{password}@{host}");
    let with = |password: &str| Logins {
        app: login("serve", password),
        audit: login("log", password),
        worker: login("work", password),
        pooled: false,
    };
    let opens = async |logins: &Logins| match Db::open_pg_as(logins, 2).await {
        Ok(db) => {
            db.close().await;
            true
        }
        Err(_) => false,
    };
    let (first, second) = (with("one%40two"), with("another"));
    logins::migrate_for(&server.url(), &first, &TestIds::default(), &[]).await.unwrap();
    assert!(opens(&first).await && !opens(&second).await);
    // A password that was changed in the URLs is changed on the server.
    logins::migrate_for(&server.url(), &second, &TestIds::default(), &[]).await.unwrap();
    assert!(opens(&second).await && !opens(&first).await);
}
