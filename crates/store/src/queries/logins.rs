//! Three PostgreSQL logins, for requests, audit batches and workers. Each has the privileges of one role
//! only.
//!
//! The roles `toolcrib_app`, `toolcrib_audit` and `toolcrib_worker` are shared by all databases of a server
//! and can't log in. A login is a member of none of them. Instead it is granted the privileges that its role
//! has in this database, so that two installations can share a server, and `SET ROLE` and `RESET ROLE` give a
//! login no further privileges (`docs/decisions/postgresql.md`).

mod grants;
mod password;

use std::{fmt, sync::Arc};

use sqlx::{Connection as _, Executor as _, PgConnection, postgres::PgConnectOptions};
use toolcrib_model::IdGen;

use super::builtin_data;
use crate::backend::{
    Applied, Connection, PG_MIGRATIONS, PackSchema, PgLogin, PgSession, StoreError, connect, migration_error,
    pack_schemas, refuse_other, refuse_other_pg,
};

/// The URLs of three logins to one database. The URLs may contain passwords.
#[derive(Clone)]
pub struct Logins {
    /// The login for requests.
    pub app: String,
    /// The login for the audit rows of reads.
    pub audit: String,
    /// The login for background workers.
    pub worker: String,
    /// Whether the URLs name a pooler in transaction mode.
    pub pooled: bool,
}

impl fmt::Debug for Logins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logins").finish_non_exhaustive()
    }
}

impl Logins {
    /// Returns for each login: the role whose privileges it gets, its URL, and the setting that holds the
    /// URL.
    fn each(&self) -> [(&'static str, &str, &'static str); 3] {
        [
            ("toolcrib_app", self.app.as_str(), "--database"),
            ("toolcrib_audit", self.audit.as_str(), "--audit-database"),
            ("toolcrib_worker", self.worker.as_str(), "--worker-database"),
        ]
    }
}

/// Migrates a database as the owner's login. Fails before the first write if the database has the schema of another
/// build.
pub async fn migrate(owner: &str) -> Result<(), StoreError> {
    migrated(owner).await?.close().await?;
    Ok(())
}

/// Migrates a database as [`migrate`] does, and the tables of packs, creates the three logins if they are missing, and
/// grants them the privileges of their roles.
pub async fn migrate_for(
    owner: &str,
    logins: &Logins,
    ids: &dyn IdGen,
    packs: &[Arc<PackSchema>],
) -> Result<(), StoreError> {
    let mut conn = migrated(owner).await?;
    pack_schemas::run_pg(&mut conn, packs).await?;
    let mut names = Vec::new();
    for (role, url, flag) in logins.each() {
        let options: PgConnectOptions = url.parse()?;
        let login = options.get_username().to_owned();
        if names.contains(&login) || login.starts_with("toolcrib_") && grants::is_role(&login) {
            return Err(StoreError::Setup(format!("`{flag}` needs a login of its own: `{login}` is taken")));
        }
        password::ensure(&mut conn, &login, url, ids).await?;
        refuse_gap(&mut PgSession::unnamed(&mut conn), &login, flag).await?;
        grants::give(&mut conn, role, &login).await?;
        names.push(login);
    }
    conn.close().await?;
    Ok(())
}

/// Checks the logins and returns them. Fails if a login could have more privileges than its role, or if the
/// database is not up to date.
pub(crate) async fn check(logins: &Logins) -> Result<[PgLogin; 3], StoreError> {
    let mut checked = Vec::new();
    let mut names = Vec::new();
    for (role, url, flag) in logins.each() {
        let options: PgConnectOptions = url.parse()?;
        let mut conn = connect(&options).await.map_err(|error| about(flag, &error))?;
        let login = options.get_username().to_owned();
        if names.contains(&login) {
            return Err(StoreError::Setup(format!(
                "`{flag}` needs a login of its own: `{login}` is another one's"
            )));
        }
        // Behind a pooler in transaction mode, only the statements of a transaction reach one connection of the server.
        conn.execute("BEGIN READ ONLY").await?;
        let mut session = PgSession::unnamed(&mut conn);
        refuse_gap(&mut session, &login, flag).await?;
        if role == "toolcrib_app" {
            refuse_old(&mut session).await?;
        }
        conn.execute("COMMIT").await?;
        conn.close().await?;
        names.push(login);
        checked.push(PgLogin::direct(options, logins.pooled));
    }
    checked.try_into().map_err(|_| StoreError::Inconsistent("there are three logins".into()))
}

async fn migrated(owner: &str) -> Result<PgConnection, StoreError> {
    let mut conn = connect(&owner.parse()?).await?;
    refuse_other_pg(&mut conn).await?;
    PG_MIGRATIONS.run(&mut conn).await.map_err(|error| migration_error(&error))?;
    builtin_data::load(Connection::Pg(PgSession::named(&mut conn))).await?;
    Ok(conn)
}

fn about(flag: &str, error: &StoreError) -> StoreError {
    StoreError::Unavailable(format!("`{flag}`: {error}"))
}

/// Selects why a login could get more privileges than were granted: its attributes, objects that it owns
/// here, or its memberships.
const GAP: &str = "SELECT CASE \
    WHEN r.rolsuper THEN 'is a superuser' \
    WHEN r.rolbypassrls THEN 'may bypass row level security' \
    WHEN r.rolcreaterole THEN 'may make itself a member of other roles (CREATEROLE)' \
    WHEN r.rolreplication THEN 'may copy the whole server (REPLICATION)' \
    WHEN EXISTS (SELECT 1 FROM pg_shdepend d WHERE d.refclassid = CAST('pg_authid' AS regclass) AND d.refobjid = r.oid \
      AND d.deptype = 'o' AND d.dbid IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))) \
      THEN 'owns something in the database' \
    ELSE (SELECT 'is a member of ' || string_agg(quote_ident(o.rolname), ', ' ORDER BY o.rolname) \
      FROM pg_auth_members m JOIN pg_roles o ON o.oid = m.roleid WHERE m.member = r.oid) END \
    FROM pg_roles r WHERE r.rolname = $1";

async fn refuse_gap(session: &mut PgSession<'_>, login: &str, flag: &str) -> Result<(), StoreError> {
    let found: Option<Option<String>> = sqlx::query_scalar(GAP).bind(login).fetch_optional(session).await?;
    match found {
        Some(None) => Ok(()),
        Some(Some(gap)) => Err(StoreError::Setup(format!(
            "the login `{login}` of `{flag}` {gap}: it must own nothing and be a member of nothing; `toolcrib migrate` with \
             `--owner-database` makes such logins"
        ))),
        None => Err(StoreError::Setup(format!("there is no login `{login}` for `{flag}`"))),
    }
}

/// Fails if the database lacks migrations or built-in data of this version, or has others.
async fn refuse_old(session: &mut PgSession<'_>) -> Result<(), StoreError> {
    const SQL: &str = "SELECT version, checksum FROM _sqlx_migrations WHERE success ORDER BY version";
    let migrate = "run `toolcrib migrate` with `--owner-database` first";
    let have: Vec<Applied> = match sqlx::query_as(SQL).fetch_all(&mut *session).await {
        Ok(have) => have,
        // The login has no privileges yet (42501), or the table does not exist (42P01).
        Err(sqlx::Error::Database(error)) if matches!(error.code().as_deref(), Some("42501" | "42P01")) => {
            return Err(StoreError::Setup(format!("the database is not set up for these logins: {migrate}")));
        }
        Err(error) => return Err(error.into()),
    };
    refuse_other(&PG_MIGRATIONS, &have)?;
    if have.len() < PG_MIGRATIONS.iter().count()
        || !builtin_data::loaded(Connection::Pg(session.reborrow())).await?
    {
        return Err(StoreError::Setup(format!("the database is older than this program: {migrate}")));
    }
    Ok(())
}
