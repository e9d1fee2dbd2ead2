//! Times in the household's zone, and durations as .NET writes them.

use jiff::{Timestamp, ToSpan as _, civil::Date, tz::TimeZone};
use toolcrib_engine::ActionError;
use toolcrib_model::{Ts, time_zone};

/// The household's time zone.
pub struct Zone {
    pub name: String,
    zone: TimeZone,
}

/// Days of the household, from one midnight to another.
pub struct Days {
    pub first: Date,
    /// The day after the last.
    pub end: Date,
    from: Timestamp,
    to: Timestamp,
}

impl Zone {
    /// Returns the zone with an IANA name. 409 if there is none, because settings named it.
    pub fn named(name: &str) -> Result<Self, ActionError> {
        let zone = time_zone(name).map_err(|_| {
            let detail =
                format!("the setting `time_zone` of the pack `media` is `{name}`, which is no time zone");
            ActionError::conflict(detail)
                .hint("an admin sets an IANA name such as `Europe/Berlin` with `PATCH /v1/packs/media`")
        })?;
        Ok(Self { name: name.to_owned(), zone })
    }

    /// Returns so many days from today on.
    pub fn days(&self, now: Ts, count: i64) -> Result<Days, ActionError> {
        let first = now.to_jiff().to_zoned(self.zone.clone()).date();
        let out_of_range = |error: jiff::Error| ActionError::internal(error.to_string());
        let end = first.checked_add(count.days()).map_err(out_of_range)?;
        let midnight = |day: Date| day.to_zoned(self.zone.clone()).map(|at| at.timestamp());
        let (from, to) = (midnight(first).map_err(out_of_range)?, midnight(end).map_err(out_of_range)?);
        Ok(Days { first, end, from, to })
    }

    /// Returns the time of an instant in the zone, with its offset.
    pub fn time(&self, at: Timestamp) -> String {
        at.display_with_offset(self.zone.to_offset(at)).to_string()
    }
}

impl Days {
    pub fn has_instant(&self, at: Timestamp) -> bool {
        (self.from..self.to).contains(&at)
    }

    pub fn has_day(&self, day: Date) -> bool {
        (self.first..self.end).contains(&day)
    }

    /// Returns `start` and `end` of the requests that cover the days: windows of so many days, each with a day more at both
    /// ends. Servers compare with their own day otherwise.
    pub fn windows(&self, days: i64) -> Vec<(String, String)> {
        let (day, last) = (24.hours(), self.to);
        let mut windows = Vec::new();
        let mut from = self.from;
        while from < last {
            let to = from.checked_add((24 * days).hours()).map_or(last, |to| to.min(last));
            let (start, end) = (from.checked_sub(day).unwrap_or(from), to.checked_add(day).unwrap_or(to));
            windows.push((start.to_string(), end.to_string()));
            from = to;
        }
        windows
    }
}

/// Returns the seconds of a duration such as `1.02:03:04` or `02:03:04.5`.
pub fn seconds(text: &str) -> Option<u64> {
    let (days, clock) = match text.split_once('.') {
        Some((days, clock)) if clock.contains(':') => (days.parse().ok()?, clock),
        _ => (0, text),
    };
    let mut parts = clock.split('.').next()?.split(':').map(|part| part.parse::<u64>().ok());
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    parts.next().is_none().then(|| days * 86_400 + hours * 3_600 + minutes * 60 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_days_and_fractions() {
        for (text, expected) in [
            ("00:00:07", Some(7)),
            ("1.02:03:04", Some(93_784)),
            ("02:03:04.5000000", Some(7_384)),
            ("10.00:00:00.1", Some(864_000)),
            ("-00:00:01", None),
            ("12:30", None),
            ("soon", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }

    #[test]
    fn days_are_those_of_the_household() {
        let now: Ts = "2026-03-28T23:30:00Z".parse().unwrap();
        let zone = Zone::named("Europe/Berlin").unwrap();
        let days = zone.days(now, 1).unwrap();
        let instant = |text: &str| text.parse::<Timestamp>().unwrap();
        assert_eq!(days.first.to_string(), "2026-03-29");
        // The clocks go forward on this day, which has 23 hours.
        assert!(days.has_instant(instant("2026-03-28T23:00:00Z")));
        assert!(!days.has_instant(instant("2026-03-29T22:00:00Z")));
        assert!(days.has_instant(instant("2026-03-29T21:59:59Z")));
        assert_eq!(zone.time(instant("2026-03-29T12:00:00Z")), "2026-03-29T14:00:00+02:00");
        let error = Zone::named("Berlin").err().unwrap();
        assert!(error.detail.contains("`Berlin`, which is no time zone"), "{}", error.detail);
    }

    #[test]
    fn windows_cover_the_days_with_a_day_more() {
        let now: Ts = "2026-01-15T10:00:00Z".parse().unwrap();
        let windows = |count| Zone::named("UTC").unwrap().days(now, count).unwrap().windows(7);
        let window = |start: &str, end: &str| (format!("{start}T00:00:00Z"), format!("{end}T00:00:00Z"));
        assert_eq!(windows(7), [window("2026-01-14", "2026-01-23")]);
        assert_eq!(windows(8), [window("2026-01-14", "2026-01-23"), window("2026-01-21", "2026-01-24")]);
        assert_eq!(windows(30).len(), 5);
    }
}
