//! What a single execution costs.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_model::Ts;
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::analytics::{self, DayCost};

use super::{
    figures::{Ratio, growth},
    window::{Days, Window, date},
};

/// The action.
pub struct GetCostPerExecution;

/// What executions cost.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Cost {
    /// Executions that ended and that model calls were reported for.
    pub samples: i64,
    /// Executions that ended and that none were reported for: what they cost is not known, and they don't count.
    pub without_model_calls: i64,
    /// What those with model calls cost together, in millionths of a dollar; null where there are none.
    pub cost_microusd: Option<i64>,
    /// What one cost on average, in millionths of a dollar; null where there are none.
    pub mean_microusd: Option<i64>,
}

impl Cost {
    fn of<'r>(rows: impl Iterator<Item = &'r DayCost> + Clone) -> Self {
        let sum = |field: fn(&DayCost) -> i64| rows.clone().map(field).sum::<i64>();
        let (samples, cost) = (sum(|row| row.samples), sum(|row| row.cost_microusd));
        Self {
            samples,
            without_model_calls: sum(|row| row.no_calls),
            cost_microusd: (samples > 0).then_some(cost),
            mean_microusd: Ratio { part: cost, whole: samples }.mean(),
        }
    }

    fn ratio(&self) -> Ratio {
        Ratio { part: self.cost_microusd.unwrap_or_default(), whole: self.samples }
    }
}

/// What executions that ended on one day cost.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Day {
    /// The day in UTC, such as `2026-01-31`.
    #[schemars(extend("x-ours" = true))]
    pub day: String,
    /// What they cost.
    #[serde(flatten)]
    pub cost: Cost,
}

/// The first half of the time against the second one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Halves {
    /// Where the second half begins.
    pub middle: Ts,
    /// Executions that ended before.
    pub first: Cost,
    /// Executions that ended since.
    pub second: Cost,
    /// How much more one cost on average in the second half, per hundred, to one decimal, negative where it was less;
    /// null where a half has none, or the first cost nothing.
    pub change_percent: Option<f64>,
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The time that was looked at.
    #[serde(flatten)]
    pub window: Window,
    /// All executions that ended in it.
    #[serde(flatten)]
    pub all: Cost,
    /// By the day on which they ended, in order; days on which none ended are left out.
    pub days: Vec<Day>,
    /// The first half against the second one.
    pub halves: Halves,
}

impl ReadAction for GetCostPerExecution {
    const SPEC: Spec =
        Spec::read("platform_get_cost_per_execution", Category::Analytics, Permission::ANALYTICS_READ)
            .describe("Get what one execution costs on average, per day, and the first half of the time against the second.")
            .tags(&["cost", "execution", "run", "average", "trend"])
            .examples(&["What does one run cost us?", "Are our runs getting more expensive?"]);
    type Input = Days;
    type Output = Output;

    async fn run(cx: &mut ReadCx<'_>, input: &Days) -> Result<Output, ActionError> {
        let window = input.window(cx.now);
        let middle = window.middle();
        let rows = analytics::costs(cx.tx, window.span(), middle.as_micros()).await?;
        let first = Cost::of(rows.iter().filter(|row| !row.late));
        let second = Cost::of(rows.iter().filter(|row| row.late));
        let change_percent = growth(second.ratio(), first.ratio());
        // The day of the middle comes in two rows, one behind the other.
        let days = rows.chunk_by(|a, b| a.day == b.day);
        let days =
            days.filter_map(|rows| Some(Day { day: date(rows.first()?.day), cost: Cost::of(rows.iter()) }));
        Ok(Output {
            window,
            all: Cost::of(rows.iter()),
            days: days.collect(),
            halves: Halves { middle, first, second, change_percent },
        })
    }

    fn describe(_: &Days, output: &Output) -> String {
        match output.all.mean_microusd {
            Some(mean) => format!("One execution cost {mean} microdollars on average"),
            None => "No execution with model calls ended in this time".to_owned(),
        }
    }
}
