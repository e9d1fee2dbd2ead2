//! Both databases have the same tables, columns, kinds of columns, nullability and unique keys. Those of packs
//! are read too.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::{AssertSqlSafe, PgConnection, Row, SqliteConnection};
use toolcrib_testkit::{postgres, sqlite};

use crate::help::{pack_schemas, raw_pg, raw_sqlite, with_packs};

/// A table: its columns (kind, and whether it may be null), and the columns of each unique key.
#[derive(Debug, Default, PartialEq)]
struct Table {
    columns: BTreeMap<String, (&'static str, bool)>,
    unique: BTreeSet<Vec<String>>,
}

type Schema = BTreeMap<String, Table>;

/// The kind of a column, named alike for both databases: SQLite has no booleans or UUIDs.
fn kind(declared: &str) -> &'static str {
    match declared.to_lowercase().as_str() {
        "blob" | "uuid" | "bytea" => "bytes",
        "integer" | "bigint" | "boolean" => "integer",
        "text" => "text",
        "real" | "double precision" => "real",
        other => panic!("columns of type `{other}` have no partner: use one of those above, or add it"),
    }
}

async fn sqlite_schema(raw: &mut SqliteConnection) -> Schema {
    let tables: Vec<String> = sqlx::query_scalar(
        // Leaves out SQLite's full-text tables, because PostgreSQL keeps those words in an index.
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
         AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_sqlx%' ESCAPE '\\'",
    )
    .fetch_all(&mut *raw)
    .await
    .unwrap();
    let mut schema = Schema::new();
    for name in tables {
        let mut table = Table::default();
        let columns =
            sqlx::query("SELECT name, type, \"notnull\" = 0 AND pk = 0, pk FROM pragma_table_xinfo($1)")
                .bind(&name)
                .fetch_all(&mut *raw)
                .await
                .unwrap();
        let mut key = Vec::new();
        for column in &columns {
            table.columns.insert(column.get(0), (kind(column.get(1)), column.get(2)));
            if column.get::<i64, _>(3) > 0 {
                key.push((column.get::<i64, _>(3), column.get::<String, _>(0)));
            }
        }
        key.sort();
        // A table whose key has a column that may be null has unique indexes instead.
        if !key.is_empty() {
            table.unique.insert(key.into_iter().map(|(_, column)| column).collect());
        }
        let indexes: Vec<String> =
            sqlx::query_scalar("SELECT name FROM pragma_index_list($1) WHERE \"unique\"")
                .bind(&name)
                .fetch_all(&mut *raw)
                .await
                .unwrap();
        for index in indexes {
            let columns = sqlx::query_scalar("SELECT name FROM pragma_index_info($1) ORDER BY seqno")
                .bind(index)
                .fetch_all(&mut *raw)
                .await
                .unwrap();
            table.unique.insert(columns);
        }
        schema.insert(name, table);
    }
    schema
}

async fn pg_schema(raw: &mut PgConnection) -> Schema {
    let mut schema = Schema::new();
    let columns = sqlx::query(
        "SELECT CAST(c.relname AS TEXT), CAST(a.attname AS TEXT), format_type(a.atttypid, a.atttypmod), \
         NOT a.attnotnull FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid \
         WHERE c.relnamespace = CAST('public' AS regnamespace) AND c.relkind IN ('r', 'p') AND a.attnum > 0 \
         AND NOT a.attisdropped AND c.relname NOT LIKE '\\_sqlx%'",
    )
    .fetch_all(&mut *raw)
    .await
    .unwrap();
    for column in &columns {
        let table = schema.entry(column.get(0)).or_default();
        table.columns.insert(column.get(1), (kind(column.get(2)), column.get(3)));
    }
    let keys = sqlx::query(
        "SELECT CAST(t.relname AS TEXT), ARRAY(SELECT replace(pg_get_indexdef(i.indexrelid, n, true), '\"', \
         '') FROM generate_series(1, i.indnkeyatts) n) FROM pg_index i JOIN pg_class t \
         ON t.oid = i.indrelid WHERE i.indisunique AND t.relnamespace = CAST('public' AS regnamespace) \
         AND t.relname NOT LIKE '\\_sqlx%'",
    )
    .fetch_all(&mut *raw)
    .await
    .unwrap();
    for key in &keys {
        schema.entry(key.get(0)).or_default().unique.insert(key.get(1));
    }
    schema
}

#[tokio::test(flavor = "multi_thread")]
async fn both_databases_have_the_same_schema() {
    let (on_sqlite, on_pg) = (with_packs(sqlite().await).await, with_packs(postgres().await).await);
    let sqlite = sqlite_schema(&mut raw_sqlite(&on_sqlite).await).await;
    let pg = pg_schema(&mut raw_pg(&on_pg).await).await;
    assert!(sqlite.len() >= 14, "{:?}", sqlite.keys());
    for pack in pack_schemas().await {
        for table in pack.tables() {
            assert!(sqlite.contains_key(*table), "`{table}` of the pack `{}` was not read", pack.slug());
        }
    }
    assert_eq!(sqlite.keys().collect::<Vec<_>>(), pg.keys().collect::<Vec<_>>(), "tables");
    for (name, table) in &sqlite {
        assert_eq!(table.columns, pg[name].columns, "columns of `{name}`: kind, may be null");
        assert_eq!(table.unique, pg[name].unique, "unique keys of `{name}`");
    }
}

/// A column without a strict type accepts any value, so the databases could hold different values.
#[tokio::test(flavor = "multi_thread")]
async fn every_sqlite_table_is_strict() {
    let db = with_packs(sqlite().await).await;
    let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict \
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_sqlx%' ESCAPE '\\'";
    let loose: Vec<String> =
        sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&mut raw_sqlite(&db).await).await.unwrap();
    assert!(loose.is_empty(), "{loose:?}");
}
