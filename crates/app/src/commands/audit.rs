//! `audit tail`, `audit export` and `audit key`.

use std::{collections::BTreeSet, io};

use serde::Deserialize;
use toolcrib_engine::{
    Names,
    chain::{AuditExport, ExportRange, Sealer},
};
use toolcrib_model::{Cursor, Id, Ts};
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
    let ids: BTreeSet<Id> =
        found.iter().flat_map(|entry| entry.user_id.into_iter().chain([entry.principal.id])).collect();
    let names = Names::read(&mut tx, &ids).await?;
    tx.end().await?;
    for entry in found.iter().rev() {
        output::line(&text(&TailRow::new(entry, &names)?))?;
    }
    Ok(Ran::Done)
}

pub fn key(context: &AppContext) -> Result<Ran, Failure> {
    let (key, _) = context.audit_key()?;
    output::line(key.public())?;
    Ok(Ran::Done)
}

pub async fn export(context: &AppContext, workspace: &str, part: Part<'_>) -> Result<Ran, Failure> {
    let (from, to) = (time(part.from)?, time(part.to)?);
    let db = context.open_existing().await?;
    let workspace = log_id(&db, workspace).await?;
    seal(context, &db).await?;
    let mut tx = db.read(workspace).await?;
    let range = ExportRange::read(&mut tx, part.after_seq, from, to).await;
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
    principal_name: Option<String>,
    user_id: Option<Id>,
    user_name: Option<String>,
    subject: Option<String>,
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
    id: Id,
}

impl TailRow {
    /// Makes a row of the database to that of the API.
    fn new(entry: &AuditEntry, names: &Names) -> Result<Self, io::Error> {
        let mut row = serde_json::to_value(entry)?;
        row["principal_name"] = names.of(entry.principal.id).into();
        row["user_name"] = entry.user_id.and_then(|id| names.of(id)).into();
        Ok(Self::deserialize(&row)?)
    }

    /// Returns the kind and the name of who called, for whom, and the role. A call of the command line has no ID.
    fn caller(&self) -> String {
        let Self { principal: TailPrincipal { kind, id }, principal_name, subject, .. } = self;
        let id_text = (!id.is_nil()).then(|| id.to_string());
        let name = principal_name.as_ref().or(subject.as_ref()).or(id_text.as_ref());
        let user = self.user_id.filter(|user| user != id);
        let user = user.map(|user| self.user_name.clone().unwrap_or_else(|| user.to_string()));
        let parts = [
            name.map(|name| format!(" {name}")),
            user.map(|user| format!(" for {user}")),
            self.role.as_ref().map(|role| format!(" ({role})")),
        ];
        parts.into_iter().flatten().fold(kind.clone(), |caller, part| caller + &part)
    }
}

pub fn text(row: &TailRow) -> String {
    let reason = row.error_code.as_deref().or(row.reason.as_deref());
    let reason = reason.map(|reason| format!(" {reason}")).unwrap_or_default();
    let target = row.target.as_deref().map(|target| format!(" {target}")).unwrap_or_default();
    let TailRow { occurred_at, action, decision, outcome, .. } = row;
    format!("{occurred_at} {action} {} {decision} {outcome}{reason}{target}", row.caller())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_caller_without_a_name_is_shown_by_subject_or_id() {
        const ID: &str = "01999999-0000-7000-8000-000000000000";
        let caller = |kind: &str, id: &str, more: Value| {
            let mut row = json!({ "occurred_at": "2026-01-31T09:00:00Z", "action": "keys.list", "decision": "denied",
                "outcome": "not_run", "principal": { "kind": kind, "id": id } });
            row.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            serde_json::from_value::<TailRow>(row).unwrap().caller()
        };
        assert_eq!(caller("user", ID, json!({ "subject": "ann" })), "user ann");
        assert_eq!(caller("service", ID, json!({ "role": "editor" })), format!("service {ID} (editor)"));
        assert_eq!(caller("service", ID, json!({ "user_id": ID })), format!("service {ID}"));
        assert_eq!(caller("operator", &Id::nil().to_string(), json!({})), "operator");
        let other = ID.replace('7', "6");
        let named = json!({ "principal_name": "backend", "user_id": other });
        assert_eq!(caller("service", ID, named), format!("service backend for {other}"));
    }
}
