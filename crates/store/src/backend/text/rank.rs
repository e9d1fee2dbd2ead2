//! Scores and ranks candidates by Okapi BM25.

use std::{cmp::Reverse, collections::HashMap};

use toolcrib_model::{Id, Ts};

/// BM25's `k1`: how soon repetitions of a word stop raising the score.
const SATURATION: f64 = 1.2;
/// BM25's `b`: how much the length of a text lowers its score.
const LENGTH: f64 = 0.75;

/// A row that full-text search can return.
pub trait Ranked {
    /// The words of its text, as [`super::tokens`] returned them.
    fn tokens(&self) -> &str;
    /// The time and id of the row. Among equal scores the newer row comes first.
    fn key(&self) -> (Ts, Id);
}

/// The score of each text for the query; 0 if they share no word. A word that `d` of the `n` texts contain, and this
/// text `f` times, adds
/// `ln(1 + (n - d + 0.5) / (d + 0.5)) * f * 2.2 / (f + 1.2 * (0.25 + 0.75 * length / mean length))`.
#[expect(clippy::cast_precision_loss, reason = "counts of words and texts are far below 2^52")]
pub fn scores<'t>(query: &[String], texts: impl IntoIterator<Item = &'t str>) -> Vec<f64> {
    let numbers: HashMap<&str, usize> =
        query.iter().enumerate().map(|(n, word)| (word.as_str(), n)).collect();
    let mut holders = vec![0_usize; query.len()];
    let mut counted: Vec<(Vec<usize>, usize)> = Vec::new();
    for text in texts {
        let (mut counts, mut length) = (vec![0_usize; query.len()], 0);
        for word in text.split_ascii_whitespace() {
            length += 1;
            if let Some(count) = numbers.get(word).and_then(|n| counts.get_mut(*n)) {
                *count += 1;
            }
        }
        for (holder, count) in holders.iter_mut().zip(&counts) {
            *holder += usize::from(*count > 0);
        }
        counted.push((counts, length));
    }
    let all = counted.len() as f64;
    let mean = (counted.iter().map(|(_, length)| *length as f64).sum::<f64>() / all.max(1.0)).max(1.0);
    let rarity = |holders: &usize| ((all - *holders as f64 + 0.5) / (*holders as f64 + 0.5)).ln_1p();
    let weights: Vec<f64> = holders.iter().map(rarity).collect();
    let score = |(counts, length): &(Vec<usize>, usize)| {
        let damping = SATURATION * (1.0 - LENGTH + LENGTH * *length as f64 / mean);
        let part = |(count, weight): (&usize, &f64)| {
            let count = *count as f64;
            weight * count * (SATURATION + 1.0) / (count + damping)
        };
        counts.iter().zip(&weights).map(part).sum()
    };
    counted.iter().map(score).collect()
}

/// The best `limit` candidates with their scores, best first, without those that share no word with the query. The
/// order of `found` doesn't matter.
pub fn rank<T: Ranked>(query: &[String], found: Vec<T>, limit: usize) -> Vec<(T, f64)> {
    let scores = scores(query, found.iter().map(Ranked::tokens));
    let mut hits: Vec<(T, f64)> = found.into_iter().zip(scores).filter(|(_, score)| *score > 0.0).collect();
    hits.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| Reverse(a.key()).cmp(&Reverse(b.key()))));
    hits.truncate(limit);
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Text(&'static str, u128);

    impl Ranked for Text {
        fn tokens(&self) -> &str {
            self.0
        }

        fn key(&self) -> (Ts, Id) {
            (Ts::from_micros(7), Id::from_u128(self.1))
        }
    }

    fn query(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn scores_are_those_of_the_formula() {
        // Two texts of two words: the mean is 2, so each is damped by 1.2. `b` is in one of two: ln(1 + 1.5 / 1.5).
        // `a` is in both: ln(1 + 0.5 / 2.5). Once in a text: 1 * 2.2 / (1 + 1.2) = 1.
        let got = scores(&query(&["a", "b"]), ["a b", "a c"]);
        assert!((got[0] - (2_f64.ln() + 1.2_f64.ln())).abs() < 1e-12, "{got:?}");
        assert!((got[1] - 1.2_f64.ln()).abs() < 1e-12, "{got:?}");
        // Twice in a text of four words among a mean of three: 2 * 2.2 / (2 + 1.2 * (0.25 + 1)) = 4.4 / 3.5.
        let got = scores(&query(&["b"]), ["b x b x", "y z"]);
        assert!((got[0] - 2_f64.ln() * 4.4 / 3.5).abs() < 1e-12, "{got:?}");
        assert!(got[1].abs() < f64::EPSILON);
    }

    #[test]
    fn equal_scores_are_ordered_by_age_whatever_comes_first() {
        let ids = |found: Vec<Text>| -> Vec<u128> {
            rank(&query(&["a"]), found, 2).into_iter().map(|(text, _)| text.1).collect()
        };
        assert_eq!(ids(vec![Text("a", 1), Text("a", 3), Text("b", 9), Text("a", 2)]), [3, 2]);
        assert_eq!(ids(vec![Text("a", 2), Text("b", 9), Text("a", 3), Text("a", 1)]), [3, 2]);
        assert!(ids(Vec::new()).is_empty());
    }
}
