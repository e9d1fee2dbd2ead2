//! The alert rules. Rules about calls use the last five minutes and need a minimum number of calls.

use toolcrib_model::Ts;

use super::{
    DataScope,
    alerts::{Alert, Severity},
    calls::{CallCounts, Calls},
    probe::Component,
};

/// The window of the rules in seconds: the current minute and the four before.
pub const WINDOW_SECONDS: i64 = 4 * 60;
/// The minimum number of calls. With fewer, the rules give no alert.
const ENOUGH: u64 = 20;
/// The shares of failed calls above which an alert is a warning and critical.
const ERRORS: (f64, f64) = (0.05, 0.20);
/// The share of calls refused by limits above which there is a warning.
const LIMITED: f64 = 0.20;
/// The 95th percentile in milliseconds above which there is a warning.
const SLOW: f64 = 2_000.0;

/// Evaluates the rules for the platform and for each workspace with calls. Returns the alerts.
pub fn evaluate(now: Ts, calls: &CallCounts, components: &[Component]) -> Vec<Alert> {
    let from = now.plus_seconds(-WINDOW_SECONDS);
    let mut found: Vec<Alert> = components.iter().filter_map(down).collect();
    found.extend(about(now, DataScope::Platform, &calls.sum(DataScope::Platform, from, now)));
    for workspace in calls.workspaces(from) {
        let reach = DataScope::Workspace(workspace);
        found.extend(about(now, reach, &calls.sum(reach, from, now)));
    }
    found
}

fn down(component: &Component) -> Option<Alert> {
    (component.ok == Some(false)).then(|| Alert {
        rule: "component_down",
        severity: Severity::Critical,
        subject: component.name.clone(),
        reach: DataScope::Platform,
        summary: format!("`{}` does not answer", component.name),
        since: component.since,
        ended: None,
    })
}

fn about(now: Ts, reach: DataScope, calls: &Calls) -> Vec<Alert> {
    if calls.total < ENOUGH {
        return Vec::new();
    }
    let alert = |rule, severity, summary| Alert {
        rule,
        severity,
        subject: "calls".to_owned(),
        reach,
        summary,
        since: now,
        ended: None,
    };
    let mut found = Vec::new();
    let errors = calls.share(calls.errors).unwrap_or_default();
    if errors > ERRORS.0 {
        let severity = if errors > ERRORS.1 { Severity::Critical } else { Severity::Warning };
        let summary = format!("{} of {} calls failed in 5 minutes", calls.errors, calls.total);
        found.push(alert("high_error_rate", severity, summary));
    }
    if calls.share(calls.limited).unwrap_or_default() > LIMITED {
        let summary =
            format!("{} of {} calls were refused by a limit in 5 minutes", calls.limited, calls.total);
        found.push(alert("limit_refusals", Severity::Warning, summary));
    }
    if let Some(slow) = calls.quantile(0.95).filter(|slow| *slow > SLOW) {
        let summary = format!("the slowest 5 % of calls took {slow:.0} ms or more in 5 minutes");
        found.push(alert("high_latency", Severity::Warning, summary));
    }
    found
}
