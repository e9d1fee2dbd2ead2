//! Recognises texts that look like secrets, so that none is stored or shown to a model. Misses secrets without
//! a known form; the rule is a help, not a protection.

/// Beginnings of well-known secrets, each with the minimum length of the whole word.
const PREFIXES: [(&str, usize); 30] = [
    ("sk-", 20),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("rk_test_", 16),
    ("whsec_", 16),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("xoxa-", 16),
    ("xoxb-", 16),
    ("xoxp-", 16),
    ("xoxr-", 16),
    ("xoxs-", 16),
    ("xapp-", 16),
    ("AKIA", 20),
    ("ASIA", 20),
    ("AIza", 30),
    ("ya29", 20),
    ("npm_", 20),
    ("pypi-", 20),
    ("dop_v1_", 20),
    ("hf_", 20),
    ("shpat_", 20),
    ("AGE-SECRET-KEY-", 20),
    ("lin_api_", 20),
];

/// The length from which a word of random characters counts, in characters.
const RANDOM_LENGTH: usize = 32;
/// The entropy from which a word with capitals, small letters and digits is random, in bits per character.
const RANDOM_BITS: f64 = 4.0;

/// Returns whether a text contains something that looks like a secret.
pub fn looks_secret(text: &str) -> bool {
    if text.contains("-----BEGIN") {
        return true;
    }
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || "-_+.~".contains(c)));
    words.into_iter().any(|word| {
        let word = word.trim_matches(|c: char| ".~".contains(c));
        is_known(word) || is_jwt(word) || word.split('.').any(is_random)
    })
}

fn is_known(word: &str) -> bool {
    // A digit tells `sk-…` from a word such as `sk-based-classification-of`.
    let has_digit = word.bytes().any(|b| b.is_ascii_digit());
    has_digit && PREFIXES.iter().any(|(prefix, length)| word.starts_with(prefix) && word.len() >= *length)
}

/// A JSON Web Token: three parts of base64, the first of which is a JSON object.
fn is_jwt(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    matches!(parts.as_slice(), [head, body, _] if head.starts_with("eyJ") && head.len() > 10 && body.len() > 10)
}

fn is_random(word: &str) -> bool {
    if word.len() < RANDOM_LENGTH {
        return false;
    }
    let any = |of: fn(&u8) -> bool| word.bytes().any(|b| of(&b));
    let (upper, lower) = (any(u8::is_ascii_uppercase), any(u8::is_ascii_lowercase));
    let digit = any(u8::is_ascii_digit);
    let hexadecimal = digit && (upper ^ lower) && word.bytes().all(|b| b.is_ascii_hexdigit());
    hexadecimal || (upper && lower && digit && entropy(word) >= RANDOM_BITS)
}

/// Returns the Shannon entropy of a word, in bits per character.
fn entropy(word: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for b in word.bytes() {
        if let Some(count) = counts.get_mut(usize::from(b)) {
            *count += 1;
        }
    }
    let length = f64::from(u32::try_from(word.len()).unwrap_or(u32::MAX));
    counts.iter().filter(|count| **count > 0).fold(0.0, |bits, count| {
        let share = f64::from(*count) / length;
        bits - share * share.log2()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_the_form_of_a_secret_are_found() {
        // Joined here, so that no scanner takes this file for a leak.
        for (a, b) in [
            ("sk-", "proj4bcdefghijklmnop"),
            ("Use ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"),
            ("xoxb-", "123456789012-abcdefgh"),
            ("AKIA", "IOSFODNN7EXAMPLE"),
            ("-----BEGIN ", "PRIVATE KEY-----"),
            ("Bearer eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NSJ9.abc-def_123"),
            ("key=4f9a8b7c6d5e4f3a", "2b1c0d9e8f7a6b5c"),
            ("(Zm9vYmFyMTIzNDU2Nzg5", "MGFiY2RlZkdISUpLTE1OT1A)"),
        ] {
            assert!(looks_secret(&format!("{a}{b}")), "{a}");
        }
    }

    #[test]
    fn ordinary_texts_are_not_secrets() {
        for text in [
            "One ticket with its last messages. Use it when the user names a ticket number.",
            "orchestrator:TOOL_EXECUTION",
            "sk-based-classification-of-texts",
            "https://api.helpdesk.example/v2/tickets/4711/messages/abcdefghijklmnop",
            "123e4567-e89b-12d3-a456-426614174000",
            "aVeryLongNameInCamelCaseWithoutAnyNumber",
            "task-1234567890-and-more-text",
            "12345678901234567890123456789012",
        ] {
            assert!(!looks_secret(text), "{text}");
        }
    }
}
