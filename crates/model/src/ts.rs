//! A point in time with microsecond precision.

use std::{fmt, str::FromStr};

use jiff::{
    Timestamp,
    fmt::{
        StdFmtWrite,
        temporal::{DateTimePrinter, Pieces},
    },
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Microseconds since 1970-01-01T00:00:00Z. In JSON: RFC 3339 in UTC with six decimals.
///
/// Both databases store the integer, so that a value does not change in a round trip and both sort it alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ts(i64);

impl Ts {
    /// Creates a time from microseconds since the epoch.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Returns the microseconds since the epoch.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Returns the seconds since the epoch, rounded down.
    pub const fn as_seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Adds `seconds`, which may be negative. Saturates.
    #[must_use]
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(1_000_000)))
    }

    /// Adds `days` of 24 hours, which may be negative. Saturates.
    #[must_use]
    pub const fn plus_days(self, days: i64) -> Self {
        self.plus_seconds(days.saturating_mul(86_400))
    }

    /// Returns the microseconds from `earlier` to this time. Negative if `earlier` is later.
    pub const fn micros_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Converts to a `jiff` timestamp. Clamps values that are out of its range.
    pub fn to_jiff(self) -> Timestamp {
        Timestamp::from_microsecond(self.0).unwrap_or(if self.0 < 0 {
            Timestamp::MIN
        } else {
            Timestamp::MAX
        })
    }

    /// Converts from a `jiff` timestamp, truncated to microseconds.
    pub fn from_jiff(at: Timestamp) -> Self {
        Self(at.as_microsecond())
    }
}

/// Returns the RFC 3339 text, in UTC, of a time that may lack its time zone, its seconds or the time of day:
/// `2026-01-31` is the begin of that day. What has no time zone is read in `zone`, an IANA name. `None` if the text is
/// no time or the zone is unknown.
pub fn instant_in(text: &str, zone: &str) -> Option<String> {
    if let Some(offset) = Pieces::parse(text).ok()?.to_numeric_offset() {
        // Those of RFC 3339 are less than a day.
        let is_valid = offset.seconds().abs() < 24 * 3600;
        return Some(text.parse::<Timestamp>().ok().filter(|_| is_valid)?.to_string());
    }
    let civil: jiff::civil::DateTime = text.parse().ok()?;
    Some(civil.in_tz(zone).ok()?.timestamp().to_string())
}

impl fmt::Display for Ts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(6));
        PRINTER.print_timestamp(&self.to_jiff(), StdFmtWrite(f)).map_err(|_| fmt::Error)
    }
}

impl From<i64> for Ts {
    fn from(micros: i64) -> Self {
        Self(micros)
    }
}

impl FromStr for Ts {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<Timestamp>().map(Self::from_jiff)
    }
}

impl Serialize for Ts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Ts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse()
            .map_err(|_| serde::de::Error::custom("must be an RFC 3339 time from -9999-01-02 to 9999-12-30"))
    }
}

impl JsonSchema for Ts {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_six_decimals_and_reads_them_back() {
        let at = Ts::from_micros(1_700_000_000_000_001);
        assert_eq!(at.to_string(), "2023-11-14T22:13:20.000001Z");
        assert_eq!("2023-11-14T22:13:20.000001Z".parse::<Ts>().unwrap(), at);
        assert_eq!(Ts::from_micros(0).to_string(), "1970-01-01T00:00:00.000000Z");
        assert_eq!(Ts::from_micros(-1).to_string(), "1969-12-31T23:59:59.999999Z");
        assert_eq!("2023-11-14T23:13:20.000001999+01:00".parse::<Ts>().unwrap(), at);
    }

    #[test]
    fn refuses_what_is_no_time() {
        assert_eq!(instant_in("2026-12-05T09:00:00+25:00", "UTC"), None);
        assert_eq!(instant_in("2026-12-05T09:00:00+14:00", "UTC").unwrap(), "2026-12-04T19:00:00Z");
        assert!("yesterday".parse::<Ts>().is_err());
        assert!("2023-11-14".parse::<Ts>().is_err());
    }
}
