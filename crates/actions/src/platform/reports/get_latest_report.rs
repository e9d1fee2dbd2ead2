//! Gets the newest report.

use toolcrib_engine::prelude::*;
use toolcrib_store::reports::{self, ReportRow};

use super::ReportKind;
use crate::shared::refs::{self, Ref};

pub struct GetLatestReport;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only items of this agent: ID or exact name.
    pub agent: Option<Ref>,
    /// Only reports of this kind.
    #[schemars(extend("x-plain-words" = true))]
    pub kind: Option<ReportKind>,
}

impl ReadAction for GetLatestReport {
    type Input = Input;
    type Output = ReportRow;

    fn spec() -> Spec {
        Spec::read("platform_get_latest_report", Category::Reports, Permission::REPORTS_READ)
            .describe("Get the newest report in full, of one agent or one kind where named.")
            .tags(&["report", "standup", "summary", "findings", "latest"])
            .examples(&["Show me the latest standup of the Researcher"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<ReportRow, ActionError> {
        let agent = refs::optional_agent(cx.tx, input.agent.as_ref()).await?.map(|agent| agent.id);
        let kind = input.kind.map(ReportKind::as_str);
        let found = reports::latest(cx.tx, agent, kind).await?;
        found.ok_or_else(|| {
            ActionError::new(ErrorCode::NotFound, "there is no such report in this workspace yet")
                .hint("omit `agent` or `kind`, or wait until an agent submits a report")
        })
    }

    fn describe(_: &Input, report: &ReportRow) -> String {
        format!("Report `{}` of agent `{}`", report.title, report.agent_name)
    }
}
