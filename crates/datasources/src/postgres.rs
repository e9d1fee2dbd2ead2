//! Runs a query on a PostgreSQL server: a separate connection, a READ ONLY transaction, a timeout on the
//! server and one in this process.

use std::{fmt::Write as _, time::Duration};

use futures_util::TryStreamExt as _;
use serde_json::Value;
use sqlx::{
    AssertSqlSafe, Column as _, ConnectOptions as _, Connection as _, Executor as _, PgConnection, Row as _,
    SqlSafeStr as _, Statement as _, TypeInfo as _,
    postgres::{PgConnectOptions, PgRow},
};

use super::{
    CONNECT, Column, DatasourceError, MAX_CELL_CHARS, MAX_COLUMNS, QueryLimits, Table,
    cell::{self, RowCollector},
    said,
};

/// The statements before the query. They forbid writes, fix the format of values and set timeouts.
const BEGIN: &str = "BEGIN READ ONLY; SET LOCAL lock_timeout = 2000; \
    SET LOCAL idle_in_transaction_session_timeout = 20000; SET LOCAL standard_conforming_strings = on; \
    SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL intervalstyle = 'postgres'; SET LOCAL bytea_output = 'hex'";

/// How much longer than the server's timeout this process waits.
const REPLY_GRACE: Duration = Duration::from_secs(2);

/// Connects, runs the query and closes the connection.
pub async fn query(
    options: &PgConnectOptions,
    sql: &str,
    bounds: QueryLimits,
) -> Result<Table, DatasourceError> {
    let options = options.clone().disable_statement_logging();
    let connected = tokio::time::timeout(CONNECT, PgConnection::connect_with(&options)).await;
    let mut conn =
        connected.map_err(|_| DatasourceError::Unreachable("connecting took too long".into()))??;
    // The server's timeout should expire first. This one is for a server that does not enforce it.
    let asked = tokio::time::timeout(bounds.within + REPLY_GRACE, ask(&mut conn, sql, bounds)).await;
    let Ok(asked) = asked else { return Err(DatasourceError::Timeout) };
    // The result is complete, so an error while closing does not matter.
    drop(conn.close().await);
    asked
}

async fn ask(conn: &mut PgConnection, sql: &str, bounds: QueryLimits) -> Result<Table, DatasourceError> {
    let most = bounds.rows;
    let begin = format!("{BEGIN}; SET LOCAL statement_timeout = {}", bounds.within.as_millis());
    sqlx::raw_sql(AssertSqlSafe(begin)).execute(&mut *conn).await?;
    let columns = columns(conn, sql).await?;
    let wrapped = wrapped(sql, columns.len(), most);
    let mut rows = RowCollector::new(most);
    {
        let mut found = sqlx::query(AssertSqlSafe(wrapped)).persistent(false).fetch(&mut *conn);
        while let Some(row) = found.try_next().await? {
            let (values, bytes) = values(&row, &columns, &mut rows)?;
            if !rows.push(values, bytes) {
                break;
            }
        }
    }
    Ok(Table { columns, ..rows.into_table() })
}

async fn columns(conn: &mut PgConnection, sql: &str) -> Result<Vec<Column>, DatasourceError> {
    let statement = conn.prepare(AssertSqlSafe(sql.to_owned()).into_sql_str()).await?;
    let named = statement.columns().iter().map(|column| Column {
        name: column.name().to_owned(),
        type_name: column.type_info().name().to_lowercase(),
    });
    let columns: Vec<Column> = named.collect();
    if columns.is_empty() || columns.len() > MAX_COLUMNS {
        return Err(DatasourceError::Query(format!("a query gives 1 to {MAX_COLUMNS} columns here")));
    }
    Ok(columns)
}

/// Wraps the query so that its cells are texts of limited length. Reads one row more than `most`, to detect
/// truncation.
fn wrapped(sql: &str, columns: usize, most: usize) -> String {
    let (mut cells, mut names) = (String::new(), String::new());
    for at in 0..columns {
        let comma = if at == 0 { "" } else { ", " };
        // Writing into a string can't fail.
        let _ = write!(cells, "{comma}LEFT(CAST(c{at} AS TEXT), {})", MAX_CELL_CHARS + 1);
        let _ = write!(names, "{comma}c{at}");
    }
    format!("SELECT {cells} FROM ({sql}) AS asked ({names}) LIMIT {}", most + 1)
}

fn values(
    row: &PgRow,
    columns: &[Column],
    rows: &mut RowCollector,
) -> Result<(Vec<Value>, usize), DatasourceError> {
    let mut bytes = 0;
    let mut values = Vec::with_capacity(columns.len());
    for (at, column) in columns.iter().enumerate() {
        let text: Option<&str> = row.try_get(at)?;
        let Some(text) = text else {
            values.push(Value::Null);
            continue;
        };
        let (text, cut) = rows.short(text);
        bytes += text.len();
        values.push(value(text, &column.type_name, cut));
    }
    Ok((values, bytes))
}

fn value(text: &str, type_name: &str, cut: bool) -> Value {
    match type_name {
        "int2" | "int4" | "int8" => text.parse().map_or_else(|_| text.into(), cell::integer),
        "float4" | "float8" => text.parse().map_or_else(|_| text.into(), cell::float),
        "numeric" => cell::decimal(text),
        "bool" => (text == "true").into(),
        "json" | "jsonb" if !cut => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        _ => text.into(),
    }
}

impl From<sqlx::Error> for DatasourceError {
    fn from(error: sqlx::Error) -> Self {
        let sqlx::Error::Database(inner) = &error else {
            return Self::Unreachable(error.to_string());
        };
        let code = inner.code().unwrap_or_default().into_owned();
        match (code.get(..2), code.as_str()) {
            (_, "57014") => Self::Timeout,
            (Some("28"), _) => Self::Login,
            // SQLSTATE classes that the query causes: syntax, names, privileges, values, limits of a
            // statement.
            (Some("0A" | "21" | "22" | "25" | "42" | "54"), _) => Self::Query(said(inner.message())),
            _ => Self::Unreachable(error.to_string()),
        }
    }
}
