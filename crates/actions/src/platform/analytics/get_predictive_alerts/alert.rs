//! An alert, what it is made of, and how sure it is.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_model::Id;

use super::super::{figures::percent, window::Window};

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Rule {
    /// The cost of 7 days is more than 1.5 times that of the 7 days before.
    CostJump,
    /// There were more than 1,000 model calls in a full hour (UTC) of the last 24.
    ModelCallBurst,
    /// An agent was busy for more than 85 in a hundred of the last 24 hours.
    BusyAgent,
}

/// How sure an alert is, and why.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Confidence {
    /// How much of the data that the rule looks at is there, per hundred; it gives up to 70.
    pub data_percent: f64,
    /// How far the value is from the threshold towards twice the threshold, or towards the most that is possible, per
    /// hundred; it gives up to 30.
    pub excess_percent: f64,
    /// What the data is.
    #[schemars(extend("x-ours" = true))]
    pub how: String,
}

/// Something that may become trouble.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Alert {
    /// The rule that raised it.
    pub rule: Rule,
    /// The agent; null where the rule looks at the whole workspace.
    pub agent_id: Option<Id>,
    /// Its name; null too where it is gone.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub agent_name: Option<String>,
    /// What is the matter.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub message: String,
    /// The value that exceeds the threshold.
    pub value: f64,
    /// What was counted.
    #[schemars(extend("x-ours" = true))]
    pub numbers: BTreeMap<&'static str, i64>,
    /// How sure it is, 0 to 100.
    pub confidence: i64,
    /// How that was made.
    pub confidence_from: Confidence,
}

/// A rule with what it saw.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Check {
    /// The rule.
    pub rule: Rule,
    /// The time that was looked at.
    #[serde(flatten)]
    pub window: Window,
    /// Model calls or executions that were looked at.
    pub samples: i64,
    /// The largest value: times the cost before, calls in an hour, or per hundred of the time; null where there is
    /// none.
    pub value: Option<f64>,
    /// What must be exceeded.
    pub threshold: f64,
    /// Alerts of it that are shown.
    pub alerts: usize,
    /// Alerts of it that are not sure enough to be shown.
    pub below_min_confidence: usize,
}

impl Check {
    /// Before anything was raised.
    pub const fn new(rule: Rule, window: Window, samples: i64, value: Option<f64>, threshold: f64) -> Self {
        Self { rule, window, samples, value, threshold, alerts: 0, below_min_confidence: 0 }
    }
}

/// A part of a whole; more than the whole counts as all of it.
#[derive(Clone, Copy, Debug)]
pub struct Share(i128, i128);

impl Share {
    /// `part` of `whole`.
    pub fn new(part: i128, whole: i128) -> Self {
        if whole > 0 { Self(part.clamp(0, whole), whole) } else { Self(0, 1) }
    }

    fn percent(self) -> f64 {
        let scaled = i64::try_from(self.0 * 1_000_000 / self.1).unwrap_or(1_000_000);
        percent(scaled, 1_000_000).unwrap_or_default()
    }
}

/// How sure an alert is: 70 for all of the data, 30 for a value far above the threshold.
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
