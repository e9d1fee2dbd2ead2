//! List alerts: what is wrong now, and what was.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_connectors::embedded::{Alert, Platform};
use toolcrib_engine::{ActionError, ExternalAction, ExternalCx};
use toolcrib_model::Ts;
use toolcrib_registry::{Category, Permission, Spec};

use super::view::{EMBEDDED, Scope, reach};

/// The action.
pub struct GetAlerts(pub Arc<Platform>);

/// Which alerts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Status {
    /// Those that last.
    Firing,
    /// Those that ended.
    Resolved,
    /// Both.
    #[default]
    All,
}

/// How urgent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Urgency {
    /// To be looked at today.
    Warning,
    /// To be looked at now.
    Critical,
}

/// What it takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Whether they last; all unless said.
    pub status: Option<Status>,
    /// Only alerts of this severity.
    pub severity: Option<Urgency>,
    /// How far back ended ones go; 24 unless said.
    #[schemars(range(min = 1, max = 168))]
    pub hours: Option<i64>,
}

/// One alert.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AlertView {
    /// The rule that found it.
    pub name: &'static str,
    /// `warning` or `critical`.
    pub severity: &'static str,
    /// `firing` or `resolved`.
    pub status: &'static str,
    /// What it is about.
    pub subject: String,
    /// Whether it is about one workspace or the platform.
    pub scope: Scope,
    /// What is wrong, with the numbers.
    pub summary: String,
    /// Since when.
    pub since: Ts,
    /// Until when; null while it lasts.
    pub ended_at: Option<Ts>,
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The alerts: lasting ones first, then the others, newest first.
    pub items: Vec<AlertView>,
    /// How many of them last.
    pub firing: usize,
    /// Whose alerts were looked at.
    pub scope: Scope,
    /// Where they are from.
    pub source: &'static str,
}

impl ExternalAction for GetAlerts {
    const SPEC: Spec =
        Spec::read("platform_get_alerts", Category::Infrastructure, Permission::INFRASTRUCTURE_READ)
            .admin_only()
            .external()
            .describe("List alerts that fire or ended lately, with rule, severity and since when.")
            .tags(&["alerts", "incident", "firing", "outage", "alarm"])
            .examples(&["Is anything firing right now?", "Which alerts did we have this week?"]);
    type Input = Input;
    type Output = Output;

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let reach = reach(cx.caller);
        let from = self.0.now().plus_seconds(-3_600 * input.hours.unwrap_or(24));
        let alerts = self.0.alerts(reach, from).into_iter();
        let items: Vec<AlertView> =
            alerts.map(AlertView::from).filter(|alert| wanted(input, alert)).collect();
        let firing = items.iter().filter(|alert| alert.ended_at.is_none()).count();
        Ok(Output { items, firing, scope: reach.into(), source: EMBEDDED })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("{} alerts, {} of them firing", output.items.len(), output.firing)
    }
}

fn wanted(input: &Input, alert: &AlertView) -> bool {
    let status = match input.status.unwrap_or_default() {
        Status::Firing => alert.ended_at.is_none(),
        Status::Resolved => alert.ended_at.is_some(),
        Status::All => true,
    };
    let severity = match input.severity {
        Some(Urgency::Warning) => alert.severity == "warning",
        Some(Urgency::Critical) => alert.severity == "critical",
        None => true,
    };
    status && severity
}

impl From<Alert> for AlertView {
    fn from(alert: Alert) -> Self {
        Self {
            name: alert.rule,
            severity: alert.severity.as_str(),
            status: if alert.ended.is_some() { "resolved" } else { "firing" },
            subject: alert.subject,
            scope: alert.reach.into(),
            summary: alert.summary,
            since: alert.since,
            ended_at: alert.ended,
        }
    }
}
