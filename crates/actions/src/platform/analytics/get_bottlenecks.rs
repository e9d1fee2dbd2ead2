//! Finds bottlenecks: failures, queues, slow runs.

use toolcrib_engine::prelude::*;
use toolcrib_store::analytics::{self, OfPlaybook, Open};

use super::{
    figures::{median, percent, real, seconds},
    window::Window,
};
use crate::shared::NoArguments;

/// Number of playbooks in `worst`.
const NAMED: usize = 3;

pub struct GetBottlenecks;

/// Kind of bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Kind {
    /// Failed executions in percent of completed and failed ones. Bottleneck above 15, high above 30.
    FailureRate,
    /// Number of queued executions. Bottleneck above 10, high above 50.
    Queue,
    /// Median duration of completed executions in seconds. Bottleneck above 300.
    SlowRuns,
}

/// Severity of a bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Severity {
    /// Above `bound`.
    Medium,
    /// Above `high_bound`.
    High,
}

/// A playbook that contributes to a bottleneck.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Culprit {
    /// ID of the playbook; null for executions without one.
    pub playbook_id: Option<Id>,
    /// Name of the playbook.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub name: Option<String>,
    /// Number of executions behind the value.
    pub samples: i64,
    /// The same figure for this playbook only.
    pub value: f64,
}

/// A check for one bottleneck, with its evidence.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Check {
    /// Kind of bottleneck.
    pub kind: Kind,
    /// Severity; null if there is no bottleneck or no data.
    pub severity: Option<Severity>,
    /// The figure: percent, a count, or seconds; null without samples.
    pub value: Option<f64>,
    /// Bound above which the value is a bottleneck.
    pub bound: i64,
    /// Bound above which the severity is high; null if there is none.
    pub high_bound: Option<i64>,
    /// Number of executions behind the figure.
    pub samples: i64,
    /// The three worst playbooks, worst first; empty for `queue`.
    pub worst: Vec<Culprit>,
}

/// Result of `platform_get_bottlenecks`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Period in which the executions ended: 7 days of 24 hours.
    #[serde(flatten)]
    pub window: Window,
    /// Number of bottlenecks.
    pub found: usize,
    /// All checks, with and without a bottleneck.
    pub checks: Vec<Check>,
}

impl ReadAction for GetBottlenecks {
    type Input = NoArguments;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_bottlenecks", Category::Analytics, Permission::ANALYTICS_READ)
            .describe("Find bottlenecks that hold work up: failures above 15 %, more than 10 queued, median above 300 s, with evidence.")
            .tags(&["bottleneck", "slow", "failures", "queue", "diagnose"])
            .examples(&["What is slowing us down?", "Where are the bottlenecks?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &NoArguments) -> Result<Output, ActionError> {
        let window = Window::days(Some(7), cx.now);
        let span = window.span();
        let playbooks = analytics::by_playbook(cx.tx, span).await?;
        let durations = analytics::durations(cx.tx, span, i64::MAX).await?;
        let Open { queued, .. } = analytics::open(cx.tx).await?;
        let queue = Check {
            kind: Kind::Queue,
            severity: severity(queued > 10, queued > 50),
            value: Some(real(queued.into())),
            bound: 10,
            high_bound: Some(50),
            samples: queued,
            worst: Vec::new(),
        };
        let median = median(durations.low, durations.high);
        let checks = vec![failures(&playbooks), queue, slow_runs(&playbooks, median)];
        let found = checks.iter().filter(|check| check.severity.is_some()).count();
        Ok(Output { window, found, checks })
    }

    fn describe(_: &NoArguments, output: &Output) -> String {
        format!("Found {}", count(output.found, "bottleneck"))
    }
}

fn failures(playbooks: &[OfPlaybook]) -> Check {
    let ended = |row: &OfPlaybook| row.completed + row.failed;
    let samples = playbooks.iter().map(ended).sum();
    let failed: i64 = playbooks.iter().map(|row| row.failed).sum();
    let mut rows: Vec<&OfPlaybook> = playbooks.iter().filter(|row| row.failed > 0).collect();
    rows.sort_by(|a, b| {
        let rate = (b.failed * ended(a)).cmp(&(a.failed * ended(b)));
        rate.then_with(|| ended(b).cmp(&ended(a))).then_with(|| a.name.cmp(&b.name))
    });
    let one = |row: &&OfPlaybook| culprit(row, ended(row), percent(row.failed, ended(row)));
    Check {
        kind: Kind::FailureRate,
        severity: severity(failed * 100 > samples * 15, failed * 100 > samples * 30),
        value: percent(failed, samples),
        bound: 15,
        high_bound: Some(30),
        samples,
        worst: rows.iter().filter_map(one).take(NAMED).collect(),
    }
}

fn slow_runs(playbooks: &[OfPlaybook], middle: Option<i64>) -> Check {
    let of = |row: &OfPlaybook| median(row.low, row.high);
    let mut rows: Vec<&OfPlaybook> = playbooks.iter().filter(|row| row.timed > 0).collect();
    rows.sort_by(|a, b| of(b).cmp(&of(a)).then_with(|| a.name.cmp(&b.name)));
    let one = |row: &&OfPlaybook| culprit(row, row.timed, of(row).map(seconds));
    Check {
        kind: Kind::SlowRuns,
        severity: severity(middle.is_some_and(|micros| micros > 300_000_000), false),
        value: middle.map(seconds),
        bound: 300,
        high_bound: None,
        samples: playbooks.iter().map(|row| row.timed).sum(),
        worst: rows.iter().filter_map(one).take(NAMED).collect(),
    }
}

fn culprit(row: &OfPlaybook, samples: i64, value: Option<f64>) -> Option<Culprit> {
    Some(Culprit { playbook_id: row.playbook_id, name: row.name.clone(), samples, value: value? })
}

fn severity(above: bool, high: bool) -> Option<Severity> {
    match (above, high) {
        (_, true) => Some(Severity::High),
        (true, false) => Some(Severity::Medium),
        (false, false) => None,
    }
}
