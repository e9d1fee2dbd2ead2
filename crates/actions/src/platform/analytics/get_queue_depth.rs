//! Gets the number of queued and running executions, and the trend.

use std::cmp::Ordering;

use toolcrib_engine::prelude::*;
use toolcrib_store::analytics::{self, HourDepth};

use crate::shared::NoArguments;

/// Number of full hours in the trend.
const HOURS: i64 = 24;
/// An hour, in microseconds.
const HOUR: i64 = 3_600_000_000;

pub struct GetQueueDepth;

/// The execution that has waited longest.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Oldest {
    /// ID of the execution.
    pub execution_id: Id,
    /// Name of its playbook.
    #[schemars(extend("x-untrusted" = "playbooks"))]
    pub playbook_name: Option<String>,
    /// Start of the wait.
    pub since: Ts,
    /// Length of the wait in whole seconds.
    pub waiting_seconds: i64,
}

/// Direction of the number of queued executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Direction {
    /// More queued executions in the later hours.
    Rising,
    /// The same number.
    Level,
    /// Fewer queued executions in the later hours.
    Falling,
}

/// Number of executions at a full hour.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Hour {
    /// The hour.
    pub at: Ts,
    /// Number of queued executions.
    pub queued: i64,
    /// Number of running executions.
    pub running: i64,
}

/// The last 24 full hours.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Trend {
    /// Number of hours since the workspace's first execution.
    pub samples: usize,
    /// Queued executions in the later half of the hours compared with the earlier half, without an odd hour in the
    /// middle. Null below two hours.
    pub direction: Option<Direction>,
    /// Hours in order.
    pub hours: Vec<Hour>,
}

/// Result of `platform_get_queue_depth`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Number of executions that are queued now.
    pub queued: i64,
    /// Number of executions that are running now.
    pub running: i64,
    /// Execution that has waited longest; null if none is queued.
    pub oldest_waiting: Option<Oldest>,
    /// The last 24 full hours, computed from the times of creation, start and end of executions.
    pub trend: Trend,
}

impl ReadAction for GetQueueDepth {
    type Input = NoArguments;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_queue_depth", Category::Analytics, Permission::ANALYTICS_READ)
            .describe("Get how many executions are queued and running now, the one that has waited longest, and the last 24 hours.")
            .tags(&["queue", "depth", "backlog", "waiting", "trend"])
            .examples(&["How long is the queue?", "Is the backlog growing?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &NoArguments) -> Result<Output, ActionError> {
        let open = analytics::open(cx.tx).await?;
        let first = analytics::first_execution(cx.tx).await?;
        let oldest = analytics::oldest_queued(cx.tx).await?.map(|row| Oldest {
            execution_id: row.id,
            playbook_name: row.playbook_name,
            since: row.created_at,
            waiting_seconds: cx.now.micros_since(row.created_at) / 1_000_000,
        });
        let hours = match first {
            Some(first) => hours(cx, first).await?,
            None => Vec::new(),
        };
        let trend = Trend {
            samples: hours.len(),
            direction: direction(&hours),
            hours: hours.into_iter().map(Hour::from).collect(),
        };
        Ok(Output { queued: open.queued, running: open.running, oldest_waiting: oldest, trend })
    }

    fn describe(_: &NoArguments, output: &Output) -> String {
        format!("{} queued, {} running", count(output.queued, "execution"), output.running)
    }
}

impl From<HourDepth> for Hour {
    fn from(row: HourDepth) -> Self {
        Self { at: Ts::from_micros(row.mark), queued: row.queued, running: row.running }
    }
}

/// Returns the last full hours, without those before the first execution.
async fn hours(cx: &mut ReadCx<'_>, first_execution: i64) -> Result<Vec<HourDepth>, ActionError> {
    let last = cx.now.as_micros() - cx.now.as_micros().rem_euclid(HOUR);
    let earliest = last - (HOURS - 1) * HOUR;
    let first_known = first_execution + (-first_execution).rem_euclid(HOUR);
    let first = earliest.max(first_known);
    if first > last {
        return Ok(Vec::new());
    }
    Ok(analytics::hourly(cx.tx, first, last).await?)
}

fn direction(hours: &[HourDepth]) -> Option<Direction> {
    let half = hours.len() / 2;
    let sum = |hours: &[HourDepth]| hours.iter().map(|hour| hour.queued).sum::<i64>();
    let (earlier, later) = (hours.get(..half)?, hours.get(hours.len() - half..)?);
    (half > 0).then(|| match sum(later).cmp(&sum(earlier)) {
        Ordering::Greater => Direction::Rising,
        Ordering::Equal => Direction::Level,
        Ordering::Less => Direction::Falling,
    })
}
