//! A report as callers see it, and the enums of its fields.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolcrib_model::{Id, Ts};
use toolcrib_store::reports::ReportRow;

/// Kind of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ReportKind {
    /// Finished and planned work.
    Standup,
    /// Findings.
    Research,
    /// A failure and its effects.
    Incident,
    /// Summary of a longer text.
    Summary,
    /// Delivered work.
    Delivery,
    /// Results of a check.
    Audit,
}

impl ReportKind {
    /// Returns the word in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Standup => "standup",
            Self::Research => "research",
            Self::Incident => "incident",
            Self::Summary => "summary",
            Self::Delivery => "delivery",
            Self::Audit => "audit",
        }
    }
}

/// Urgency of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ReportStatus {
    /// No problem.
    Ok,
    /// Needs attention.
    Warning,
    /// Needs immediate attention; the admins are notified.
    Critical,
    /// For information.
    Info,
}

impl ReportStatus {
    /// Returns the word in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Critical => "critical",
            Self::Info => "info",
        }
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
