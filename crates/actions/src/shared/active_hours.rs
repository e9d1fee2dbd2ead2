//! The hours of the day in which an agent's heartbeat may fire.

use jiff::{ToSpan as _, civil::Time, tz::TimeZone};
use toolcrib_engine::prelude::*;

/// From `start` (included) to `end` (excluded) each day; past midnight where `end` is earlier. Equal: all day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct ActiveHours {
    /// `HH:MM`, such as `08:00`.
    #[schemars(length(min = 5, max = 5), regex(pattern = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    #[schemars(extend("x-ours" = true))]
    pub start: String,
    /// `HH:MM`; the same as `start` means all day.
    #[schemars(length(min = 5, max = 5), regex(pattern = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    #[schemars(extend("x-ours" = true))]
    pub end: String,
    /// IANA name, such as `Europe/Berlin`.
    #[schemars(length(min = 1, max = 64))]
    #[schemars(extend("x-ours" = true))]
    pub timezone: String,
}

impl ActiveHours {
    /// Whether the hours cover the whole day.
    pub fn all_day(&self) -> bool {
        self.start == self.end
    }

    /// Returns `at` if it is inside the hours, otherwise their next start. Errors point into `/active_hours`.
    pub fn at_or_after(&self, at: Ts) -> Result<Ts, ActionError> {
        let zone = TimeZone::get(&self.timezone).map_err(|_| {
            let message =
                format!("must be an IANA time zone such as `Europe/Berlin`, not `{}`", self.timezone);
            ActionError::invalid("/active_hours/timezone", "timezone", message)
        })?;
        let (start, end) = (time("/active_hours/start", &self.start)?, time("/active_hours/end", &self.end)?);
        let local = at.to_jiff().to_zoned(zone.clone());
        let now = local.time();
        let inside = match start.cmp(&end) {
            std::cmp::Ordering::Equal => true,
            std::cmp::Ordering::Less => start <= now && now < end,
            std::cmp::Ordering::Greater => now >= start || now < end,
        };
        if inside {
            return Ok(at);
        }
        let day = if now < start { Ok(local.date()) } else { local.date().checked_add(1.day()) };
        day.and_then(|day| day.to_datetime(start).to_zoned(zone))
            .map(|begins| Ts::from_jiff(begins.timestamp()))
            .map_err(|error| ActionError::internal(error.to_string()))
    }
}

fn time(pointer: &str, text: &str) -> Result<Time, ActionError> {
    Time::strptime("%H:%M", text)
        .map_err(|_| ActionError::invalid(pointer, "pattern", "must be a time of day such as `08:00`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(start: &str, end: &str, timezone: &str, at: &str) -> String {
        let hours = ActiveHours { start: start.into(), end: end.into(), timezone: timezone.into() };
        hours.at_or_after(at.parse().unwrap()).unwrap().to_string()
    }

    #[test]
    fn inside_it_is_at_once_and_outside_when_they_begin() {
        let at = |hour: &str| format!("2026-01-15T{hour}:00.000000Z");
        assert_eq!(next("08:00", "18:00", "UTC", "2026-01-15T08:00:00Z"), at("08:00"));
        assert_eq!(next("08:00", "18:00", "UTC", "2026-01-15T07:59:00Z"), at("08:00"));
        assert_eq!(next("08:00", "18:00", "UTC", "2026-01-15T18:00:00Z"), "2026-01-16T08:00:00.000000Z");
        assert_eq!(next("08:00", "08:00", "UTC", "2026-01-15T03:00:00Z"), at("03:00"));
    }

    #[test]
    fn they_may_reach_past_midnight() {
        assert_eq!(next("22:00", "06:00", "UTC", "2026-01-15T23:30:00Z"), "2026-01-15T23:30:00.000000Z");
        assert_eq!(next("22:00", "06:00", "UTC", "2026-01-15T05:59:00Z"), "2026-01-15T05:59:00.000000Z");
        assert_eq!(next("22:00", "06:00", "UTC", "2026-01-15T06:00:00Z"), "2026-01-15T22:00:00.000000Z");
    }

    #[test]
    fn they_are_local_and_follow_the_clocks() {
        // Berlin is one hour ahead of UTC in winter and two in summer. The clocks go forward on 2026-03-29.
        assert_eq!(
            next("09:00", "17:00", "Europe/Berlin", "2026-03-28T16:30:00Z"),
            "2026-03-29T07:00:00.000000Z"
        );
        assert_eq!(
            next("09:00", "17:00", "Europe/Berlin", "2026-03-27T16:30:00Z"),
            "2026-03-28T08:00:00.000000Z"
        );
        // 02:30 does not exist on that day: the hours begin after the clocks changed, at 03:30 local time.
        assert_eq!(
            next("02:30", "05:00", "Europe/Berlin", "2026-03-28T23:30:00Z"),
            "2026-03-29T01:30:00.000000Z"
        );
    }

    #[test]
    fn an_unknown_zone_is_told_with_its_pointer() {
        let hours = ActiveHours { start: "08:00".into(), end: "09:00".into(), timezone: "Mars/Base".into() };
        let error = hours.at_or_after(Ts::from_micros(0)).unwrap_err();
        assert_eq!(error.errors[0].pointer, "/active_hours/timezone");
    }
}
