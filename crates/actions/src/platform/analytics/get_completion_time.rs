//! Gets the duration of executions.

use toolcrib_engine::prelude::*;
use toolcrib_store::analytics;

use super::{
    figures::{Ratio, median, seconds},
    window::{Days, Window},
};

pub struct GetCompletionTime;

/// Result of `platform_get_completion_time`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Period of the figures.
    #[serde(flatten)]
    pub window: Window,
    /// Number of executions that completed in the period and whose start is known.
    pub samples: i64,
    /// Median duration in seconds; null without samples.
    pub median_seconds: Option<f64>,
    /// Mean duration in seconds; null without samples.
    pub mean_seconds: Option<f64>,
    /// 95th percentile of the duration in seconds; null without samples.
    pub p95_seconds: Option<f64>,
}

impl ReadAction for GetCompletionTime {
    type Input = Days;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_completion_time", Category::Analytics, Permission::ANALYTICS_READ)
            .describe(
                "Get how long completed executions took: median, mean, 95th percentile, and the number of samples.",
            )
            .tags(&["duration", "time", "latency", "median", "percentile"])
            .examples(&["How long do our runs take?", "Are the playbooks fast enough?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Days) -> Result<Output, ActionError> {
        let window = Window::days(input.days, cx.now);
        let durations = analytics::durations(cx.tx, window.span(), i64::MAX).await?;
        Ok(Output {
            window,
            samples: durations.samples,
            median_seconds: median(durations.low, durations.high).map(seconds),
            mean_seconds: Ratio { part: durations.total, whole: durations.samples }.mean().map(seconds),
            p95_seconds: durations.p95.map(seconds),
        })
    }

    fn describe(_: &Days, output: &Output) -> String {
        match output.median_seconds {
            Some(median) => {
                format!("The median duration of {} is {median} s", count(output.samples, "execution"))
            }
            None => "No execution completed in this period".to_owned(),
        }
    }
}
