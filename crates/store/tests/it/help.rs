//! Helpers that these tests share.

use std::{fs, path::Path, sync::Arc};

use sqlx::{Connection, PgConnection, SqliteConnection, migrate::Migrator};
use toolcrib_model::{AuditKind, Id, IdGen, Role, Surface, Ts};
use toolcrib_store::{AuditRow, Db, PackSchema, StoreError, agents::AgentRow, audit};
use toolcrib_testkit::{NOW, TestDb, TestIds, write};

use crate::sql_lint::tables_of;

/// A row of an agent with this name.
pub fn agent(ids: &TestIds, name: &str) -> AgentRow {
    AgentRow {
        id: ids.new_id(NOW),
        name: name.into(),
        slug: name.to_lowercase(),
        role: "researcher".into(),
        model: "a-model".into(),
        status: "active".into(),
        description: Some("finds out".into()),
        system_prompt: None,
        temperature: Some(0.25),
        tags: vec!["one".into()],
        version: 1,
        created_by: None,
        created_at: NOW,
        updated_at: NOW,
        last_active_at: None,
    }
}

/// An audit row of a read that succeeded.
pub fn audit_row(ids: &TestIds, workspace: Id, at: Ts) -> AuditRow {
    AuditRow {
        kind: AuditKind::Call,
        permission_level: "read",
        surface: Surface::Rest,
        principal_kind: "user",
        principal_id: Id::from_u128(1),
        user_id: Some(Id::from_u128(1)),
        role: Some(Role::Owner),
        caller_type: "api".into(),
        arguments: "{}".into(),
        duration_ms: 3,
        request_id: "request".into(),
        ..AuditRow::of_operator(workspace, ids.new_id(at), at, "platform_list_agents")
    }
}

/// Inserts an agent in a transaction of its own.
pub async fn add_agent(db: &Db, workspace: Id, row: AgentRow) -> Result<(), StoreError> {
    write(db, workspace, async |tx| toolcrib_store::agents::insert(tx, &row).await).await
}

/// The names of a workspace's agents, sorted.
pub async fn agent_names(db: &Db, workspace: Id) -> Vec<String> {
    let mut tx = db.read(workspace).await.unwrap();
    let mut names = toolcrib_store::agents::names(&mut tx).await.unwrap();
    tx.end().await.unwrap();
    names.sort();
    names
}

/// The audit row with this id.
pub async fn audit_entry(db: &Db, workspace: Id, id: Id) -> Option<audit::AuditEntry> {
    let mut tx = db.read(workspace).await.unwrap();
    let found = audit::get(&mut tx, id).await.unwrap();
    tx.end().await.unwrap();
    found
}

/// A connection that bypasses the store, with the superuser's login.
pub async fn raw_pg(db: &TestDb) -> PgConnection {
    PgConnection::connect(&db.url()).await.unwrap()
}

/// A connection that bypasses the store and may write.
pub async fn raw_sqlite(db: &TestDb) -> SqliteConnection {
    SqliteConnection::connect(&db.url()).await.unwrap()
}

/// The tables of every pack of this repository, read from its migrations: this crate names no pack. Fails for
/// a pack of which no table is found.
pub async fn pack_schemas() -> Vec<Arc<PackSchema>> {
    let mut schemas = Vec::new();
    for folder in ["../packs", "../../examples/packs"] {
        for pack in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap() {
            let pack = pack.unwrap().path();
            let slug: &str = pack.file_name().unwrap().to_str().unwrap().to_owned().leak();
            let sqlite = Migrator::new(pack.join("migrations/sqlite")).await.unwrap();
            let postgres = Migrator::new(pack.join("migrations/postgres")).await.unwrap();
            let texts: Vec<&str> = sqlite.iter().map(|migration| migration.sql.as_str()).collect();
            let tables: Vec<&str> =
                tables_of(&texts.join("\n")).into_iter().map(|name| &*name.leak()).collect();
            assert!(!tables.is_empty(), "no table of the pack `{slug}` was found");
            schemas.push(Arc::new(PackSchema::new(slug, &sqlite, &postgres, tables.leak())));
        }
    }
    assert!(!schemas.is_empty());
    schemas
}

/// A database with the tables of every pack.
pub async fn with_packs(db: TestDb) -> TestDb {
    db.migrate_packs(&pack_schemas().await).await.unwrap();
    db
}
