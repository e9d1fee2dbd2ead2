//! The current and the ended alerts.

use std::collections::{BTreeMap, VecDeque};

use toolcrib_model::{Ts, closed_set};

use super::DataScope;

/// The maximum number of ended alerts that are stored.
const KEPT: usize = 1_000;

closed_set! {
    "a severity",
    #[derive(PartialOrd, Ord)]
    Severity {
        /// A person should look at the alert within a day.
        Warning = "warning",
        /// A person should look at the alert now.
        Critical = "critical",
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Alert {
    /// The rule, such as `high_error_rate`.
    pub rule: &'static str,
    pub severity: Severity,
    /// The name of a component, or `calls`.
    pub subject: String,
    /// The scope of the data that caused the alert.
    pub reach: DataScope,
    /// What is wrong, with numbers.
    pub summary: String,
    /// When the alert began.
    pub since: Ts,
    /// When the alert ended. `None` while it fires.
    pub ended: Option<Ts>,
}

type Key = (&'static str, String, DataScope);

/// The firing and the ended alerts.
#[derive(Debug, Default)]
pub struct AlertLog {
    firing: BTreeMap<Key, Alert>,
    ended: VecDeque<Alert>,
}

impl AlertLog {
    /// Replaces the firing alerts with `found`, the current result of the rules. An alert that already fired
    /// keeps its start time. An alert that is not in `found` ends at `now`.
    pub fn update(&mut self, now: Ts, found: Vec<Alert>) {
        let mut before = std::mem::take(&mut self.firing);
        for mut alert in found {
            let key = (alert.rule, alert.subject.clone(), alert.reach);
            if let Some(known) = before.remove(&key) {
                alert.since = known.since;
            }
            self.firing.insert(key, alert);
        }
        for mut alert in before.into_values() {
            alert.ended = Some(now);
            self.ended.push_front(alert);
        }
        self.ended.truncate(KEPT);
    }

    /// Returns the alerts with exactly this scope, or all alerts for [`DataScope::Platform`]. Firing alerts
    /// come first, then those that ended at or after `from`, each newest first.
    pub fn list(&self, reach: DataScope, from: Ts) -> Vec<Alert> {
        let mine = |alert: &&Alert| reach == DataScope::Platform || alert.reach == reach;
        let mut firing: Vec<Alert> = self.firing.values().filter(mine).cloned().collect();
        firing.sort_by_key(|alert| std::cmp::Reverse(alert.since));
        let ended = self.ended.iter().filter(mine).filter(|alert| alert.ended >= Some(from));
        firing.extend(ended.cloned());
        firing
    }
}
