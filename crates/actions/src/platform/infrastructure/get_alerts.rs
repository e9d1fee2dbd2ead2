//! List alerts: what is wrong now, and what was.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_connectors::{
    alertmanager::OutsideAlert,
    embedded::{Alert, DataScope},
};
use toolcrib_engine::{ActionError, ExternalAction, ExternalCx};
use toolcrib_model::Ts;
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::alerts::AlertRow;

use super::{
    upstream::upstream,
    view::{ALERTMANAGER, EMBEDDED, Scope, reach},
};
use crate::Infrastructure;

/// The action.
pub struct GetAlerts(pub Infrastructure);

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
    #[schemars(extend("x-untrusted" = "alerts"))]
    pub name: String,
    /// `warning` or `critical`, or what the rule says else; null where it says nothing.
    #[schemars(extend("x-untrusted" = "alerts"))]
    pub severity: Option<String>,
    /// `firing` or `resolved`.
    #[schemars(extend("x-ours" = true))]
    pub status: &'static str,
    /// What it is about.
    #[schemars(extend("x-untrusted" = "alerts"))]
    pub subject: String,
    /// Whether it is about one workspace or the platform.
    pub scope: Scope,
    /// What is wrong, with the numbers.
    #[schemars(extend("x-untrusted" = "alerts"))]
    pub summary: String,
    /// Since when.
    pub since: Ts,
    /// Until when; null while it lasts.
    pub ended_at: Option<Ts>,
    /// Whether nobody is told of it, because it is silenced or another one stands for it.
    pub silenced: bool,
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
    #[schemars(extend("x-ours" = true))]
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
        format!("{} alerts, {} of them firing", output.items.len(), output.firing)
    }
}

impl GetAlerts {
    /// What Alertmanager says: what its API lists fires, what its webhook delivered ended. Without the API what was
    /// delivered lately and did not end fires. Absent where neither is configured.
    async fn outside(&self, reach: DataScope, from: Ts) -> Result<Option<Vec<AlertView>>, ActionError> {
        let api = self.0.connectors.alertmanager.as_ref();
        let mut delivered = match &self.0.inbox {
            Some(inbox) => inbox.since(reach, from).await?,
            None if api.is_none() => return Ok(None),
            None => Vec::new(),
        };
        let mut firing: Vec<AlertView> = Vec::new();
        if let Some(api) = api {
            let listed = api.alerts(reach).await.map_err(|fault| upstream("Alertmanager", &fault))?;
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
