//! What holds work up: failures, queues, slow runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_model::Id;
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::analytics::{self, OfPlaybook};

use super::{
    figures::{median, percent, real, seconds},
    window::Window,
};

/// So many playbooks are named.
const NAMED: usize = 3;

/// The action.
pub struct GetBottlenecks;

/// What it takes: nothing.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// What may hold work up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Kind {
    /// Failed executions per hundred that completed or failed: more than 15, high above 30.
    FailureRate,
    /// Executions that wait now: more than 10, high above 50.
    Queue,
    /// The median time of completed executions in seconds: more than 300.
    SlowRuns,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Severity {
    /// Above the bound.
    Medium,
    /// Above the high bound.
    High,
}

/// A playbook that adds to it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Culprit {
    /// The playbook; null for executions of none.
    pub playbook_id: Option<Id>,
    /// Its name.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub name: Option<String>,
    /// Its executions that were looked at.
    pub samples: i64,
    /// The same figure for this playbook alone.
    pub value: f64,
}

/// One thing that was looked at, with its evidence.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Check {
    /// What was looked at.
    pub kind: Kind,
    /// How bad it is; null where it is no bottleneck, or nothing is known.
    pub severity: Option<Severity>,
    /// The figure: per hundred, a count, or seconds; null where there are no samples.
    pub value: Option<f64>,
    /// What must be exceeded.
    pub bound: i64,
    /// What must be exceeded for high; null where there is no such bound.
    pub high_bound: Option<i64>,
    /// How many executions the figure is made of.
    pub samples: i64,
    /// The three playbooks that stand worst, the worst first; empty for the queue.
    pub worst: Vec<Culprit>,
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The time in which executions ended that were looked at: 7 times 24 hours.
    #[serde(flatten)]
    pub window: Window,
    /// How many bottlenecks there are.
    pub found: usize,
    /// Everything that was looked at, whether it is a bottleneck or not.
    pub checks: Vec<Check>,
}

impl ReadAction for GetBottlenecks {
    const SPEC: Spec =
        Spec::read("platform_get_bottlenecks", Category::Analytics, Permission::ANALYTICS_READ)
            .describe("Find what holds work up: failures above 15 %, more than 10 waiting, median above 300 s, with evidence.")
            .tags(&["bottleneck", "slow", "failures", "queue", "diagnose"])
            .examples(&["What is slowing us down?", "Where are the bottlenecks?"]);
    type Input = Input;
    type Output = Output;

    async fn run(cx: &mut ReadCx<'_>, _: &Input) -> Result<Output, ActionError> {
        let window = Window::days(Some(7), cx.now);
        let playbooks = analytics::by_playbook(cx.tx, window.span()).await?;
        let took = analytics::took(cx.tx, window.span()).await?;
        let queued = analytics::open(cx.tx).await?.queued;
        let queue = Check {
            kind: Kind::Queue,
            severity: severity(queued > 10, queued > 50),
            value: Some(real(queued.into())),
            bound: 10,
            high_bound: Some(50),
            samples: queued,
            worst: Vec::new(),
        };
        let checks = vec![failures(&playbooks), queue, slow_runs(&playbooks, median(took.low, took.high))];
        let found = checks.iter().filter(|check| check.severity.is_some()).count();
        Ok(Output { window, found, checks })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Found {} bottlenecks", output.found)
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
