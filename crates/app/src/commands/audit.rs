//! `audit tail` and `audit export`.

use serde_json::{Value, json};
use toolcrib_model::{Cursor, Ts};
use toolcrib_store::{
    Db,
    audit::{self, Entry, Filter},
};

use super::workspace_id;
use crate::{
    failure::{Failure, Ran},
    ground::Ground,
    output,
};

/// Rows that are read at once.
const PAGE: i64 = 500;

pub async fn tail(ground: &Ground, workspace: &str, rows: u16) -> Result<Ran, Failure> {
    let db = ground.open_existing().await?;
    let workspace = workspace_id(&db, workspace).await?;
    let mut tx = db.read(workspace).await?;
    let found = audit::list(&mut tx, &Filter::default(), Cursor::START, rows.into()).await?;
    tx.end().await?;
    for entry in found.iter().rev() {
        output::line(&text(entry))?;
    }
    Ok(Ran::Done)
}

pub async fn export(
    ground: &Ground,
    workspace: &str,
    from: Option<&str>,
    to: Option<&str>,
) -> Result<Ran, Failure> {
    let filter = Filter { from: time(from)?, to: time(to)?, ..Filter::default() };
    let db = ground.open_existing().await?;
    let workspace = workspace_id(&db, workspace).await?;
    let mut cursor = Cursor::START;
    loop {
        let rows = page(&db, workspace, &filter, cursor).await?;
        let Some(last) = rows.last() else { return Ok(Ran::Done) };
        cursor = Cursor { at: last.occurred_at, id: last.id };
        for entry in &rows {
            output::line(&object(entry).to_string())?;
        }
    }
}

/// One page in a transaction of its own: a slow reader holds none.
async fn page(
    db: &Db,
    workspace: toolcrib_model::Id,
    filter: &Filter,
    cursor: Cursor,
) -> Result<Vec<Entry>, Failure> {
    let mut tx = db.read(workspace).await?;
    let rows = audit::list(&mut tx, filter, cursor, PAGE).await?;
    tx.end().await?;
    Ok(rows)
}

fn time(text: Option<&str>) -> Result<Option<Ts>, Failure> {
    let wrong = |text: &str| Failure::Usage(format!("`{text}` is no time; write it as 2026-01-31T09:00:00Z"));
    text.map(|text| text.parse().map_err(|_| wrong(text))).transpose()
}

fn text(entry: &Entry) -> String {
    let who = entry
        .role
        .as_deref()
        .map_or_else(|| entry.principal_kind.clone(), |role| format!("{} ({role})", entry.principal_kind));
    let reason = entry.error_code.as_deref().or(entry.reason.as_deref());
    let reason = reason.map(|reason| format!(" {reason}")).unwrap_or_default();
    let target = entry.target.as_deref().map(|target| format!(" {target}")).unwrap_or_default();
    format!(
        "{} {} {who} {} {}{reason}{target}",
        entry.occurred_at, entry.action, entry.decision, entry.outcome
    )
}

fn object(entry: &Entry) -> Value {
    let arguments: Value = serde_json::from_str(&entry.arguments).unwrap_or_default();
    json!({
        "id": entry.id, "workspace_id": entry.workspace_id, "occurred_at": entry.occurred_at, "kind": entry.kind,
        "action": entry.action, "permission_level": entry.permission_level, "via": entry.via,
        "surface": entry.surface, "principal_kind": entry.principal_kind, "principal_id": entry.principal_id,
        "user_id": entry.user_id, "credential_id": entry.credential_id, "role": entry.role,
        "system_admin": entry.system_admin, "caller_type": entry.caller_type, "caller_name": entry.caller_name,
        "session": entry.session, "mission_id": entry.mission_id, "decision": entry.decision,
        "granted_by": entry.granted_by, "always_allow": entry.always_allow, "relayed_by": entry.relayed_by,
        "reason": entry.reason, "arguments": arguments, "target": entry.target, "error_code": entry.error_code,
        "outcome": entry.outcome, "duration_ms": entry.duration_ms, "request_id": entry.request_id,
        "trace_id": entry.trace_id, "confirmation_id": entry.confirmation_id,
    })
}
