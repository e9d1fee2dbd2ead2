//! Submits a report.

use serde_json::{Map, Value};
use toolcrib_engine::prelude::*;
use toolcrib_registry::CallerDefault;
use toolcrib_store::reports::{self, ReportRow};

use super::{ReportKind, ReportStatus};
use crate::shared::refs::{self, Ref};

/// The largest report and the largest metrics, in bytes of UTF-8.
const MAX_CONTENT_BYTES: usize = 200 * 1024;
const MAX_METRICS_BYTES: usize = 16 * 1024;

pub struct SubmitReport;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Title.
    pub title: String,
    /// Text of the report in Markdown, at most 200 KiB.
    #[schemars(length(min = 1, max = 204_800), extend("x-raw" = true))]
    pub content: String,
    /// Kind of report.
    #[schemars(extend("x-plain-words" = true))]
    pub kind: ReportKind,
    /// Urgency; `critical` notifies the admins.
    #[schemars(extend("x-plain-words" = true))]
    pub status: ReportStatus,
    /// Short summary.
    #[schemars(length(min = 1, max = 1000))]
    pub summary: Option<String>,
    /// Metrics by name: numbers or text.
    #[schemars(extend("x-free" = true, "maxProperties" = 50))]
    pub metrics: Option<Map<String, Value>>,
    /// ID or exact name of the reporting agent. Default: the calling agent.
    pub agent: Option<Ref>,
}

impl WriteAction for SubmitReport {
    type Input = Input;
    type Output = ReportRow;

    fn spec() -> Spec {
        Spec::write("platform_submit_report", Category::Reports, Permission::REPORTS_USE)
            .creates()
            .caller_default(CallerDefault::Agent)
            .describe("Hand in an agent's report: standup, research, incident, summary, delivery or audit.")
            .tags(&["report", "standup", "incident", "findings", "deliver"])
            .examples(&["Hand in today's standup", "Report an incident"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        if input.content.len() > MAX_CONTENT_BYTES {
            return Err(ActionError::invalid("/content", "maxLength", "must have at most 200 KiB"));
        }
        if input.metrics.as_ref().is_some_and(|metrics| json!(metrics).to_string().len() > MAX_METRICS_BYTES)
        {
            return Err(ActionError::invalid("/metrics", "size", "must have at most 16 KiB"));
        }
        let agent = refs::agent_or_caller(cx.caller, cx.tx, input.agent.as_ref()).await?;
        input.agent = Some(agent.id.into());
        let detail = Some(format!("agent `{}`", agent.name));
        let target = Target { label: format!("report `{}`", input.title), detail, ..Target::default() };
        Ok(target.naming("agent", &agent.name))
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<ReportRow, ActionError> {
        let agent = refs::agent_or_caller(cx.caller, cx.tx, input.agent.as_ref()).await?;
        let row = ReportRow {
            id: cx.new_id(),
            agent_id: agent.id,
            agent_name: agent.name,
            title: input.title.clone(),
            content: input.content.clone(),
            kind: input.kind.as_str().to_owned(),
            status: input.status.as_str().to_owned(),
            summary: input.summary.clone(),
            metrics: input.metrics.clone().map(Value::Object),
            created_by: cx.caller.principal.user(),
            created_at: cx.now,
        };
        reports::insert(cx.tx, &row).await?;
        if matches!(input.status, ReportStatus::Critical) {
            cx.notify_admins();
        }
        cx.emit(
            "report.submitted",
            "reports:read",
            json!({ "id": row.id, "title": row.title, "kind": row.kind, "status": row.status,
                "agent_id": row.agent_id, "agent_name": row.agent_name }),
        );
        Ok(row)
    }

    fn describe(_: &Input, report: &ReportRow) -> String {
        format!("Agent `{}` handed in report `{}`: {}", report.agent_name, report.title, report.status)
    }
}
