//! Searches a secret in encoded text, by the algorithm of Knuth, Morris and Pratt.

use std::collections::VecDeque;

use super::decode::Encoding;

/// Adds the ranges of `body` that decode to the secret.
pub fn find(secret: &[u8], body: &[u8], encoding: Encoding, found: &mut Vec<(usize, usize)>) {
    let borders = borders(secret);
    // Where the last decoded bytes begin in the body, as many as the secret has.
    let mut starts = VecDeque::with_capacity(secret.len() + 1);
    let (mut matched, mut at) = (0, 0);
    while let Some(unit) = body.get(at..).and_then(|rest| encoding.next(rest)) {
        for byte in unit.bytes() {
            starts.push_back(at);
            if starts.len() > secret.len() {
                starts.pop_front();
            }
            matched = advance(secret, &borders, matched, byte);
            if matched == secret.len()
                && let Some(&start) = starts.front()
            {
                found.push((start, at + unit.width));
            }
        }
        at += unit.width;
    }
}

/// For each prefix of the secret, the length of its longest proper prefix that is also its suffix.
fn borders(secret: &[u8]) -> Vec<usize> {
    let mut borders = vec![0];
    let mut matched = 0;
    for &byte in secret.iter().skip(1) {
        matched = advance(secret, &borders, matched, byte);
        borders.push(matched);
    }
    borders
}

/// How many bytes of the secret match after one more byte.
fn advance(secret: &[u8], borders: &[usize], mut matched: usize, byte: u8) -> usize {
    loop {
        if secret.get(matched) == Some(&byte) {
            return matched + 1;
        }
        if matched == 0 {
            return 0;
        }
        matched = borders.get(matched - 1).copied().unwrap_or_default();
    }
}
