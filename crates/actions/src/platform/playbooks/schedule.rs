//! The schedule of a playbook.

use toolcrib_engine::prelude::*;
use toolcrib_model::{Cron, CronError};
use toolcrib_store::playbooks::PlaybookRow;

/// How many of the next times are returned.
const TOLD: usize = 3;
/// The default time zone.
const UTC: &str = "UTC";

/// Recurring times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Schedule {
    /// Five fields, such as `0 9 * * 1-5`.
    #[schemars(length(min = 9, max = 200))]
    pub cron: String,
    /// IANA time zone, such as `Europe/Berlin`. Default: `UTC`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

/// When a playbook runs by itself.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScheduleView {
    /// Minute, hour, day of the month, month, day of the week.
    #[schemars(extend("x-ours" = true))]
    pub cron: String,
    /// Where that is wall-clock time.
    #[schemars(extend("x-ours" = true))]
    pub timezone: String,
    /// When it runs next; null while the playbook is inactive.
    pub next_run_at: Option<Ts>,
}

/// Returns the stored schedule as callers see it.
pub fn view(row: &PlaybookRow) -> Option<ScheduleView> {
    Some(ScheduleView {
        cron: row.cron.clone()?,
        timezone: row.timezone.clone().unwrap_or_else(|| UTC.to_owned()),
        next_run_at: row.next_run_at.map(Ts::from_micros),
    })
}

/// Returns 422 if the expression or the time zone is invalid, or the expression matches no date.
pub fn check(schedule: &Schedule, now: Ts) -> Result<(), ActionError> {
    let zone = schedule.timezone.as_deref().unwrap_or(UTC);
    let cron = Cron::parse(&schedule.cron, zone).map_err(|error| match error {
        CronError::Expression => ActionError::invalid("/schedule/cron", "cron", error.to_string()),
        CronError::TimeZone => ActionError::invalid("/schedule/timezone", "timezone", error.to_string()),
    })?;
    match cron.next_after(now) {
        Some(_) => Ok(()),
        None => Err(ActionError::invalid("/schedule/cron", "cron", "must match at least one date")),
    }
}

/// Sets or removes the schedule of a row.
pub fn set(row: &mut PlaybookRow, schedule: Option<&Schedule>) {
    row.cron = schedule.map(|schedule| schedule.cron.clone());
    row.timezone = schedule.map(|schedule| schedule.timezone.clone().unwrap_or_else(|| UTC.to_owned()));
}

/// Returns the next three times. Returns none without a schedule or while the playbook is inactive.
pub fn next_times(row: &PlaybookRow, now: Ts) -> Vec<Ts> {
    let (Some(cron), "active") = (&row.cron, row.status.as_str()) else { return Vec::new() };
    let zone = row.timezone.as_deref().unwrap_or(UTC);
    Cron::parse(cron, zone).map(|cron| cron.next_times(now, TOLD)).unwrap_or_default()
}
