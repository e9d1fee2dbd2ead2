//! Row level security in PostgreSQL, read from its catalogue, so that a new table is covered on the day it is
//! added. Those of packs are too.

use sqlx::{AssertSqlSafe, Executor, PgConnection, Row};
use toolcrib_model::Id;
use toolcrib_testkit::postgres;

use crate::help::{raw_pg, with_packs};

const MINE: Id = Id::from_u128(0xa);
const THEIRS: Id = Id::from_u128(0xb);

/// Every table with a `workspace_id`.
async fn tenant_tables(raw: &mut PgConnection) -> Vec<String> {
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT CAST(c.relname AS TEXT) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid \
         WHERE c.relnamespace = CAST('public' AS regnamespace) AND c.relkind IN ('r', 'p') \
         AND a.attname = 'workspace_id' AND NOT a.attisdropped ORDER BY 1",
    )
    .fetch_all(raw)
    .await
    .unwrap();
    assert!(tables.len() >= 11, "{tables:?}");
    tables
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tenant_table_has_forced_row_level_security_and_the_tenant_policy() {
    let db = with_packs(postgres().await).await;
    let mut raw = raw_pg(&db).await;
    let mut tables = tenant_tables(&mut raw).await;
    tables.push("workspaces".into());
    for table in tables {
        let column = if table == "workspaces" { "id" } else { "workspace_id" };
        let wall = format!("({column} = current_workspace())");
        let walled: bool = sqlx::query_scalar(
            "SELECT c.relrowsecurity AND c.relforcerowsecurity AND EXISTS (SELECT 1 FROM pg_policies p \
             WHERE p.tablename = $1 AND p.policyname = 'tenant' AND p.cmd = 'ALL' AND p.permissive = \
             'PERMISSIVE' AND p.roles = ARRAY[CAST('public' AS name)] AND p.qual = $2 \
             AND p.with_check = $2) FROM pg_class c WHERE c.oid = CAST($1 AS regclass)",
        )
        .bind(&table)
        .bind(&wall)
        .fetch_one(&mut raw)
        .await
        .unwrap();
        assert!(walled, "`{table}` lacks a wall: call guard_tenant('{table}', …) after it in the schema");
        // PostgreSQL joins policies with OR, so another policy for everybody or for requests would open this
        // one.
        let more: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FROM pg_policies WHERE tablename = $1 AND policyname <> 'tenant' \
             AND roles && ARRAY[CAST('public' AS name), CAST('toolcrib_app' AS name)]",
        )
        .bind(&table)
        .fetch_one(&mut raw)
        .await
        .unwrap();
        assert_eq!(more, 0, "`{table}` has another policy that binds requests");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn our_roles_own_nothing_and_pass_no_wall() {
    let db = postgres().await;
    let mut raw = raw_pg(&db).await;
    let roles = sqlx::query(
        "SELECT CAST(rolname AS TEXT), rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR \
         rolcanlogin OR rolreplication FROM pg_roles WHERE rolname LIKE 'toolcrib\\_%'",
    )
    .fetch_all(&mut raw)
    .await
    .unwrap();
    assert_eq!(roles.len(), 4);
    for role in roles {
        assert!(!role.get::<bool, _>(1), "`{}` has an attribute it must not have", role.get::<String, _>(0));
    }
    let owned: Vec<String> = sqlx::query_scalar(
        "SELECT CAST(c.relname AS TEXT) FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner \
         WHERE r.rolname LIKE 'toolcrib\\_%' UNION ALL \
         SELECT CAST(p.proname AS TEXT) FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner \
         WHERE r.rolname LIKE 'toolcrib\\_%' ORDER BY 1",
    )
    .fetch_all(&mut raw)
    .await
    .unwrap();
    // No session uses the lookup role. It exists only to own these functions.
    assert_eq!(
        owned,
        [
            "alerts_anywhere",
            "all_workspaces",
            "chunk_candidates",
            "field_candidates",
            "key_by_id",
            "memberships_of",
            "memory_candidates",
            "message_candidates",
            "workspace_by_external"
        ]
    );
    let memberships: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.member \
         WHERE r.rolname LIKE 'toolcrib\\_%'",
    )
    .fetch_one(&mut raw)
    .await
    .unwrap();
    assert_eq!(memberships, 0, "one of our roles may become another");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_without_where_affects_its_own_workspace_only() {
    let db = with_packs(postgres().await).await;
    let mut raw = raw_pg(&db).await;
    let tables = tenant_tables(&mut raw).await;
    let mut inserts = Vec::new();
    for table in &tables {
        open_for_made_up_rows(&mut raw, table).await;
        inserts.push(made_up_row(&mut raw, table).await);
        raw.execute(AssertSqlSafe(inserts[inserts.len() - 1].clone())).await.unwrap();
    }
    raw.execute("SET ROLE toolcrib_app").await.unwrap();
    for (table, insert) in tables.iter().zip(&inserts) {
        assert!(may(&mut raw, table, "SELECT").await, "requests can't read `{table}`");
        for (setting, expected) in [(None, 0), (Some(THEIRS), 0), (Some(MINE), 1)] {
            become_workspace(&mut raw, setting).await;
            assert_eq!(count(&mut raw, table).await, expected, "`{table}` seen from {setting:?}");
        }
        for setting in [None, Some(THEIRS)] {
            become_workspace(&mut raw, setting).await;
            if may(&mut raw, table, "UPDATE").await {
                let sql = format!("UPDATE {table} SET workspace_id = workspace_id");
                assert_eq!(affected(&mut raw, sql).await, 0, "`{table}` changed from {setting:?}");
            }
            if may(&mut raw, table, "DELETE").await {
                assert_eq!(affected(&mut raw, format!("DELETE FROM {table}")).await, 0, "`{table}`");
            }
            if may(&mut raw, table, "INSERT").await {
                let refused = raw.execute(AssertSqlSafe(insert.clone())).await.unwrap_err().to_string();
                assert!(refused.contains("row-level security"), "`{table}` from {setting:?}: {refused}");
            }
        }
    }
}

async fn become_workspace(raw: &mut PgConnection, workspace: Option<Id>) {
    let setting = workspace.map_or_else(String::new, |id| id.to_string());
    sqlx::query("SELECT set_config('app.workspace_id', $1, false)").bind(setting).execute(raw).await.unwrap();
}

async fn may(raw: &mut PgConnection, table: &str, right: &str) -> bool {
    sqlx::query_scalar("SELECT has_table_privilege($1, $2)")
        .bind(table)
        .bind(right)
        .fetch_one(raw)
        .await
        .unwrap()
}

async fn count(raw: &mut PgConnection, table: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"))).fetch_one(raw).await.unwrap()
}

async fn affected(raw: &mut PgConnection, sql: String) -> u64 {
    raw.execute(AssertSqlSafe(sql)).await.unwrap().rows_affected()
}

/// Drops the CHECKs and foreign keys of a table in this test's own database and disables its triggers, so
/// that a row need not make sense and changes no other table.
async fn open_for_made_up_rows(raw: &mut PgConnection, table: &str) {
    let constraints: Vec<String> = sqlx::query_scalar(
        "SELECT quote_ident(conname) FROM pg_constraint \
         WHERE conrelid = CAST($1 AS regclass) AND contype IN ('c', 'f')",
    )
    .bind(table)
    .fetch_all(&mut *raw)
    .await
    .unwrap();
    for constraint in constraints {
        let sql = format!("ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {constraint} CASCADE");
        raw.execute(AssertSqlSafe(sql)).await.unwrap();
    }
    raw.execute(AssertSqlSafe(format!("ALTER TABLE {table} DISABLE TRIGGER USER"))).await.unwrap();
}

/// An INSERT of a row of [`MINE`] with a value in every column that requires one.
async fn made_up_row(raw: &mut PgConnection, table: &str) -> String {
    let columns = sqlx::query(
        "SELECT CAST(column_name AS TEXT), CAST(data_type AS TEXT) FROM information_schema.columns \
         WHERE table_schema = 'public' AND table_name = $1 AND is_nullable = 'NO' AND column_default IS NULL \
         AND is_identity = 'NO' AND is_generated = 'NEVER' ORDER BY ordinal_position",
    )
    .bind(table)
    .fetch_all(raw)
    .await
    .unwrap();
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for column in columns {
        let (name, kind): (String, String) = (column.get(0), column.get(1));
        values.push(match kind.as_str() {
            _ if name == "workspace_id" => format!("'{MINE}'"),
            "uuid" => "gen_random_uuid()".into(),
            "text" => "gen_random_uuid()::text".into(),
            "bigint" | "double precision" => "1".into(),
            "boolean" => "false".into(),
            "bytea" => r"'\x00'".into(),
            other => panic!("`{table}.{name}` is of type {other}: say here what to put into it"),
        });
        names.push(name);
    }
    format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), values.join(", "))
}
