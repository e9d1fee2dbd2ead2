//! Gets the load by hour of the day.

use jiff::tz::TimeZone;
use toolcrib_engine::prelude::*;
use toolcrib_model::time_zone;
use toolcrib_store::analytics::{self, Quarter};

use super::window::Window;

/// A quarter of an hour, in microseconds: every time zone is whole quarters from UTC.
const QUARTER: i64 = 900_000_000;

pub struct GetPeakHours;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Period in days of 24 hours. Default: 30.
    #[schemars(range(min = 1, max = 365))]
    pub days: Option<i64>,
    /// IANA name of the time zone of the hours, such as `Europe/Berlin`. Default: `UTC`.
    #[schemars(length(min = 1, max = 64))]
    pub timezone: Option<String>,
}

/// Load of an hour, compared with the busiest hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Level {
    /// More than 75 % of the busiest hour.
    Peak,
    /// More than 40 % of the busiest hour.
    Medium,
    /// Up to 40 % of the busiest hour.
    Low,
}

/// Load of one hour of the day.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Hour {
    /// Local hour, 0 to 23.
    pub hour: usize,
    /// Number of model calls.
    pub model_calls: i64,
    /// Number of started executions.
    pub executions: i64,
    /// Sum of model calls and started executions.
    pub load: i64,
    /// Load compared with the busiest hour; null if the period has no load.
    pub level: Option<Level>,
}

/// Result of `platform_get_peak_hours`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Period of the figures.
    #[serde(flatten)]
    pub window: Window,
    /// Time zone of the hours.
    #[schemars(extend("x-ours" = true))]
    pub timezone: String,
    /// Number of model calls and started executions.
    pub samples: i64,
    /// Hours with the level `peak`.
    pub peak_hours: Vec<usize>,
    /// The 24 hours of the day.
    pub hours: Vec<Hour>,
}

impl ReadAction for GetPeakHours {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_peak_hours", Category::Analytics, Permission::ANALYTICS_READ)
            .describe("Get the load by hour of the day, in a time zone: model calls and started executions.")
            .tags(&["peak", "hours", "load", "busy", "timezone"])
            .examples(&["When are we busiest?", "At which hour should we plan maintenance?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let timezone = input.timezone.clone().unwrap_or_else(|| "UTC".to_owned());
        let zone = time_zone(&timezone)
            .map_err(|error| ActionError::invalid("/timezone", "timezone", error.to_string()))?;
        let window = Window::days(input.days, cx.now);
        let hours = by_hour(&zone, &analytics::quarters(cx.tx, window.span()).await?);
        let is_peak = |hour: &&Hour| hour.level == Some(Level::Peak);
        Ok(Output {
            window,
            timezone,
            samples: hours.iter().map(|hour| hour.load).sum(),
            peak_hours: hours.iter().filter(is_peak).map(|hour| hour.hour).collect(),
            hours,
        })
    }

    fn describe(_: &Input, output: &Output) -> String {
        if output.peak_hours.is_empty() {
            return "There is no load in this period".to_owned();
        }
        let hours: Vec<String> = output.peak_hours.iter().map(ToString::to_string).collect();
        let (noun, verb) = if hours.len() == 1 { ("hour", "is") } else { ("hours", "are") };
        format!("The busiest {noun} ({}) {verb} {}", output.timezone, hours.join(", "))
    }
}

/// Returns the load of each hour of the local day. An hour that is repeated when the clocks go back includes
/// both passes.
fn by_hour(zone: &TimeZone, quarters: &[Quarter]) -> Vec<Hour> {
    let mut sums = [(0, 0); 24];
    for row in quarters {
        let at = Ts::from_micros(row.quarter.saturating_mul(QUARTER)).to_jiff();
        let hour = usize::from(zone.to_datetime(at).hour().unsigned_abs());
        if let Some((calls, starts)) = sums.get_mut(hour) {
            *calls += row.calls;
            *starts += row.starts;
        }
    }
    let most = sums.iter().map(|(calls, starts)| calls + starts).max().unwrap_or_default();
    let one = |(hour, (model_calls, executions)): (usize, (i64, i64))| {
        let load = model_calls + executions;
        Hour { hour, model_calls, executions, load, level: level(load, most) }
    };
    sums.into_iter().enumerate().map(one).collect()
}

fn level(load: i64, most: i64) -> Option<Level> {
    match most {
        0 => None,
        _ if load * 100 > most * 75 => Some(Level::Peak),
        _ if load * 100 > most * 40 => Some(Level::Medium),
        _ => Some(Level::Low),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_above_their_bounds() {
        let got = [76, 75, 41, 40, 0].map(|load| level(load, 100));
        let (peak, medium, low) = (Some(Level::Peak), Some(Level::Medium), Some(Level::Low));
        assert_eq!(got, [peak, medium, medium, low, low]);
        assert_eq!((level(0, 0), level(1, 1)), (None, peak));
    }

    #[test]
    fn quarters_fall_into_local_hours() {
        let quarter = |at: &str| {
            let at: Ts = at.parse().unwrap();
            Quarter { quarter: at.as_micros() / QUARTER, calls: 1, starts: 0 }
        };
        // Berlin sets its clocks back on 2026-10-25 at 01:00Z: both 00:30Z and 01:30Z are 02:30 local time.
        // Kathmandu is 5:45 ahead of UTC: 00:00Z is 05:45 there, and 00:15Z is 06:00.
        let busy = |zone: &str, at: &[&str]| {
            let rows: Vec<Quarter> = at.iter().map(|at| quarter(at)).collect();
            let hours = by_hour(&time_zone(zone).unwrap(), &rows);
            hours.iter().filter(|hour| hour.load > 0).map(|hour| (hour.hour, hour.load)).collect::<Vec<_>>()
        };
        assert_eq!(busy("Europe/Berlin", &["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"]), [(2, 2)]);
        assert_eq!(
            busy("Asia/Kathmandu", &["2026-01-15T00:00:00Z", "2026-01-15T00:15:00Z"]),
            [(5, 1), (6, 1)]
        );
    }
}
