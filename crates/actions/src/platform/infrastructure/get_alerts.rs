//! Lists alerts that fire or that ended lately.

use toolcrib_connectors::{
    alertmanager::OutsideAlert,
    embedded::{Alert, DataScope},
};
use toolcrib_engine::prelude::*;
use toolcrib_store::alerts::AlertRow;

use super::view::{ALERTMANAGER, EMBEDDED, Scope, reach, upstream};
use crate::Infrastructure;

pub struct GetAlerts(pub Infrastructure);

/// Status of alerts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Status {
    /// Alerts that fire now.
    Firing,
    /// Alerts that ended.
    Resolved,
    /// All alerts.
    #[default]
    All,
}

/// Severity of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Urgency {
    /// Needs attention today.
    Warning,
    /// Needs attention now.
    Critical,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only alerts with this status. Default: `all`.
    #[schemars(extend("x-plain-words" = true))]
    pub status: Option<Status>,
    /// Only alerts of this severity.
    #[schemars(extend("x-plain-words" = true))]
    pub severity: Option<Urgency>,
    /// Number of past hours for ended alerts. Default: 24.
    #[schemars(range(min = 1, max = 168))]
    pub hours: Option<i64>,
}

/// An alert.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AlertView {
    /// Name of the rule that raised the alert.
    #[schemars(extend("x-untrusted" = "alerts"))]
    pub name: String,
    /// Severity: `warning`, `critical` or another word of the rule; null if the rule has none.
    #[schemars(extend("x-untrusted" = "alerts"))]
    pub severity: Option<String>,
    /// Status: `firing` or `resolved`.
    #[schemars(extend("x-ours" = true))]
    pub status: &'static str,
    /// What the alert is about.
    #[schemars(extend("x-untrusted" = "alerts"))]
    pub subject: String,
    /// Whether the alert is about one workspace or the platform.
    pub scope: Scope,
    /// Description of the problem, with its numbers.
    #[schemars(extend("x-untrusted" = "alerts"))]
    pub summary: String,
    /// Start of the alert.
    pub since: Ts,
    /// End of the alert; null while it fires.
    pub ended_at: Option<Ts>,
    /// Whether notifications are suppressed, by a silence or by another alert.
    pub silenced: bool,
}

/// Result of `platform_get_alerts`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Alerts: firing ones first, then ended ones, each newest first.
    pub items: Vec<AlertView>,
    /// Number of firing alerts.
    pub firing: usize,
    /// Scope of the alerts.
    pub scope: Scope,
    /// Source of the alerts.
    #[schemars(extend("x-ours" = true))]
    pub source: &'static str,
}

impl ExternalAction for GetAlerts {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_alerts", Category::Infrastructure, Permission::INFRASTRUCTURE_READ)
            .admin_only()
            .external()
            .describe("List alerts that are firing or ended lately, with rule, severity and start.")
            .tags(&["alerts", "incident", "firing", "outage", "alarm"])
            .examples(&["Is anything firing right now?", "Which alerts did we have this week?"])
    }

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let reach = reach(cx.caller);
        let from = self.0.platform.now().plus_seconds(-3_600 * input.hours.unwrap_or(24));
        let (alerts, source) = match self.outside(reach, from).await? {
            Some(alerts) => (alerts, ALERTMANAGER),
            None => {
                (self.0.platform.alerts(reach, from).into_iter().map(AlertView::from).collect(), EMBEDDED)
            }
        };
        let items: Vec<AlertView> = alerts.into_iter().filter(|alert| wanted(input, alert)).collect();
        let firing = items.iter().filter(|alert| alert.ended_at.is_none()).count();
        Ok(Output { items, firing, scope: reach.into(), source })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Found {}, {} firing", count(output.items.len(), "alert"), output.firing)
    }
}

impl GetAlerts {
    /// Returns alerts from Alertmanager: firing ones from its API, ended ones from its webhook. Without the
    /// API, firing ones are those that were delivered lately and did not end. Returns `None` if neither is
    /// configured.
    async fn outside(&self, reach: DataScope, from: Ts) -> Result<Option<Vec<AlertView>>, ActionError> {
        let api = self.0.connectors.alertmanager.as_ref();
        let mut delivered = match &self.0.inbox {
            Some(inbox) => inbox.since(reach, from).await?,
            None if api.is_none() => return Ok(None),
            None => Vec::new(),
        };
        let mut firing: Vec<AlertView> = Vec::new();
        if let Some(api) = api {
            let listed = api.alerts(reach).await.map_err(|error| upstream("Alertmanager", &error))?;
            firing.extend(listed.into_iter().map(AlertView::from));
            delivered.retain(|row| row.ended_at.is_some());
        }
        let mut ended = Vec::new();
        for alert in delivered.into_iter().map(AlertView::from) {
            match alert.ended_at {
                Some(at) if at >= from => ended.push(alert),
                Some(_) => {}
                None => firing.push(alert),
            }
        }
        firing.sort_by_key(|alert| std::cmp::Reverse(alert.since));
        ended.sort_by_key(|alert| std::cmp::Reverse(alert.ended_at));
        firing.extend(ended);
        Ok(Some(firing))
    }
}

fn wanted(input: &Input, alert: &AlertView) -> bool {
    let status = match input.status.unwrap_or_default() {
        Status::Firing => alert.ended_at.is_none(),
        Status::Resolved => alert.ended_at.is_some(),
        Status::All => true,
    };
    let severity = match input.severity {
        Some(Urgency::Warning) => alert.severity.as_deref() == Some("warning"),
        Some(Urgency::Critical) => alert.severity.as_deref() == Some("critical"),
        None => true,
    };
    status && severity
}

impl From<Alert> for AlertView {
    fn from(alert: Alert) -> Self {
        Self {
            name: alert.rule.to_owned(),
            severity: Some(alert.severity.as_str().to_owned()),
            status: status(alert.ended),
            subject: alert.subject,
            scope: alert.reach.into(),
            summary: alert.summary,
            since: alert.since,
            ended_at: alert.ended,
            silenced: false,
        }
    }
}

impl From<OutsideAlert> for AlertView {
    fn from(alert: OutsideAlert) -> Self {
        Self {
            name: alert.name,
            severity: alert.severity,
            status: status(alert.ended),
            subject: alert.subject,
            scope: if alert.workspace.is_some() { Scope::Workspace } else { Scope::Platform },
            summary: alert.summary,
            since: alert.since,
            ended_at: alert.ended,
            silenced: alert.silenced,
        }
    }
}

impl From<AlertRow> for AlertView {
    fn from(row: AlertRow) -> Self {
        let ended = row.ended_at.map(Ts::from_micros);
        Self {
            name: row.name,
            severity: row.severity,
            status: status(ended),
            subject: row.subject,
            scope: if row.workspace_id.is_nil() { Scope::Platform } else { Scope::Workspace },
            summary: row.summary,
            since: row.starts_at,
            ended_at: ended,
            silenced: false,
        }
    }
}

fn status(ended: Option<Ts>) -> &'static str {
    if ended.is_some() { "resolved" } else { "firing" }
}
