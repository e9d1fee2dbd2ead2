//! How much waits and runs, and the trend.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_model::{Id, Ts};
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::analytics::{self, HourDepth};

/// So many full hours are looked at.
const HOURS: i64 = 24;
/// An hour, in microseconds.
const HOUR: i64 = 3_600_000_000;

/// The action.
pub struct GetQueueDepth;

/// What it takes: nothing.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// The execution that waits longest.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Oldest {
    /// The execution.
    pub execution_id: Id,
    /// Its playbook's name.
    #[schemars(extend("x-untrusted" = "playbooks"))]
    pub playbook_name: Option<String>,
    /// Since when it waits.
    pub since: Ts,
    /// How long that is, in whole seconds.
    pub waiting_seconds: i64,
}

/// How the number of waiting executions moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Direction {
    /// More wait in the later hours.
    Rising,
    /// As many wait.
    Level,
    /// Fewer wait in the later hours.
    Falling,
}

/// How much there was at a full hour.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Hour {
    /// The hour.
    pub at: Ts,
    /// Executions that waited.
    pub queued: i64,
    /// Executions that ran.
    pub running: i64,
}

/// The last 24 full hours.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Trend {
    /// How many of the hours are behind the workspace's first execution.
    pub samples: usize,
    /// How many waited in the later half of these hours against the earlier half; an odd one in the middle counts for
    /// neither. Null below two hours.
    pub direction: Option<Direction>,
    /// The hours, in order.
    pub hours: Vec<Hour>,
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Executions that wait now.
    pub queued: i64,
    /// Executions that run now.
    pub running: i64,
    /// The one that waits longest; null where none waits.
    pub oldest_waiting: Option<Oldest>,
    /// The last 24 full hours, worked out from when executions were asked for, began and ended.
    pub trend: Trend,
}

impl ReadAction for GetQueueDepth {
    const SPEC: Spec = Spec::read(
        "platform_get_queue_depth",
        Category::Analytics,
        Permission::ANALYTICS_READ,
    )
    .describe("Get how many executions wait and run now, the one that waits longest, and the last 24 hours.")
    .tags(&["queue", "depth", "backlog", "waiting", "trend"])
    .examples(&["How long is the queue?", "Is the backlog growing?"]);
    type Input = Input;
    type Output = Output;

    async fn run(cx: &mut ReadCx<'_>, _: &Input) -> Result<Output, ActionError> {
        let open = analytics::open(cx.tx).await?;
        let oldest = analytics::oldest_queued(cx.tx).await?.map(|row| Oldest {
            execution_id: row.id,
            playbook_name: row.playbook_name,
            since: row.created_at,
            waiting_seconds: cx.now.micros_since(row.created_at) / 1_000_000,
        });
        let hours = match analytics::first_execution(cx.tx).await? {
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

    fn describe(_: &Input, output: &Output) -> String {
        format!("{} executions wait, {} run", output.queued, output.running)
    }
}

impl From<HourDepth> for Hour {
    fn from(row: HourDepth) -> Self {
        Self { at: Ts::from_micros(row.mark), queued: row.queued, running: row.running }
    }
}

/// The last full hours; those before the first execution are left out.
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
