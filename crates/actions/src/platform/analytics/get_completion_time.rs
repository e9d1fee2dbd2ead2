//! How long executions take.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::analytics;

use super::{
    figures::{Ratio, median, seconds},
    window::{Days, Window},
};

/// The action.
pub struct GetCompletionTime;

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The time that was looked at.
    #[serde(flatten)]
    pub window: Window,
    /// Executions that completed in it and whose beginning is known.
    pub samples: i64,
    /// Half of them took at most this long, in seconds; null where there are none.
    pub median_seconds: Option<f64>,
    /// What they took on average, in seconds; null where there are none.
    pub mean_seconds: Option<f64>,
    /// At least 95 in 100 took at most this long, in seconds; null where there are none.
    pub p95_seconds: Option<f64>,
}

impl ReadAction for GetCompletionTime {
    const SPEC: Spec =
        Spec::read("platform_get_completion_time", Category::Analytics, Permission::ANALYTICS_READ)
            .describe(
                "Get how long completed executions took: median, mean, 95th percentile, and of how many.",
            )
            .tags(&["duration", "time", "latency", "median", "percentile"])
            .examples(&["How long do our runs take?", "Are the playbooks fast enough?"]);
    type Input = Days;
    type Output = Output;

    async fn run(cx: &mut ReadCx<'_>, input: &Days) -> Result<Output, ActionError> {
        let window = input.window(cx.now);
        let took = analytics::took(cx.tx, window.span()).await?;
        Ok(Output {
            window,
            samples: took.samples,
            median_seconds: median(took.low, took.high).map(seconds),
            mean_seconds: Ratio { part: took.total, whole: took.samples }.mean().map(seconds),
            p95_seconds: took.p95.map(seconds),
        })
    }

    fn describe(_: &Days, output: &Output) -> String {
        match output.median_seconds {
            Some(median) => format!("Half of {} executions took at most {median} s", output.samples),
            None => "No execution completed in this time".to_owned(),
        }
    }
}
