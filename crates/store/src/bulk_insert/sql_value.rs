//! Rows as their columns' values, in order: for statements that take them value by value. Reading the same out of JSON
//! costs either database several times as much.

use sqlx::{Sqlite, query::Query, sqlite::SqliteArguments};
use toolcrib_model::Id;

use crate::{AuditRow, EventRow, StoreError};

/// The columns of `action_log` behind `workspace_id`, in the order of [`audit`].
pub const AUDIT: [&str; 34] = [
    "id",
    "occurred_at",
    "kind",
    "action",
    "permission_level",
    "via",
    "surface",
    "principal_kind",
    "principal_id",
    "user_id",
    "credential_id",
    "role",
    "system_admin",
    "caller_type",
    "caller_name",
    "session",
    "mission_id",
    "decision",
    "granted_by",
    "always_allow",
    "relayed_by",
    "reason",
    "arguments",
    "target",
    "error_code",
    "outcome",
    "duration_ms",
    "request_id",
    "trace_id",
    "confirmation_id",
    "minters",
    "edited_by",
    "issuer",
    "subject",
];

/// The columns of `events` behind `workspace_id`, in the order of [`event`].
pub const EVENT: [&str; 8] =
    ["id", "name", "kind", "session", "user_id", "permission", "data", "occurred_at"];

/// One value.
pub enum SqlValue {
    Id(Option<Id>),
    Word(Option<&'static str>),
    Text(Option<String>),
    Number(i64),
    Flag(bool),
}

/// A row of the audit log.
pub fn audit(row: &AuditRow) -> [SqlValue; AUDIT.len() + 1] {
    [
        SqlValue::Id(Some(row.workspace_id)),
        SqlValue::Id(Some(row.id)),
        SqlValue::Number(row.occurred_at.as_micros()),
        SqlValue::Word(Some(row.kind)),
        SqlValue::Text(Some(row.action.clone())),
        SqlValue::Word(Some(row.permission_level)),
        SqlValue::Word(Some(row.via)),
        SqlValue::Word(Some(row.surface)),
        SqlValue::Word(Some(row.principal_kind)),
        SqlValue::Id(Some(row.principal_id)),
        SqlValue::Id(row.user_id),
        SqlValue::Id(row.credential_id),
        SqlValue::Word(row.role),
        SqlValue::Flag(row.system_admin),
        SqlValue::Text(Some(row.caller_type.clone())),
        SqlValue::Text(row.caller_name.clone()),
        SqlValue::Text(row.session.clone()),
        SqlValue::Id(row.mission_id),
        SqlValue::Word(Some(row.decision)),
        SqlValue::Word(row.granted_by),
        SqlValue::Flag(row.always_allow),
        SqlValue::Id(row.relayed_by),
        SqlValue::Text(row.reason.clone()),
        SqlValue::Text(Some(row.arguments.clone())),
        SqlValue::Text(row.target.clone()),
        SqlValue::Word(row.error_code),
        SqlValue::Word(Some(row.outcome)),
        SqlValue::Number(row.duration_ms),
        SqlValue::Text(Some(row.request_id.clone())),
        SqlValue::Text(row.trace_id.clone()),
        SqlValue::Id(row.confirmation_id),
        SqlValue::Text(row.minters.clone()),
        SqlValue::Id(row.edited_by),
        SqlValue::Text(row.issuer.clone()),
        SqlValue::Text(row.subject.clone()),
    ]
}

/// A row of the outbox.
pub fn event(row: &EventRow) -> [SqlValue; EVENT.len() + 1] {
    [
        SqlValue::Id(Some(row.workspace_id)),
        SqlValue::Id(Some(row.id)),
        SqlValue::Text(Some(row.name.clone())),
        SqlValue::Word(Some(row.kind)),
        SqlValue::Text(row.session.clone()),
        SqlValue::Id(row.user_id),
        SqlValue::Text(row.permission.clone()),
        SqlValue::Text(Some(row.data.to_string())),
        SqlValue::Number(row.occurred_at.as_micros()),
    ]
}

impl SqlValue {
    /// Adds it to what a statement of SQLite is given.
    pub fn bind(self, query: Query<'_, Sqlite, SqliteArguments>) -> Query<'_, Sqlite, SqliteArguments> {
        match self {
            Self::Id(id) => query.bind(id),
            Self::Word(word) => query.bind(word),
            Self::Text(text) => query.bind(text),
            Self::Number(number) => query.bind(number),
            Self::Flag(flag) => query.bind(flag),
        }
    }

    /// Writes it as PostgreSQL reads it. With `standard_conforming_strings` a doubled quote is all that a text needs; one
    /// with a NUL would end the whole message there, and is refused as the server would.
    pub fn write(&self, sql: &mut String) -> Result<(), StoreError> {
        use std::fmt::Write as _;
        let written = match self {
            Self::Id(Some(id)) => write!(sql, "'{}'", id.simple()),
            Self::Word(Some(word)) => return quote(word, sql),
            Self::Text(Some(text)) => return quote(text, sql),
            Self::Number(number) => write!(sql, "{number}"),
            Self::Flag(flag) => write!(sql, "{flag}"),
            Self::Id(None) | Self::Word(None) | Self::Text(None) => write!(sql, "NULL"),
        };
        written.map_err(|fault| StoreError::Inconsistent(fault.to_string()))
    }
}

fn quote(text: &str, sql: &mut String) -> Result<(), StoreError> {
    if text.contains('\0') {
        return Err(StoreError::Inconsistent("a text holds a NUL character".into()));
    }
    sql.push('\'');
    for (at, part) in text.split('\'').enumerate() {
        sql.push_str(if at == 0 { "" } else { "''" });
        sql.push_str(part);
    }
    sql.push('\'');
    Ok(())
}
