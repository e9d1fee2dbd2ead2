//! The tables of packs: two sets of migrations, what their statements may touch, and the walls of the tables.

use std::{path::Path, sync::Arc};

use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, PgConnection,
    migrate::{MigrateError, Migrator},
};
use toolcrib_model::Id;

use super::{
    Applied, Connection, Db, StoreError, Tx, WriteTx, connect, refuse_other, sqlite::migration_options,
};

/// Rows that one statement deletes.
const BATCH: i64 = 1_000;

/// The tables of a pack. Its migrations run after those of this crate and have a version table of their own. On
/// PostgreSQL each table is given to `guard_tenant`, as the tables of this crate are.
#[derive(Debug)]
pub struct PackSchema {
    slug: &'static str,
    sqlite: Migrator,
    /// The migrations of PostgreSQL.
    postgres: Migrator,
    tables: &'static [&'static str],
}

impl PackSchema {
    /// Makes the schema of the pack `slug`. Both sets of migrations come from `sqlx::migrate!`. `tables` are all its
    /// tables, in an order in which their rows can be deleted.
    pub fn new(
        slug: &'static str,
        sqlite: &Migrator,
        postgres: &Migrator,
        tables: &'static [&'static str],
    ) -> Self {
        let own = |all: &Migrator| {
            let mut own = Migrator::with_migrations(all.iter().cloned().collect());
            own.dangerous_set_table_name(format!("_sqlx_migrations_{slug}"));
            own
        };
        Self { slug, sqlite: own(sqlite), postgres: own(postgres), tables }
    }

    /// Returns the pack's slug.
    pub fn slug(&self) -> &'static str {
        self.slug
    }

    /// Returns the pack's tables.
    pub fn tables(&self) -> &'static [&'static str] {
        self.tables
    }

    /// Returns the name of the table that lists the migrations which a database has.
    fn version_table(&self) -> String {
        format!("_sqlx_migrations_{}", self.slug)
    }

    /// Fails if a table has another prefix, or if a migration contains a statement that a pack may not run: it creates,
    /// changes and fills its own tables and indexes.
    pub fn check(&self) -> Result<(), StoreError> {
        let is_own = |name: &str| name.starts_with(&format!("{}_", self.slug));
        if let Some(table) = self.tables.iter().find(|table| !is_own(table)) {
            return Err(self.refused(&format!("the table `{table}` must begin with `{}_`", self.slug)));
        }
        for migration in self.sqlite.iter().chain(self.postgres.iter()) {
            let text = without_comments(migration.sql.as_str());
            for statement in text.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
                if !changed_table(statement).is_some_and(|table| is_own(&table)) {
                    let start: String = statement.chars().take(60).collect();
                    return Err(self.refused(&format!(
                        "migration {} may only create and change tables and indexes that begin with `{}_`, and not: {start}",
                        migration.version, self.slug
                    )));
                }
            }
        }
        Ok(())
    }

    /// Makes the error for a defect of the pack.
    fn refused(&self, why: &str) -> StoreError {
        StoreError::Setup(format!("pack `{}`: {why}", self.slug))
    }
}

/// Migrates the packs' tables of a SQLite file that [`Db::open_sqlite`] has opened.
pub async fn migrate_sqlite(file: &Path, packs: &[Arc<PackSchema>]) -> Result<(), StoreError> {
    if packs.is_empty() {
        return Ok(());
    }
    let mut conn = migration_options(file).connect().await?;
    for pack in packs {
        pack.check()?;
        pack.sqlite.run(&mut conn).await.map_err(|error| failed(pack, &error))?;
    }
    conn.close().await?;
    Ok(())
}

/// Migrates the packs' tables as the owner's login, after the migrations of this crate.
pub async fn migrate_pg(owner: &str, packs: &[Arc<PackSchema>]) -> Result<(), StoreError> {
    let mut conn = connect(&owner.parse()?).await?;
    run_pg(&mut conn, packs).await?;
    conn.close().await?;
    Ok(())
}

pub(crate) async fn run_pg(conn: &mut PgConnection, packs: &[Arc<PackSchema>]) -> Result<(), StoreError> {
    for pack in packs {
        pack.check()?;
        pack.postgres.run(&mut *conn).await.map_err(|error| failed(pack, &error))?;
        let versions = pack.version_table();
        let readable: bool = sqlx::query_scalar("SELECT has_table_privilege('toolcrib_app', $1, 'SELECT')")
            .bind(&versions)
            .fetch_one(&mut *conn)
            .await?;
        if !readable {
            conn.execute(AssertSqlSafe(format!("GRANT SELECT ON {versions} TO toolcrib_app"))).await?;
        }
    }
    Ok(())
}

fn failed(pack: &PackSchema, error: &MigrateError) -> StoreError {
    pack.refused(&format!(
        "migration: {error}; run `toolcrib migrate` of the build that has this version of the pack"
    ))
}

/// Fails if the database lacks a migration of a pack, or if a table of a pack lacks its wall: `workspace_id` is not the
/// first column of its key, or on PostgreSQL no policy keeps its rows apart. Tables of packs that this build lacks are
/// left alone.
pub async fn check(db: &Db, packs: &[Arc<PackSchema>]) -> Result<(), StoreError> {
    for pack in packs {
        let mut tx = db.read(Id::nil()).await?;
        let checked = check_pack(&mut tx, pack).await;
        tx.end().await?;
        checked?;
    }
    Ok(())
}

async fn check_pack(tx: &mut Tx, pack: &PackSchema) -> Result<(), StoreError> {
    let is_sqlite = matches!(tx.connection()?, Connection::Sqlite(_));
    let known = if is_sqlite { &pack.sqlite } else { &pack.postgres };
    let applied = applied(tx, pack).await?;
    refuse_other(known, &applied).map_err(|_| {
        pack.refused("the database has its tables of another version; use the build that made them")
    })?;
    if known.iter().any(|migration| applied.iter().all(|(version, _)| *version != migration.version)) {
        return Err(pack
            .refused("the database lacks its tables; run `toolcrib migrate` with `--owner-database` first"));
    }
    let tables = tables(tx, pack).await?;
    if let Some(table) = tables.iter().find(|table| !pack.tables().contains(&table.name.as_str())) {
        return Err(pack.refused(&format!("the table `{}` is not in its list of tables", table.name)));
    }
    if let Some(missing) = pack.tables().iter().find(|name| !tables.iter().any(|table| table.name == **name))
    {
        return Err(pack.refused(&format!("there is no table `{missing}`")));
    }
    match tables.iter().find(|table| !table.keyed || !table.guarded) {
        Some(table) if !table.keyed => Err(pack.refused(&format!(
            "the primary key of `{}` must begin with `workspace_id`, so that no workspace reads the rows of another",
            table.name
        ))),
        Some(table) => Err(pack.refused(&format!(
            "`{}` has no policy by workspace; its migration must call `guard_tenant('{}', 'SELECT, INSERT, UPDATE, DELETE')`",
            table.name, table.name
        ))),
        None => Ok(()),
    }
}

/// Returns the migrations of the pack that the database has.
async fn applied(tx: &mut Tx, pack: &PackSchema) -> Result<Vec<Applied>, StoreError> {
    let listed: bool = per_backend!(tx,
        sqlite c => sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = $1)")
            .bind(pack.version_table()).fetch_one(c).await,
        pg c => sqlx::query_scalar("SELECT to_regclass($1) IS NOT NULL").bind(pack.version_table())
            .fetch_one(c).await)?;
    if !listed {
        return Ok(Vec::new());
    }
    let sql = format!("SELECT version, checksum FROM {} WHERE success", pack.version_table());
    with_backend!(tx, c => sqlx::query_as(AssertSqlSafe(sql)).fetch_all(c).await)
}

/// A table that a pack has in the database.
#[derive(sqlx::FromRow)]
struct PackTable {
    name: String,
    /// Whether `workspace_id` is the first column of the primary key.
    keyed: bool,
    /// Whether a policy keeps the rows of workspaces apart. Always true on SQLite, which has none: the tests read the
    /// statements.
    guarded: bool,
}

async fn tables(tx: &mut Tx, pack: &PackSchema) -> Result<Vec<PackTable>, StoreError> {
    const SQLITE: &str = "SELECT m.name AS name, EXISTS (SELECT 1 FROM pragma_table_info(m.name) \
        WHERE name = 'workspace_id' AND pk = 1) AS keyed, 1 AS guarded FROM sqlite_master m \
        WHERE m.type = 'table' AND substr(m.name, 1, length($1)) = $1 ORDER BY m.name";
    const PG: &str = "SELECT CAST(c.relname AS TEXT) AS name, EXISTS (SELECT 1 FROM pg_index i JOIN pg_attribute a \
        ON a.attrelid = c.oid AND a.attnum = i.indkey[0] WHERE i.indrelid = c.oid AND i.indisprimary \
        AND a.attname = 'workspace_id') AS keyed, \
        c.relrowsecurity AND c.relforcerowsecurity AND EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid) \
        AS guarded FROM pg_class c WHERE c.relnamespace = CAST('public' AS regnamespace) AND c.relkind IN ('r', 'p') \
        AND starts_with(c.relname, $1) ORDER BY c.relname";
    let prefix = format!("{}_", pack.slug());
    per_backend!(tx,
        sqlite c => sqlx::query_as(SQLITE).bind(&prefix).fetch_all(c).await,
        pg c => sqlx::query_as(PG).bind(&prefix).fetch_all(c).await)
}

/// Deletes up to 1,000 of the workspace's rows of a pack, in the order of its tables. Returns how many.
pub async fn delete_rows(tx: &mut WriteTx, pack: &PackSchema) -> Result<u64, StoreError> {
    for table in pack.tables() {
        let sqlite = format!(
            "DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table} WHERE workspace_id = $1 LIMIT $2)"
        );
        let pg = format!(
            "DELETE FROM {table} WHERE ctid IN (SELECT ctid FROM {table} WHERE workspace_id = $1 LIMIT $2)"
        );
        let deleted = per_backend!(tx, workspace,
            sqlite c => sqlx::query(AssertSqlSafe(sqlite)).bind(workspace).bind(BATCH).execute(c).await
                .map(|done| done.rows_affected()),
            pg c => sqlx::query(AssertSqlSafe(pg)).bind(workspace).bind(BATCH).execute(c).await
                .map(|done| done.rows_affected()))?;
        if deleted > 0 {
            return Ok(deleted);
        }
    }
    Ok(0)
}

fn without_comments(sql: &str) -> String {
    sql.lines()
        .map(|line| line.split_once("--").map_or(line, |(code, _)| code))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns the table that a statement creates, changes, indexes, guards or fills; `None` for any other statement.
fn changed_table(statement: &str) -> Option<String> {
    let words: Vec<String> = statement
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let words: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !["if", "not", "exists"].contains(word)).collect();
    let (["create" | "alter" | "drop", "table", table, ..]
    | ["drop", "index", table, ..]
    | ["create", "index", _, "on", table, ..]
    | ["create", "unique", "index", _, "on", table, ..]
    | ["select", "guard_tenant", table, ..]
    | ["insert", "into", table, ..]
    | ["update", table, ..]
    | ["delete", "from", table, ..]) = *words.as_slice()
    else {
        return None;
    };
    Some(table.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_about_tables_are_read() {
        for (sql, table) in [
            ("CREATE TABLE notes_notes (id BLOB) STRICT", Some("notes_notes")),
            ("create unique index if not exists notes_by_time ON notes_notes (at)", Some("notes_notes")),
            ("SELECT guard_tenant('notes_notes', 'SELECT, INSERT')", Some("notes_notes")),
            ("ALTER TABLE members ADD COLUMN x TEXT", Some("members")),
            ("CREATE FUNCTION notes_f() RETURNS INT LANGUAGE sql AS $$ SELECT 1 $$", None),
            ("DO $$ BEGIN END $$", None),
            ("GRANT ALL ON notes_notes TO PUBLIC", None),
        ] {
            assert_eq!(changed_table(sql).as_deref(), table, "{sql}");
        }
    }
}
