//! Reads what was stored of audit logs outside the database: exports, and the signed heads of `--audit-anchor`. Every
//! hash and signature is verified.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};
use toolcrib_model::{Id, Ts};
use toolcrib_store::audit::{
    self,
    chain::{Checkpoint, Head, Link},
};

use super::key::TrustedKeys;

/// Why a file is not used: the number of the line, and what is wrong with it.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ExportProblem {
    line: usize,
    problem: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct ExportedRow {
    pub id: Id,
    pub occurred_at: Ts,
    pub kind: String,
    pub action: String,
    pub permission_level: String,
    pub decision: String,
    pub outcome: String,
    pub target: Option<String>,
    /// The arguments of the call, as JSON text.
    pub arguments: String,
}

/// The rows of one workspace in exports, in the order of the chain, without a gap.
#[derive(Debug, Default)]
pub struct ExportedLog {
    /// The first row's number in the chain.
    first: i64,
    rows: Vec<(Link, ExportedRow)>,
    /// How far the rows are signed.
    pub signed_seq: i64,
}

impl ExportedLog {
    /// Returns the head of the chain at the last row; `None` without a row.
    pub fn head(&self) -> Option<Head> {
        self.rows.last().map(|(link, _)| link.head())
    }

    /// Returns the rows behind `head`, which the chain of the database had when its backup was made. Fails if the
    /// export does not continue that chain.
    pub fn after(&self, head: &Head) -> Result<impl Iterator<Item = &ExportedRow>, String> {
        let place = head.seq;
        let hash_there = match self.link(place) {
            Some(link) => Some(&link.hash),
            None => {
                self.rows.first().filter(|(link, _)| link.seq == place + 1).map(|(link, _)| &link.prev_hash)
            }
        };
        match hash_there {
            Some(hash) if *hash == head.hash => {
                Ok(self.rows.iter().filter(move |(link, _)| link.seq > place).map(|(_, row)| row))
            }
            Some(_) => Err(format!(
                "at place {place} the export has another hash than the backup: it is of another log"
            )),
            None if self.first > place + 1 => Err(format!(
                "the export begins at place {}, but the backup ends at place {place}: export with `--after-seq {place}` or less",
                self.first
            )),
            None => Err(format!("the export ends before place {place}, at which the backup ends")),
        }
    }

    fn link(&self, seq: i64) -> Option<&Link> {
        let at = usize::try_from(seq - self.first).ok()?;
        self.rows.get(at).map(|(link, _)| link)
    }

    fn push(&mut self, link: Link, row: ExportedRow) -> Result<(), String> {
        if let Some(last) = self.head() {
            if !last.leads_to(&link) {
                return Err("the row does not follow the one before it".into());
            }
        } else {
            self.first = link.seq;
        }
        self.rows.push((link, row));
        Ok(())
    }

    fn check(&mut self, checkpoint: &Checkpoint) -> Result<(), String> {
        let signed = self.link(checkpoint.seq);
        if signed.is_some_and(|link| link.hash != checkpoint.hash) {
            return Err("the checkpoint signs another hash than the row has".into());
        }
        if signed.is_some() {
            self.signed_seq = self.signed_seq.max(checkpoint.seq);
        }
        Ok(())
    }
}

/// Reads an export of one or several workspaces.
pub fn read_export(text: &str, keys: &TrustedKeys) -> Result<BTreeMap<Id, ExportedLog>, ExportProblem> {
    let mut logs: BTreeMap<Id, ExportedLog> = BTreeMap::new();
    read_lines(text, |fields| {
        if fields.contains_key("checkpoint") {
            let checkpoint = checkpoint_of(&fields, keys)?;
            return logs.entry(checkpoint.workspace_id).or_default().check(&checkpoint);
        }
        let (link, row) = row_of(fields)?;
        logs.entry(link.workspace_id).or_default().push(link, row)
    })?;
    Ok(logs)
}

/// Reads an export or the file of `--audit-anchor`, and returns the hash at each place, by workspace. Places may be
/// missing: an export of a period has only its rows.
pub fn read_places(
    text: &str,
    keys: &TrustedKeys,
) -> Result<BTreeMap<Id, BTreeMap<i64, String>>, ExportProblem> {
    let mut places: BTreeMap<Id, BTreeMap<i64, String>> = BTreeMap::new();
    read_lines(text, |fields| {
        let (workspace, seq, hash) = if fields.contains_key("checkpoint") {
            let checkpoint = checkpoint_of(&fields, keys)?;
            (checkpoint.workspace_id, checkpoint.seq, checkpoint.hash)
        } else {
            let (link, _) = row_of(fields)?;
            (link.workspace_id, link.seq, link.hash)
        };
        places.entry(workspace).or_default().insert(seq, hash);
        Ok(())
    })?;
    Ok(places)
}

/// Reads the file of `--audit-anchor`, and returns the last head of each workspace.
pub fn read_heads(text: &str, keys: &TrustedKeys) -> Result<BTreeMap<Id, Checkpoint>, ExportProblem> {
    let mut heads: BTreeMap<Id, Checkpoint> = BTreeMap::new();
    read_lines(text, |fields| {
        let checkpoint = checkpoint_of(&fields, keys)?;
        // After an earlier restore a log had these numbers once more: the newest signature counts.
        if heads.get(&checkpoint.workspace_id).is_none_or(|last| last.made_at <= checkpoint.made_at) {
            heads.insert(checkpoint.workspace_id, checkpoint);
        }
        Ok(())
    })?;
    Ok(heads)
}

/// Calls `read` with the fields of each line.
fn read_lines(
    text: &str,
    mut read: impl FnMut(Map<String, Value>) -> Result<(), String>,
) -> Result<(), ExportProblem> {
    for (at, line) in text.lines().enumerate() {
        serde_json::from_str::<Map<String, Value>>(line)
            .map_err(|_| not_exported())
            .and_then(&mut read)
            .map_err(|problem| ExportProblem { line: at + 1, problem })?;
    }
    Ok(())
}

fn not_exported() -> String {
    "it is not a line of `audit export` or of `--audit-anchor`".into()
}

fn checkpoint_of(fields: &Map<String, Value>, keys: &TrustedKeys) -> Result<Checkpoint, String> {
    let value = fields.get("checkpoint").cloned().unwrap_or_default();
    let checkpoint: Checkpoint = serde_json::from_value(value).map_err(|_| not_exported())?;
    match keys.objection(&checkpoint) {
        Some(problem) => Err(problem.into()),
        None => Ok(checkpoint),
    }
}

fn row_of(fields: Map<String, Value>) -> Result<(Link, ExportedRow), String> {
    let row_hash_now = audit::exported_row_hash(&fields);
    let value = Value::Object(fields);
    let link: Link = serde_json::from_value(value.clone()).map_err(|_| not_exported())?;
    let row: ExportedRow = serde_json::from_value(value).map_err(|_| not_exported())?;
    if link.row_hash != row_hash_now || link.hash != link.digest() {
        return Err("the row was changed: its hash is another one".into());
    }
    Ok((link, row))
}
