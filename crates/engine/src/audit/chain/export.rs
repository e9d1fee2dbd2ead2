//! The lines of an export: each sealed row with its place in the chain, then the checkpoints. `scripts/verify-audit`
//! and the console verify them without the service.
#![deny(missing_docs)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolcrib_model::{Id, Ts};
use toolcrib_store::{
    StoreError, Tx,
    audit::{
        self, AuditFilter, Canonical, ChainedRow,
        chain::{self, Checkpoint},
    },
};

/// Rows or checkpoints that are read at once.
const EXPORT_PAGE: i64 = 500;

/// Which part of a log is exported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExportRange {
    /// ID of the workspace.
    pub workspace_id: Id,
    /// Only rows after this number in the chain.
    pub after_seq: i64,
    /// Only rows up to this number: the last sealed row when the export began.
    pub until_seq: i64,
    /// Start of the period, inclusive; null for no start.
    pub from: Option<Ts>,
    /// End of the period, exclusive; null for no end.
    pub to: Option<Ts>,
}

impl ExportRange {
    /// Returns the range of the transaction's workspace up to its last sealed row.
    pub async fn read(
        tx: &mut Tx,
        after_seq: i64,
        from: Option<Ts>,
        to: Option<Ts>,
    ) -> Result<Self, StoreError> {
        let until_seq = chain::head(tx).await?.seq;
        Ok(Self { workspace_id: tx.workspace(), after_seq, until_seq, from, to })
    }
}

/// An export that is read page by page, so that the memory that it needs does not depend on its length.
#[derive(Debug)]
pub struct AuditExport {
    range: ExportRange,
    /// The number of the last row that was read.
    row: i64,
    /// The number of the last checkpoint that was read; `None` while there may be more rows.
    checkpoint: Option<i64>,
}

impl AuditExport {
    /// Begins at the start of the range.
    pub fn new(range: ExportRange) -> Self {
        Self { row: range.after_seq, range, checkpoint: None }
    }

    /// Returns the workspace whose log is exported.
    pub fn workspace(&self) -> Id {
        self.range.workspace_id
    }

    /// Reads the next lines, each with its line feed; `None` after the last one. Each page may have a transaction of
    /// its own, so that a slow reader of the export holds none open.
    pub async fn next(&mut self, tx: &mut Tx) -> Result<Option<String>, StoreError> {
        if self.checkpoint.is_none() {
            let rows = self.rows(tx).await?;
            if !rows.is_empty() {
                return Ok(Some(rows.iter().map(line_of).collect()));
            }
        }
        let found = self.checkpoints(tx).await?;
        Ok((!found.is_empty()).then(|| found.iter().map(checkpoint_line).collect()))
    }

    async fn rows(&mut self, tx: &mut Tx) -> Result<Vec<ChainedRow>, StoreError> {
        let ExportRange { until_seq, from, to, .. } = self.range;
        let filter = AuditFilter { from, to, ..AuditFilter::default() };
        let mut rows = audit::chained_rows(tx, &filter, self.row, EXPORT_PAGE).await?;
        rows.retain(|row| row.entry.seq.is_some_and(|seq| seq <= until_seq));
        match rows.last().and_then(|last| last.entry.seq) {
            Some(seq) => self.row = seq,
            None => self.checkpoint = Some(self.range.after_seq),
        }
        Ok(rows)
    }

    /// Reads the next checkpoints of the exported rows.
    async fn checkpoints(&mut self, tx: &mut Tx) -> Result<Vec<Checkpoint>, StoreError> {
        let after = self.checkpoint.unwrap_or(self.range.after_seq);
        let mut found = chain::checkpoints(tx, after, EXPORT_PAGE).await?;
        found.retain(|checkpoint| checkpoint.seq <= self.row);
        self.checkpoint = Some(found.last().map_or(after, |last| last.seq));
        Ok(found)
    }
}

/// Returns the line of a checkpoint in exports and files of `--audit-anchor`, with its line feed.
pub fn checkpoint_line(checkpoint: &Checkpoint) -> String {
    format!("{}\n", json!({ "checkpoint": checkpoint }))
}

fn line_of(row: &ChainedRow) -> String {
    let ChainedRow { entry, row_hash, prev_hash, hash, newest, sealed_at } = row;
    let line = ExportLine {
        row: entry.into(),
        seq: entry.seq,
        row_hash,
        prev_hash,
        hash,
        newest: *newest,
        sealed_at: *sealed_at,
    };
    format!("{}\n", json!(line))
}

/// A line of an export: the hashed columns of the row, and its sequence number and hashes in the chain.
#[derive(Serialize)]
struct ExportLine<'r> {
    #[serde(flatten)]
    row: Canonical<'r>,
    seq: Option<i64>,
    row_hash: &'r str,
    prev_hash: &'r str,
    hash: &'r str,
    newest: Ts,
    sealed_at: Ts,
}
