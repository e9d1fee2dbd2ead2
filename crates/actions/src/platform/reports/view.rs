//! A report as callers see it, and the enums of its fields.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolcrib_model::{Id, Ts};
use toolcrib_store::reports::ReportRow;

toolcrib_model::closed_set! {
    "a report kind",
    /// Kind of a report.
    ReportKind {
        /// Finished and planned work.
        Standup = "standup",
        /// Findings.
        Research = "research",
        /// A failure and its effects.
        Incident = "incident",
        /// Summary of a longer text.
        Summary = "summary",
        /// Delivered work.
        Delivery = "delivery",
        /// Results of a check.
        Audit = "audit",
    }
}

toolcrib_model::closed_set! {
    "a report status",
    /// Urgency of a report.
    ReportStatus {
        /// No problem.
        Ok = "ok",
        /// Needs attention.
        Warning = "warning",
        /// Needs immediate attention; the admins are notified.
        Critical = "critical",
        /// For information.
        Info = "info",
    }
}

/// A report.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReportView {
    /// ID.
    pub id: Id,
    /// ID of the agent that submitted the report.
    pub agent_id: Id,
    /// The agent's name at that time.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub agent_name: String,
    /// Title.
    #[schemars(extend("x-untrusted" = "reports"))]
    pub title: String,
    /// Text of the report, in Markdown.
    #[schemars(extend("x-untrusted" = "reports"))]
    pub content: String,
    /// `standup`, `research`, `incident`, `summary`, `delivery` or `audit`.
    #[schemars(extend("x-ours" = true))]
    pub kind: String,
    /// `ok`, `warning`, `critical` or `info`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// Short summary.
    #[schemars(extend("x-untrusted" = "reports"))]
    pub summary: Option<String>,
    /// Numbers and words that belong to it; null where none were given.
    #[schemars(extend("x-untrusted" = "reports"))]
    pub metrics: Option<Value>,
    /// Time of submission.
    pub created_at: Ts,
}

impl From<ReportRow> for ReportView {
    fn from(row: ReportRow) -> Self {
        Self {
            id: row.id,
            agent_id: row.agent_id,
            agent_name: row.agent_name,
            title: row.title,
            content: row.content,
            kind: row.kind,
            status: row.status,
            summary: row.summary,
            metrics: row.metrics.and_then(|text| serde_json::from_str(&text).ok()),
            created_at: row.created_at,
        }
    }
}
