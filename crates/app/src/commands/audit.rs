//! `audit tail`, `audit export` and `audit key`.

use serde::Deserialize;
use toolcrib_engine::chain::{AuditExport, ExportRange, Sealer};
use toolcrib_model::{Cursor, Ts, visible};
use toolcrib_store::{
    Db,
    audit::{self, AuditEntry, AuditFilter},
};

use super::log_id;
use crate::{
    context::AppContext,
    failure::{Failure, Ran},
    output,
};

/// The part of the log to export.
pub struct Part<'p> {
    pub from: Option<&'p str>,
    pub to: Option<&'p str>,
    pub after_seq: i64,
}

pub async fn tail(context: &AppContext, workspace: &str, rows: u16) -> Result<Ran, Failure> {
    let db = context.open_existing().await?;
    let workspace = log_id(&db, workspace).await?;
    let mut tx = db.read(workspace).await?;
    let found = audit::list(&mut tx, &AuditFilter::default(), Cursor::START, rows.into()).await?;
    tx.end().await?;
    for entry in found.into_iter().rev() {
        output::line(&text(&entry.into()))?;
    }
    Ok(Ran::Done)
}

pub fn key(context: &AppContext) -> Result<Ran, Failure> {
    let (key, _) = context.audit_key()?;
    output::line(key.public())?;
    Ok(Ran::Done)
}

pub async fn export(context: &AppContext, workspace: &str, part: Part<'_>) -> Result<Ran, Failure> {
    let times = (time(part.from)?, time(part.to)?);
    let db = context.open_existing().await?;
    let workspace = log_id(&db, workspace).await?;
    seal(context, &db).await?;
    let mut tx = db.read(workspace).await?;
    let range = ExportRange::read(&mut tx, part.after_seq, times).await;
    tx.end().await?;
    let mut export = AuditExport::new(range?);
    loop {
        let mut tx = db.read(workspace).await?;
        let lines = export.next(&mut tx).await;
        tx.end().await?;
        match lines? {
            Some(lines) => output::print(&lines)?,
            None => return Ok(Ran::Done),
        }
    }
}

/// Seals and signs the rows that are not sealed yet, as `serve` does continuously.
pub async fn seal(context: &AppContext, db: &Db) -> Result<Sealer, Failure> {
    let (key, trusted) = context.audit_key()?;
    let sealer = Sealer::new(db.clone(), context.clock.clone(), key, trusted);
    sealer.seal_all().await?;
    sealer.sign().await?;
    Ok(sealer)
}

fn time(text: Option<&str>) -> Result<Option<Ts>, Failure> {
    let wrong =
        |text: &str| Failure::Usage(format!("`{text}` is not a time; write it as 2026-01-31T09:00:00Z"));
    text.map(|text| text.parse().map_err(|_| wrong(text))).transpose()
}

/// What `audit tail` prints of a row: fields of an item of `GET /v1/audit`.
#[derive(Deserialize)]
pub struct TailRow {
    occurred_at: Ts,
    action: String,
    principal: TailPrincipal,
    role: Option<String>,
    decision: String,
    outcome: String,
    reason: Option<String>,
    error_code: Option<String>,
    target: Option<String>,
}

#[derive(Deserialize)]
struct TailPrincipal {
    kind: String,
}

impl From<AuditEntry> for TailRow {
    fn from(entry: AuditEntry) -> Self {
        let AuditEntry { occurred_at, action, role, decision, outcome, reason, error_code, target, .. } =
            entry;
        let principal = TailPrincipal { kind: entry.principal.kind };
        Self { occurred_at, action, principal, role, decision, outcome, reason, error_code, target }
    }
}

/// Returns the line of a row.
pub fn text(entry: &TailRow) -> String {
    let kind = &entry.principal.kind;
    let who = entry.role.as_deref().map_or_else(|| kind.clone(), |role| format!("{kind} ({role})"));
    let reason = entry.error_code.as_deref().or(entry.reason.as_deref());
    let reason = reason.map(|reason| format!(" {reason}")).unwrap_or_default();
    let target = entry.target.as_deref().map(|target| format!(" {target}")).unwrap_or_default();
    let line = format!(
        "{} {} {who} {} {}{reason}{target}",
        entry.occurred_at, entry.action, entry.decision, entry.outcome
    );
    visible(&line).into_owned()
}
