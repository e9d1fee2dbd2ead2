//! Cron expressions in a time zone.

use jiff::tz::TimeZone;

use crate::Ts;

/// The maximum length of an expression, in bytes.
const MAX_EXPRESSION: usize = 200;
/// A schedule whose next time is further away counts as one without a next time.
const HORIZON_YEARS: i64 = 10;

/// Why an expression or a time zone was refused. The message says how to correct it.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum CronError {
    /// The expression is not valid.
    #[error(
        "must be a cron expression of five fields (minute hour day month weekday), such as `0 9 * * 1-5`"
    )]
    Expression,
    /// The IANA database has no time zone of this name.
    #[error("must be a time zone of the IANA database, such as `Europe/Berlin` or `UTC`")]
    TimeZone,
}

/// A cron expression of five fields (minute, hour, day of the month, month, day of the week) in a time zone.
///
/// The fields are wall-clock time in that zone. When the clock is put forward, a fixed time inside the gap
/// moves to the first instant after the gap. When the clock is put back, a fixed time fires once, at its
/// first occurrence.
#[derive(Clone, Debug)]
pub struct Cron {
    expression: croner::Cron,
    zone: TimeZone,
}

impl Cron {
    /// Parses an expression and the name of a time zone.
    pub fn parse(expression: &str, zone: &str) -> Result<Self, CronError> {
        let plain = expression.len() <= MAX_EXPRESSION && !expression.contains('@');
        if !plain || expression.split_whitespace().count() != 5 {
            return Err(CronError::Expression);
        }
        let expression = expression.parse().map_err(|_| CronError::Expression)?;
        Ok(Self { expression, zone: time_zone(zone)? })
    }

    /// Returns the first time after `at`, or `None` if there is none within ten years.
    pub fn next_after(&self, at: Ts) -> Option<Ts> {
        let from = at.to_jiff().to_zoned(self.zone.clone());
        let next = Ts::from_jiff(self.expression.find_next_occurrence(&from, false).ok()?.timestamp());
        (next < at.plus_days(HORIZON_YEARS * 366)).then_some(next)
    }

    /// Returns the next times after `at`, at most `most`.
    pub fn next_times(&self, at: Ts, most: usize) -> Vec<Ts> {
        std::iter::successors(self.next_after(at), |last| self.next_after(*last)).take(most).collect()
    }
}

/// Returns the time zone of the IANA database with this name.
pub fn time_zone(name: &str) -> Result<TimeZone, CronError> {
    TimeZone::get(name).ok().filter(|zone| !zone.is_unknown()).ok_or(CronError::TimeZone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(expression: &str, zone: &str, from: &str, most: usize) -> Vec<String> {
        let cron = Cron::parse(expression, zone).unwrap();
        let times = cron.next_times(from.parse().unwrap(), most);
        times.iter().map(|at| at.to_string().replace(":00.000000Z", "")).collect()
    }

    #[test]
    fn wall_clock_times_follow_their_zone_over_the_change() {
        // Berlin is UTC+1 until 2026-03-29T01:00Z, then UTC+2 until 2026-10-25T01:00Z.
        let got = next("0 9 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z", 3);
        assert_eq!(got, ["2026-03-28T08:00", "2026-03-29T07:00", "2026-03-30T07:00"]);
        let got = next("0 9 * * *", "Europe/Berlin", "2026-10-23T12:00:00Z", 3);
        assert_eq!(got, ["2026-10-24T07:00", "2026-10-25T08:00", "2026-10-26T08:00"]);
    }

    #[test]
    fn a_time_in_the_gap_comes_after_it_and_one_that_is_twice_comes_once() {
        // 02:30 does not exist on 2026-03-29: the clock goes from 02:00 to 03:00, which is 01:00Z.
        let got = next("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2);
        assert_eq!(got, ["2026-03-29T01:00", "2026-03-30T00:30"]);
        // 02:30 is at 00:30Z and 01:30Z on 2026-10-25.
        let got = next("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2);
        assert_eq!(got, ["2026-10-25T00:30", "2026-10-26T01:30"]);
    }

    #[test]
    fn the_time_itself_is_not_the_next() {
        assert_eq!(next("0 9 * * 1", "UTC", "2026-01-19T09:00:00Z", 1), ["2026-01-26T09:00"]);
        assert_eq!(
            next("*/15 * * * *", "UTC", "2026-01-19T09:00:30Z", 2),
            ["2026-01-19T09:15", "2026-01-19T09:30"]
        );
        assert_eq!(next("0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", 1), ["2028-02-29T00:00"]);
    }

    #[test]
    fn what_never_comes_is_told() {
        for never in ["0 0 30 2 *", "0 0 31 4,6 *"] {
            let cron = Cron::parse(never, "UTC").unwrap();
            assert_eq!(cron.next_after("2026-01-01T00:00:00Z".parse().unwrap()), None, "{never}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        let bad = [
            "",
            "* * * *",
            "* * * * * *",
            "@daily",
            "61 * * * *",
            "a b c d e",
            "* * * * * 2026",
            "0 9 * * FOO",
        ];
        for expression in bad {
            assert_eq!(Cron::parse(expression, "UTC").unwrap_err(), CronError::Expression, "{expression}");
        }
        assert_eq!(Cron::parse("0 9 * * 1", "Mars/Olympus").unwrap_err(), CronError::TimeZone);
        assert_eq!(Cron::parse("0 9 * * 1", "").unwrap_err(), CronError::TimeZone);
    }
}
