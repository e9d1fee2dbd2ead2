//! Times in the household's zone, and durations as .NET writes them.

use std::iter;

use jiff::{Timestamp, ToSpan as _, civil::Date, tz::TimeZone};
use toolcrib_engine::ActionError;
use toolcrib_model::{Ts, time_zone};

/// The household's time zone.
pub struct Zone {
    pub name: String,
    zone: TimeZone,
}

/// Days of the household.
pub struct Days {
    first: Date,
    /// The day after the last.
    end: Date,
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
    pub fn days(&self, now: Ts, count: i64) -> Days {
        let first = self.day(now.to_jiff());
        Days { first, end: first.saturating_add(count.days()) }
    }

    pub fn day(&self, at: Timestamp) -> Date {
        at.to_zoned(self.zone.clone()).date()
    }

    /// Returns the time of an instant in the zone, with its offset.
    pub fn time(&self, at: Timestamp) -> String {
        at.display_with_offset(self.zone.to_offset(at)).to_string()
    }
}

impl Days {
    pub fn contains(&self, day: Date) -> bool {
        (self.first..self.end).contains(&day)
    }

    /// Returns `start` and `end` of the requests that cover the days: windows of so many days, each with a day more at
    /// both ends, because it begins and ends at midnight in UTC. Without a zone, servers take times for their own.
    pub fn windows(&self, days: i64) -> Vec<(String, String)> {
        let later = |from: &Date| Some(from.saturating_add(days.days()));
        let starts = iter::successors(Some(self.first), later).take_while(|from| *from < self.end);
        let midnight = |day: Date, more: i64| format!("{}T00:00:00Z", day.saturating_add(more.days()));
        starts
            .map(|from| (midnight(from, -1), midnight(from.saturating_add(days.days()).min(self.end), 1)))
            .collect()
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
        let days = zone.days(now, 1);
        // The clocks go forward on this day, which has 23 hours.
        for (at, within) in [
            ("2026-03-28T22:59:59Z", false),
            ("2026-03-28T23:00:00Z", true),
            ("2026-03-29T21:59:59Z", true),
            ("2026-03-29T22:00:00Z", false),
        ] {
            assert_eq!(days.contains(zone.day(at.parse().unwrap())), within, "{at}");
        }
        assert_eq!(zone.time("2026-03-29T12:00:00Z".parse().unwrap()), "2026-03-29T14:00:00+02:00");
        let error = Zone::named("Berlin").err().unwrap();
        assert!(error.detail.contains("`Berlin`, which is no time zone"), "{}", error.detail);
    }

    #[test]
    fn windows_cover_the_days_with_a_day_more() {
        let now: Ts = "2026-01-15T10:00:00Z".parse().unwrap();
        let windows = |count| Zone::named("UTC").unwrap().days(now, count).windows(7);
        let window = |start: &str, end: &str| (format!("{start}T00:00:00Z"), format!("{end}T00:00:00Z"));
        assert_eq!(windows(7), [window("2026-01-14", "2026-01-23")]);
        assert_eq!(windows(8), [window("2026-01-14", "2026-01-23"), window("2026-01-21", "2026-01-24")]);
        assert_eq!(windows(30).len(), 5);
    }
}
