//! Numbers with their nouns.

use std::fmt::Display;

/// Returns the number with the noun in the singular or plural: ``1 task``, ``3 tasks``, ``2 entries``.
pub fn count(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    if number == "1" {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{number} {stem}ies"),
        _ => format!("{number} {noun}s"),
    }
}

/// Returns an amount of money: `$0.29`, `$1,204.50`; below a cent with six decimals.
pub fn dollars(microusd: i64) -> String {
    let (sign, amount) = (if microusd < 0 { "-" } else { "" }, microusd.unsigned_abs());
    if amount > 0 && amount < 10_000 {
        return format!("{sign}$0.{amount:06}").trim_end_matches('0').to_owned();
    }
    let cents = (amount + 5_000) / 10_000;
    let mut whole = (cents / 100).to_string();
    for at in (1..whole.len()).rev().filter(|at| (whole.len() - at) % 3 == 0).collect::<Vec<_>>() {
        whole.insert(at, ',');
    }
    format!("{sign}${whole}.{:02}", cents % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_shown_in_dollars() {
        let shown =
            [0, 1, 2_900, 9_999, 10_000, 288_989, 1_204_500_000, 1_234_567_890_000, -290_000].map(dollars);
        let expected =
            ["$0.00", "$0.000001", "$0.0029", "$0.009999", "$0.01", "$0.29", "$1,204.50", "$1,234,567.89"];
        assert_eq!(shown[..8], expected);
        assert_eq!(shown[8], "-$0.29");
    }

    #[test]
    fn a_count_has_its_plural() {
        let got = [
            count(1_usize, "task"),
            count(0_i64, "task"),
            count(1, "entry"),
            count(2, "entry"),
            count(2, "key"),
        ];
        assert_eq!(got, ["1 task", "0 tasks", "1 entry", "2 entries", "2 keys"]);
    }
}
