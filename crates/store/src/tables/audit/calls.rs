//! Calls: each is its first row with its end, which is in another row if the call waited or ran elsewhere.

use sqlx::FromRow;
use toolcrib_model::{AuditDecision, Cursor, Id, Outcome};

use super::{AuditEntry, AuditFilter, bind, conditions, select_rows};
use crate::backend::{StoreError, Tx, any_of, json};

/// The most rows that the calls of one page have after their first.
const MAX_ROWS: i64 = 1_000;

/// The condition of the index by confirmation.
macro_rules! is_indexed {
    ($table:literal) => {
        concat!("(", $table, ".kind <> 'call' OR ", $table, ".via = 'confirmation')")
    };
}

/// A column of the row that ends a call, or of its first row if none does. Refused attempts to decide end no call.
macro_rules! last {
    ($before:literal, $column:literal, $after:literal) => {
        concat!(
            "COALESCE(CASE WHEN action_log.outcome = 'started' THEN (SELECT ",
            $before,
            "later.",
            $column,
            $after,
            " FROM action_log later WHERE later.workspace_id = action_log.workspace_id \
             AND later.call_ref = action_log.id ORDER BY later.occurred_at DESC, later.id DESC LIMIT 1) \
             WHEN action_log.decision = 'confirmation_required' THEN (SELECT ",
            $before,
            "later.",
            $column,
            $after,
            " FROM action_log later WHERE later.workspace_id = action_log.workspace_id \
             AND later.confirmation_id = action_log.confirmation_id AND ",
            is_indexed!("later"),
            " AND (later.kind = 'outcome' \
             OR later.via = 'confirmation' AND later.decision <> 'confirmation_required' \
             OR later.kind = 'confirmation' AND (later.decision = 'expired' OR later.decision = 'denied' \
                AND (later.error_code IS NULL OR later.reason IN ('modify', 'superseded', 'void')))) \
             ORDER BY later.occurred_at DESC, later.id DESC LIMIT 1) END, ",
            $before,
            "action_log.",
            $column,
            $after,
            ")"
        )
    };
}

/// A column of text of the row that ends a call, null if it has none there.
macro_rules! last_text {
    ($column:literal) => {
        concat!("NULLIF(", last!("COALESCE(", $column, ", '')"), ", '')")
    };
}

/// The condition that a row is the first of a call that matches an [`AuditFilter`]: it is no decision and no later
/// outcome, does not run what was approved, and does not repeat a call that waits. A call that a person changed under
/// the four-eyes rule is a call of its own.
macro_rules! is_match {
    () => {
        concat!(
            conditions!(last_text!("decision"), last_text!("outcome"), last_text!("reason")),
            " AND kind IN ('call', 'admin') AND (via <> 'confirmation' OR decision = 'confirmation_required') \
             AND (reason IS NULL OR reason <> 'repeated')"
        )
    };
}

pub(super) const MATCHES: &str = is_match!();
pub(super) const DECISION: &str = last_text!("decision");
pub(super) const OUTCOME: &str = last_text!("outcome");
pub(super) const REASON: &str = last_text!("reason");

/// The first row of a call, and how the call ended.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct CallEntry {
    #[sqlx(flatten)]
    pub first: AuditEntry,
    #[sqlx(flatten)]
    pub last: CallEnd,
}

/// The columns of a call's last row that say how it ended. A call without an end has those of its first row.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct CallEnd {
    #[sqlx(rename = "last_decision")]
    pub decision: String,
    #[sqlx(rename = "last_granted_by")]
    pub granted_by: Option<String>,
    #[sqlx(rename = "last_reason")]
    pub reason: Option<String>,
    #[sqlx(rename = "last_error_code")]
    pub error_code: Option<String>,
    #[sqlx(rename = "last_outcome")]
    pub outcome: String,
    #[sqlx(rename = "last_duration_ms")]
    pub duration_ms: i64,
}

/// Selects calls: the columns of their first rows, and of their ends.
macro_rules! select_calls {
    ($rest:expr) => {
        select_rows!(
            concat!(
                ", ",
                last_text!("decision"),
                " AS last_decision, ",
                last_text!("granted_by"),
                " AS last_granted_by, ",
                last_text!("reason"),
                " AS last_reason, ",
                last_text!("error_code"),
                " AS last_error_code, ",
                last_text!("outcome"),
                " AS last_outcome, ",
                last!("", "duration_ms", ""),
                " AS last_duration_ms"
            ),
            $rest
        )
    };
}

/// Lists at most `limit` calls that match and whose first row is after `cursor`, newest first.
pub async fn list_calls(
    tx: &mut Tx,
    filter: &AuditFilter,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<CallEntry>, StoreError> {
    const SQL: &str = select_calls!(concat!(
        is_match!(),
        " AND (occurred_at, id) < ($20, $21) ORDER BY occurred_at DESC, id DESC LIMIT $22"
    ));
    with_backend!(tx, workspace, c => bind!(sqlx::query_as(SQL), workspace, filter)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

/// Returns the newest rows of these calls after their first rows: decisions, runs after an approval, and outcomes.
pub async fn rows_of_calls(tx: &mut Tx, calls: &[AuditEntry]) -> Result<Vec<AuditEntry>, StoreError> {
    macro_rules! sql {
        ($ids:literal, $more:literal) => {
            concat!(
                select_rows!("", "confirmation_id IN "),
                $ids,
                " AND ",
                is_indexed!("action_log"),
                " UNION ALL ",
                select_rows!("", "call_ref IN "),
                $more,
                " AND confirmation_id IS NULL ORDER BY occurred_at DESC, id DESC LIMIT $4"
            )
        };
    }
    const SQLITE: &str =
        sql!("(SELECT unhex(value) FROM json_each($2))", "(SELECT unhex(value) FROM json_each($3))");
    const PG: &str = sql!("(SELECT unnest(CAST($2 AS UUID[])))", "(SELECT unnest(CAST($3 AS UUID[])))");
    let asks = |call: &&AuditEntry| call.decision == AuditDecision::ConfirmationRequired.as_str();
    let asked: Vec<Id> = calls.iter().filter(asks).filter_map(|call| call.confirmation_id).collect();
    let runs_elsewhere = |call: &&AuditEntry| call.outcome == Outcome::Started.as_str();
    let started: Vec<Id> = calls.iter().filter(runs_elsewhere).map(|call| call.id).collect();
    if asked.is_empty() && started.is_empty() {
        return Ok(Vec::new());
    }
    let hex = |ids: &[Id]| json(&ids.iter().map(|id| id.simple().to_string()).collect::<Vec<_>>());
    let (workspace, asked_hex, started_hex) = (tx.workspace, hex(&asked)?, hex(&started)?);
    per_backend!(tx,
        sqlite c => sqlx::query_as(SQLITE).bind(workspace).bind(asked_hex).bind(started_hex).bind(MAX_ROWS)
            .fetch_all(c).await,
        pg c => sqlx::query_as(PG).bind(workspace).bind(asked).bind(started).bind(MAX_ROWS).fetch_all(c).await,
    )
}
