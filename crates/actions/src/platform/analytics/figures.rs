//! Shares, changes and times from whole numbers, rounded once and the same everywhere.

/// Returns `part` in percent of `whole`, to one decimal. Returns `None` unless `whole` is above 0.
pub fn percent(part: i64, whole: i64) -> Option<f64> {
    rounded(i128::from(part) * 1000, i128::from(whole)).map(tenth)
}

/// Returns the change from `before` to `now` in percent of `before`, to one decimal. Negative for a decrease.
pub fn growth(now: Ratio, before: Ratio) -> Option<f64> {
    let (now, before) = (now.known()?, before.known()?);
    let whole = i128::from(before.part) * i128::from(now.whole);
    let part = i128::from(now.part) * i128::from(before.whole) - whole;
    rounded(part * 1000, whole).map(tenth)
}

/// Returns the difference of two ratios in percentage points, to one decimal. Returns `None` if one is
/// unknown.
pub fn points(now: Ratio, before: Ratio) -> Option<f64> {
    let (now, before) = (now.known()?, before.known()?);
    let whole = i128::from(now.whole) * i128::from(before.whole);
    let part =
        i128::from(now.part) * i128::from(before.whole) - i128::from(before.part) * i128::from(now.whole);
    rounded(part * 1000, whole).map(tenth)
}

/// `part` of `whole`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// Not negative.
    pub part: i64,
    /// 0 if the ratio is unknown.
    pub whole: i64,
}

impl Ratio {
    fn known(self) -> Option<Self> {
        (self.whole > 0).then_some(self)
    }

    /// Returns `part` divided by `whole`, rounded to a whole number.
    pub fn mean(self) -> Option<i64> {
        rounded(self.part.into(), self.whole.into()).and_then(|mean| i64::try_from(mean).ok())
    }
}

/// Returns the median: the mean of the two middle values.
pub fn median(low: Option<i64>, high: Option<i64>) -> Option<i64> {
    Some(low?.midpoint(high?))
}

/// Converts microseconds to seconds, to three decimals.
pub fn seconds(micros: i64) -> f64 {
    real(i128::from(micros).saturating_add(500).div_euclid(1000)) / 1000.0
}

/// Converts an integer to a float.
#[expect(clippy::cast_precision_loss, reason = "what is shown is rounded far above the last bit")]
pub fn real(number: i128) -> f64 {
    number as f64
}

/// Divides and rounds half up. Returns `None` unless `whole` is above 0.
fn rounded(part: i128, whole: i128) -> Option<i128> {
    (whole > 0).then(|| (2 * part + whole).div_euclid(2 * whole))
}

fn tenth(tenths: i128) -> f64 {
    real(tenths) / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ratio(part: i64, whole: i64) -> Ratio {
        Ratio { part, whole }
    }

    #[test]
    fn shares_are_rounded_to_one_decimal() {
        let got = [(1, 3), (2, 3), (1, 8), (0, 5), (5, 5), (1, 0), (7, -1)]
            .map(|(part, whole)| percent(part, whole));
        assert_eq!(got, [Some(33.3), Some(66.7), Some(12.5), Some(0.0), Some(100.0), None, None]);
    }

    #[test]
    fn changes_go_both_ways() {
        // 2 of 3 against 1 of 2: 66.66… − 50.
        assert_eq!(points(ratio(2, 3), ratio(1, 2)), Some(16.7));
        assert_eq!(points(ratio(1, 2), ratio(2, 3)), Some(-16.7));
        assert_eq!((points(ratio(1, 0), ratio(1, 2)), points(ratio(1, 2), ratio(0, 0))), (None, None));
        // 30 / 2 is 15 and 40 / 4 is 10: growth of half. There is no growth from 0.
        assert_eq!(growth(ratio(30, 2), ratio(40, 4)), Some(50.0));
        assert_eq!(growth(ratio(40, 4), ratio(30, 2)), Some(-33.3));
        assert_eq!((growth(ratio(1, 1), ratio(0, 1)), growth(ratio(1, 0), ratio(1, 1))), (None, None));
    }

    #[test]
    fn times_have_three_decimals_and_a_middle() {
        assert_eq!((seconds(1_500), seconds(1_499), seconds(120_000_000)), (0.002, 0.001, 120.0));
        assert_eq!(
            (median(Some(1), Some(4)), median(Some(3), Some(3)), median(None, None)),
            (Some(2), Some(3), None)
        );
        assert_eq!((ratio(7, 2).mean(), ratio(7, 0).mean()), (Some(4), None));
    }
}
