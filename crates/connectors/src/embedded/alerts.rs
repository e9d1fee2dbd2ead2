//! What is wrong now, since when, and what was.

use std::collections::{BTreeMap, VecDeque};

use toolcrib_model::Ts;

use super::DataScope;

/// How many ended alerts are kept.
const KEPT: usize = 1_000;

/// How urgent an alert is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Somebody should look at it today.
    Warning,
    /// Somebody should look at it now.
    Critical,
}

impl Severity {
    /// The wire word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}

/// Something that a rule found.
#[derive(Clone, Debug, PartialEq)]
pub struct Alert {
    /// The rule, such as `high_error_rate`.
    pub rule: &'static str,
    /// How urgent.
    pub severity: Severity,
    /// What it is about: a component's name, or `calls`.
    pub subject: String,
    /// Whose it is.
    pub reach: DataScope,
    /// What is wrong, with the numbers.
    pub summary: String,
    /// Since when.
    pub since: Ts,
    /// Until when; absent while it lasts.
    pub ended: Option<Ts>,
}

type Key = (&'static str, String, DataScope);

/// Alerts that last, and those that ended.
#[derive(Debug, Default)]
pub struct AlertBook {
    firing: BTreeMap<Key, Alert>,
    ended: VecDeque<Alert>,
}

impl AlertBook {
    /// Takes over what the rules find now: what is new begins, what lasts keeps its beginning, what is gone ended.
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

    /// Alerts of exactly this reach or, for the whole platform, of all: lasting ones first, then those that ended at
    /// or after `from`, each newest first.
    pub fn list(&self, reach: DataScope, from: Ts) -> Vec<Alert> {
        let mine = |alert: &&Alert| reach == DataScope::Platform || alert.reach == reach;
        let mut firing: Vec<Alert> = self.firing.values().filter(mine).cloned().collect();
        firing.sort_by_key(|alert| std::cmp::Reverse(alert.since));
        let ended = self.ended.iter().filter(mine).filter(|alert| alert.ended >= Some(from));
        firing.extend(ended.cloned());
        firing
    }
}
