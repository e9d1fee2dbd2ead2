//! Runs a query on a SQLite file: read-only, on a separate thread, with small limits. An authorizer allows
//! only reading tables and calling the functions that the check allows. Uses `rusqlite`, because `sqlx`
//! supports neither limits nor authorizers. Both use the same bundled SQLite.

mod functions;
mod pattern;
mod watch;

use std::{path::Path, sync::Arc};

use rusqlite::{
    Connection, ErrorCode, OpenFlags, Row,
    config::DbConfig,
    hooks::{AuthAction, AuthContext, Authorization},
    limits::Limit,
    types::ValueRef,
};
use serde_json::Value;
use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{
    Column, DatasourceError, DatasourceKind, MAX_CELL_CHARS, MAX_COLUMNS, QueryLimits, Table,
    cell::{self, RowCollector},
    guard, said,
};
use watch::{Slices, Watch};

/// The number of SQLite VM instructions between two checks of the timeout.
const STEPS: i32 = 100;

/// The maximum size of a value and of a row, in bytes: a cell of [`MAX_CELL_CHARS`] characters of four bytes.
const MAX_VALUE_BYTES: usize = MAX_CELL_CHARS * 4;
/// The maximum size of a pattern of LIKE and GLOB, in bytes.
const MAX_PATTERN_BYTES: usize = 1_000;
// `LIMITS` repeats both as `i32`.
const _: () = assert!(MAX_VALUE_BYTES == 1 << 18 && MAX_PATTERN_BYTES == 1_000);

/// Limits that keep each VM instruction short. Our own functions replace those that could still take long.
const LIMITS: [(Limit, i32); 10] = [
    (Limit::SQLITE_LIMIT_LENGTH, 1 << 18),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 127),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 1 << 17),
    (Limit::SQLITE_LIMIT_COLUMN, 500),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 500),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 50),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
    (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 0),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

/// Settings that restrict what the schema of the file can do.
const CONFIG: [(DbConfig, bool); 5] = [
    (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
    (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
    (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
];

/// Operators and keywords that are functions to SQLite's authorizer.
const OPERATORS: [&str; 6] = ["like", "->", "->>", "current_date", "current_time", "current_timestamp"];

/// Opens the file, runs the query and closes the file. The query computes with a permit of `slots`.
pub async fn query(
    path: &Path,
    sql: &str,
    bounds: QueryLimits,
    slots: Arc<Semaphore>,
) -> Result<Table, DatasourceError> {
    let stop = CancellationToken::new();
    // The thread also ends after a timeout, and if the caller stops waiting.
    let _stop = stop.clone().drop_guard();
    let (path, sql) = (path.to_owned(), sql.to_owned());
    let asked = async {
        let mut slices = Slices::begin(slots, stop).await;
        let asked = spawn_blocking(move || ask(&path, &sql, bounds.rows, move || slices.goes_on()));
        asked.await.unwrap_or_else(|error| Err(DatasourceError::Unreachable(error.to_string())))
    };
    timeout(bounds.within, asked).await.unwrap_or(Err(DatasourceError::Timeout))
}

fn ask(
    path: &Path,
    sql: &str,
    most: usize,
    goes_on: impl FnMut() -> bool + Send + 'static,
) -> Result<Table, DatasourceError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_PRIVATE_CACHE
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let conn = Connection::open_with_flags(path, flags).map_err(|error| unreachable(&error))?;
    let watch = Watch::new(goes_on);
    close_in(&conn, &watch).map_err(|error| unreachable(&error))?;
    // SQLite's error for an interrupted query does not contain the reason.
    read(&conn, sql, most).map_err(|error| watch.ended().unwrap_or(error))
}

fn read(conn: &Connection, sql: &str, most: usize) -> Result<Table, DatasourceError> {
    let names = names(conn, sql)?;
    let mut rows = RowCollector::new(most);
    let mut types: Vec<Option<&'static str>> = vec![None; names.len()];
    let mut statement = conn.prepare(&format!("SELECT * FROM ({sql}) LIMIT {}", most + 1))?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let (values, bytes) = values(row, &mut types, &mut rows)?;
        if !rows.push(values, bytes) {
            break;
        }
    }
    let column =
        |(name, kind): (String, Option<&str>)| Column { name, type_name: kind.unwrap_or("null").into() };
    let columns = names.into_iter().zip(types).map(column).collect();
    Ok(Table { columns, ..rows.into_table() })
}

/// Restricts the connection as far as SQLite allows.
fn close_in(conn: &Connection, watch: &Watch) -> rusqlite::Result<()> {
    // Sorting and grouping use temporary files beyond the cache, so that the watch can count their bytes.
    conn.execute_batch(
        "PRAGMA query_only = ON; PRAGMA cell_size_check = ON; PRAGMA cache_size = -4096; \
         PRAGMA temp_store = FILE; PRAGMA mmap_size = 0",
    )?;
    for (config, on) in CONFIG {
        conn.set_db_config(config, on)?;
    }
    for (limit, most) in LIMITS {
        conn.set_limit(limit, most)?;
    }
    functions::register(conn, watch)?;
    let watch = watch.clone();
    conn.progress_handler(STEPS, Some(move || !watch.goes_on()))?;
    conn.authorizer(Some(|asked: AuthContext<'_>| may(&asked)))
}

fn may(asked: &AuthContext<'_>) -> Authorization {
    let good = match asked.action {
        AuthAction::Select | AuthAction::Recursive => true,
        AuthAction::Read { table_name, .. } => guard::readable(table_name),
        AuthAction::Function { function_name } => {
            let name = function_name.to_lowercase();
            OPERATORS.contains(&name.as_str()) || guard::callable(DatasourceKind::Sqlite, &name)
        }
        _ => false,
    };
    if good { Authorization::Allow } else { Authorization::Deny }
}

fn names(conn: &Connection, sql: &str) -> Result<Vec<String>, DatasourceError> {
    let statement = conn.prepare(sql)?;
    if !statement.readonly() {
        return Err(DatasourceError::Query("the query does more than read".into()));
    }
    let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
    if names.is_empty() || names.len() > MAX_COLUMNS {
        return Err(DatasourceError::Query(format!("a query gives 1 to {MAX_COLUMNS} columns here")));
    }
    Ok(names)
}

fn values(
    row: &Row<'_>,
    types: &mut [Option<&'static str>],
    rows: &mut RowCollector,
) -> Result<(Vec<Value>, usize), DatasourceError> {
    let mut bytes = 0;
    let mut values = Vec::with_capacity(types.len());
    for (at, seen) in types.iter_mut().enumerate() {
        let found = row.get_ref(at)?;
        let (kind, value) = match found {
            ValueRef::Null => (None, Value::Null),
            ValueRef::Integer(value) => (Some("integer"), cell::integer(value)),
            ValueRef::Real(value) => (Some("real"), cell::float(value)),
            ValueRef::Text(text) => (Some("text"), rows.short(&String::from_utf8_lossy(text)).0.into()),
            ValueRef::Blob(blob) => (Some("blob"), rows.short(&format!("\\x{}", hex::encode(blob))).0.into()),
        };
        *seen = seen.or(kind);
        bytes += value.as_str().map_or(8, str::len);
        values.push(value);
    }
    Ok((values, bytes))
}

fn unreachable(error: &rusqlite::Error) -> DatasourceError {
    DatasourceError::Unreachable(error.to_string())
}

impl From<rusqlite::Error> for DatasourceError {
    fn from(error: rusqlite::Error) -> Self {
        let rusqlite::Error::SqliteFailure(inner, message) = &error else {
            return Self::Query("the query can't be run".into());
        };
        match (inner.code, message) {
            (ErrorCode::OperationInterrupted, _) => Self::Timeout,
            (
                ErrorCode::Unknown | ErrorCode::TypeMismatch | ErrorCode::ParameterOutOfRange,
                Some(message),
            ) => Self::Query(said(message)),
            (ErrorCode::TooBig, _) => Self::Query(format!(
                "a text, value or row is longer than {MAX_VALUE_BYTES} bytes: leave its column out, or build shorter ones"
            )),
            (ErrorCode::AuthorizationForStatementDenied, _) => {
                Self::Query("the query reads or calls what is not allowed here".into())
            }
            _ => unreachable(&error),
        }
    }
}

#[cfg(test)]
mod tests;
