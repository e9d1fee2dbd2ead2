//! An alert, its evidence and its confidence.

use std::collections::BTreeMap;

use toolcrib_engine::prelude::*;

use super::super::{figures::percent, window::Window};

/// Rule of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Rule {
    /// Cost of 7 days above 1.5 times the cost of the 7 days before.
    CostJump,
    /// More than 1,000 model calls in a full hour (UTC) of the last 24.
    ModelCallBurst,
    /// Agent busy for more than 85 % of the last 24 hours.
    BusyAgent,
}

/// Confidence of an alert, and its parts.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Confidence {
    /// Available part of the data that the rule uses, in percent. Contributes up to 70.
    pub data_percent: f64,
    /// Distance of the value from the threshold, in percent of the threshold or of the distance to the maximum.
    /// Contributes up to 30.
    pub excess_percent: f64,
    /// Description of the data.
    #[schemars(extend("x-ours" = true))]
    pub how: String,
}

/// A prediction of trouble.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Alert {
    /// Rule that raised the alert.
    pub rule: Rule,
    /// ID of the agent; null if the rule is about the whole workspace.
    pub agent_id: Option<Id>,
    /// Name of the agent; null also if the agent was deleted.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub agent_name: Option<String>,
    /// Description of the trouble.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub message: String,
    /// Value that exceeds the threshold.
    pub value: f64,
    /// Counts behind the value.
    #[schemars(extend("x-ours" = true))]
    pub numbers: BTreeMap<&'static str, i64>,
    /// Confidence, 0 to 100.
    pub confidence: i64,
    /// Parts of the confidence.
    pub confidence_from: Confidence,
}

/// Result of a rule.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Check {
    /// The rule.
    pub rule: Rule,
    /// Period of the figures.
    #[serde(flatten)]
    pub window: Window,
    /// Number of model calls or executions behind the value.
    pub samples: i64,
    /// Largest value: factor against the cost before, calls in an hour, or percent of the time; null without data.
    pub value: Option<f64>,
    /// Threshold above which the rule raises an alert.
    pub threshold: f64,
    /// Number of returned alerts.
    pub alerts: usize,
    /// Number of alerts below `min_confidence`.
    pub below_min_confidence: usize,
}

impl Check {
    /// Creates a check without alerts.
    pub const fn new(rule: Rule, window: Window, samples: i64, value: Option<f64>, threshold: f64) -> Self {
        Self { rule, window, samples, value, threshold, alerts: 0, below_min_confidence: 0 }
    }
}

/// A part of a whole, at most the whole.
#[derive(Clone, Copy, Debug)]
pub struct Share(i128, i128);

impl Share {
    pub fn new(part: i128, whole: i128) -> Self {
        if whole > 0 { Self(part.clamp(0, whole), whole) } else { Self(0, 1) }
    }

    fn percent(self) -> f64 {
        let scaled = i64::try_from(self.0 * 1_000_000 / self.1).unwrap_or(1_000_000);
        percent(scaled, 1_000_000).unwrap_or_default()
    }
}

/// Returns the confidence of an alert: up to 70 for complete data and up to 30 for a value far above the
/// threshold.
pub fn confidence(data: Share, excess: Share, how: String) -> (i64, Confidence) {
    let points = (70 * data.0 * excess.1 + 30 * excess.0 * data.1) / (data.1 * excess.1);
    let from = Confidence { data_percent: data.percent(), excess_percent: excess.percent(), how };
    (i64::try_from(points).unwrap_or(100), from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_gives_seventy_and_excess_thirty() {
        let made = |data, excess| confidence(data, excess, String::new()).0;
        let all = Share::new(1, 1);
        assert_eq!(made(all, Share::new(0, 5)), 70);
        assert_eq!(made(all, Share::new(9, 5)), 100);
        // 7 of 14 days: 35; a third of the way: 10.
        assert_eq!(made(Share::new(7, 14), Share::new(1, 3)), 45);
        assert_eq!(made(Share::new(1, 0), Share::new(-1, 3)), 0);
        let (_, from) = confidence(Share::new(1, 3), Share::new(2, 3), "x".into());
        assert_eq!((from.data_percent, from.excess_percent), (33.3, 66.7));
    }
}
