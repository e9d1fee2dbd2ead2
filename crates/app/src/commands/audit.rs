//! `audit tail`, `audit export` and `audit key`.

use serde::Serialize;
use serde_json::json;
use toolcrib_engine::chain::Sealer;
use toolcrib_model::{Cursor, Id, Ts};
use toolcrib_store::{
    Db,
    audit::{self, AuditEntry, AuditFilter, Canonical, ChainedRow, chain, chain::Checkpoint},
};

use super::log_id;
use crate::{
    context::AppContext,
    failure::{Failure, Ran},
    output,
    serve::anchor,
};

/// Rows per query.
const PAGE: i64 = 500;

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
    for entry in found.iter().rev() {
        output::line(&text(entry))?;
    }
    Ok(Ran::Done)
}

pub fn key(context: &AppContext) -> Result<Ran, Failure> {
    let (key, _) = context.audit_key()?;
    output::line(key.public())?;
    Ok(Ran::Done)
}

pub async fn export(context: &AppContext, workspace: &str, part: Part<'_>) -> Result<Ran, Failure> {
    let filter = AuditFilter { from: time(part.from)?, to: time(part.to)?, ..AuditFilter::default() };
    let db = context.open_existing().await?;
    let workspace = log_id(&db, workspace).await?;
    seal(context, &db).await?;
    let mut after = part.after_seq;
    loop {
        let rows = page(&db, workspace, &filter, after).await?;
        let Some(last) = rows.last() else { break };
        after = last.entry.seq.unwrap_or(i64::MAX);
        for row in &rows {
            output::line(&json!(Line::from(row)).to_string())?;
        }
    }
    checkpoints(&db, workspace, part.after_seq, after).await?;
    Ok(Ran::Done)
}

/// Seals and signs the rows that are not sealed yet, as `serve` does continuously.
pub async fn seal(context: &AppContext, db: &Db) -> Result<Sealer, Failure> {
    let (key, trusted) = context.audit_key()?;
    let sealer = Sealer::new(db.clone(), context.clock.clone(), key, trusted);
    sealer.seal_all().await?;
    sealer.sign().await?;
    Ok(sealer)
}

/// Reads one page in a transaction of its own, so that a slow reader of the output holds no transaction open.
async fn page(db: &Db, workspace: Id, filter: &AuditFilter, after: i64) -> Result<Vec<ChainedRow>, Failure> {
    let mut tx = db.read(workspace).await?;
    let rows = audit::chained_rows(&mut tx, filter, after, PAGE).await?;
    tx.end().await?;
    Ok(rows)
}

/// Prints the checkpoints of the exported part.
async fn checkpoints(db: &Db, workspace: Id, mut after: i64, last: i64) -> Result<(), Failure> {
    loop {
        let mut tx = db.read(workspace).await?;
        let found = chain::checkpoints(&mut tx, after, PAGE).await?;
        tx.end().await?;
        let wanted: Vec<&Checkpoint> = found.iter().filter(|found| found.seq <= last).collect();
        let Some(end) = wanted.last() else { return Ok(()) };
        after = end.seq;
        for checkpoint in wanted {
            output::line(&json!({ "checkpoint": anchor::value(checkpoint) }).to_string())?;
        }
    }
}

fn time(text: Option<&str>) -> Result<Option<Ts>, Failure> {
    let wrong =
        |text: &str| Failure::Usage(format!("`{text}` is not a time; write it as 2026-01-31T09:00:00Z"));
    text.map(|text| text.parse().map_err(|_| wrong(text))).transpose()
}

fn text(entry: &AuditEntry) -> String {
    let kind = &entry.principal.kind;
    let who = entry.role.as_deref().map_or_else(|| kind.clone(), |role| format!("{kind} ({role})"));
    let reason = entry.error_code.as_deref().or(entry.reason.as_deref());
    let reason = reason.map(|reason| format!(" {reason}")).unwrap_or_default();
    let target = entry.target.as_deref().map(|target| format!(" {target}")).unwrap_or_default();
    format!(
        "{} {} {who} {} {}{reason}{target}",
        entry.occurred_at, entry.action, entry.decision, entry.outcome
    )
}

/// A line of an export: the hashed columns of the row, and its sequence number and hashes in the chain.
#[derive(Serialize)]
struct Line<'r> {
    #[serde(flatten)]
    row: Canonical<'r>,
    seq: Option<i64>,
    row_hash: &'r str,
    prev_hash: &'r str,
    hash: &'r str,
    newest: Ts,
    sealed_at: Ts,
}

impl<'r> From<&'r ChainedRow> for Line<'r> {
    fn from(row: &'r ChainedRow) -> Self {
        let ChainedRow { entry, row_hash, prev_hash, hash, newest, sealed_at } = row;
        Self {
            row: entry.into(),
            seq: entry.seq,
            row_hash,
            prev_hash,
            hash,
            newest: *newest,
            sealed_at: *sealed_at,
        }
    }
}
