//! Gets the cost of one execution.

use toolcrib_engine::prelude::*;
use toolcrib_model::dollars;
use toolcrib_store::analytics::{self, DayCost};

use super::{
    figures::{Ratio, growth},
    window::{Days, Window, date},
};

pub struct GetCostPerExecution;

/// Cost of executions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Cost {
    /// Number of ended executions with reported model calls.
    pub samples: i64,
    /// Number of ended executions without reported model calls. Their cost is unknown and not included.
    pub without_model_calls: i64,
    /// Total cost in millionths of a US dollar; null without samples.
    pub cost_microusd: Option<i64>,
    /// Mean cost in millionths of a US dollar; null without samples.
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

/// Cost of the executions that ended on one day.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Day {
    /// Day in UTC, such as `2026-01-31`.
    #[schemars(extend("x-ours" = true))]
    pub day: String,
    /// Cost of the executions that ended on the day.
    #[serde(flatten)]
    pub cost: Cost,
}

/// Comparison of the two halves of the period.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Halves {
    /// Start of the second half.
    pub middle: Ts,
    /// Executions that ended in the first half.
    pub first: Cost,
    /// Executions that ended in the second half.
    pub second: Cost,
    /// Change of the mean cost from the first half to the second in percent, to one decimal; negative for a decrease.
    /// Null if a half has no samples or the first half cost nothing.
    pub change_percent: Option<f64>,
}

/// Result of `platform_get_cost_per_execution`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Period of the figures.
    #[serde(flatten)]
    pub window: Window,
    /// All executions that ended in the period.
    #[serde(flatten)]
    pub all: Cost,
    /// Cost by the day of the end, in order. Days without an ended execution are omitted.
    pub days: Vec<Day>,
    /// Comparison of the two halves of the period.
    pub halves: Halves,
}

impl ReadAction for GetCostPerExecution {
    type Input = Days;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_cost_per_execution", Category::Analytics, Permission::ANALYTICS_READ)
            .describe("Get the average cost of one execution: in total, per day, and the first half of the period against the second.")
            .tags(&["cost", "execution", "run", "average", "trend"])
            .examples(&["What does one run cost us?", "Are our runs getting more expensive?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Days) -> Result<Output, ActionError> {
        let window = Window::days(input.days, cx.now);
        let middle = window.middle();
        let rows = analytics::costs(cx.tx, window.span(), middle.as_micros()).await?;
        let first = Cost::of(rows.iter().filter(|row| !row.late));
        let second = Cost::of(rows.iter().filter(|row| row.late));
        let change_percent = growth(second.ratio(), first.ratio());
        // The day of the middle has two consecutive rows.
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
            Some(mean) => format!("One execution cost {} on average", dollars(mean)),
            None => "No execution with model calls ended in this period".to_owned(),
        }
    }
}
