//! The period of a figure.

use toolcrib_engine::prelude::*;
use toolcrib_store::analytics::Span;

/// Period of a figure, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Window {
    /// Start of the period.
    pub from: Ts,
    /// End of the period: now.
    pub to: Ts,
}

impl Window {
    /// Returns the last `days` days of 24 hours. Default: 30.
    pub fn days(days: Option<i64>, now: Ts) -> Self {
        Self { from: now.plus_days(-days.unwrap_or(30)), to: now }
    }

    /// Returns the period since midnight in UTC.
    pub fn today(now: Ts) -> Self {
        Self { from: Ts::from_micros(now.as_micros() - now.as_micros().rem_euclid(DAY)), to: now }
    }

    /// Returns the period for queries.
    pub fn span(self) -> Span {
        Span { from: self.from.as_micros(), until: self.to.as_micros().saturating_add(1) }
    }

    /// Returns the previous period of the same length. It ends at the start of this one, which it does not
    /// include.
    pub fn before(self) -> Self {
        let length = self.to.micros_since(self.from);
        Self { from: Ts::from_micros(self.from.as_micros().saturating_sub(length)), to: self.from }
    }

    /// Returns [`Window::before`] for queries.
    pub fn span_before(self) -> Span {
        let before = self.before();
        Span { from: before.from.as_micros(), until: before.to.as_micros() }
    }

    pub fn middle(self) -> Ts {
        Ts::from_micros(self.from.as_micros() + self.to.micros_since(self.from) / 2)
    }
}

/// A day, in microseconds.
const DAY: i64 = 86_400_000_000;

/// Arguments of an action that takes only a number of days.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Days {
    /// Period in days of 24 hours. Default: 30.
    #[schemars(range(min = 1, max = 365))]
    pub days: Option<i64>,
}

/// Formats a day, given in days since 1970-01-01, such as `2026-01-31`.
pub fn date(day: i64) -> String {
    Ts::from_micros(day.saturating_mul(DAY)).to_jiff().strftime("%Y-%m-%d").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_meet_without_a_gap_and_without_sharing_a_moment() {
        let now: Ts = "2026-03-01T00:00:00Z".parse().unwrap();
        let window = Window::days(Some(7), now);
        assert_eq!((window.from.to_string(), window.to), ("2026-02-22T00:00:00.000000Z".to_owned(), now));
        assert_eq!(window.before().from.to_string(), "2026-02-15T00:00:00.000000Z");
        assert_eq!(window.span_before().until, window.span().from);
        assert_eq!(window.span().until, now.as_micros() + 1);
        assert_eq!(window.middle().to_string(), "2026-02-25T12:00:00.000000Z");
        assert_eq!(Window::days(None, now), Window::days(Some(30), now));
    }

    #[test]
    fn today_begins_at_midnight() {
        let last: Ts = "2026-02-28T23:59:59.999999Z".parse().unwrap();
        assert_eq!(Window::today(last).from.to_string(), "2026-02-28T00:00:00.000000Z");
        let first: Ts = "2026-03-01T00:00:00Z".parse().unwrap();
        assert_eq!(Window::today(first).from, first);
        assert_eq!((date(0), date(20_513)), ("1970-01-01".to_owned(), "2026-03-01".to_owned()));
    }
}
