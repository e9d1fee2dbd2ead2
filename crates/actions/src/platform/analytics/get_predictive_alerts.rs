//! Warns of rising cost, loops of model calls and overloaded agents.

mod alert;
mod rules;

use toolcrib_engine::prelude::*;

use alert::{Alert, Check};

pub struct GetPredictiveAlerts;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only alerts with at least this confidence. Default: 60.
    #[schemars(range(min = 0, max = 100))]
    pub min_confidence: Option<i64>,
}

/// Result of `platform_get_predictive_alerts`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Minimum confidence of the alerts.
    pub min_confidence: i64,
    /// Alerts, highest confidence first.
    pub alerts: Vec<Alert>,
    /// Result of every rule, with and without an alert.
    pub checks: Vec<Check>,
}

impl ReadAction for GetPredictiveAlerts {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_predictive_alerts", Category::Analytics, Permission::ANALYTICS_READ)
            .describe("Predict trouble: cost that jumps, loops of model calls, overloaded agents, each alert with its numbers.")
            .tags(&["predict", "alert", "warning", "anomaly", "forecast"])
            .examples(&["Is there trouble coming?", "Is any agent overloaded or looping?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let min_confidence = input.min_confidence.unwrap_or(60);
        let seen = [rules::cost(cx).await?, rules::model_calls(cx).await?, rules::busy_agents(cx).await?];
        let (mut alerts, mut checks) = (Vec::new(), Vec::new());
        for (mut check, raised) in seen {
            let (shown, hidden): (Vec<Alert>, Vec<Alert>) =
                raised.into_iter().partition(|alert| alert.confidence >= min_confidence);
            check.alerts = shown.len();
            check.below_min_confidence = hidden.len();
            alerts.extend(shown);
            checks.push(check);
        }
        alerts.sort_by_key(|alert| std::cmp::Reverse(alert.confidence));
        Ok(Output { min_confidence, alerts, checks })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let alerts = count(output.alerts.len(), "alert");
        format!("Found {alerts} with a confidence of at least {}", output.min_confidence)
    }
}
