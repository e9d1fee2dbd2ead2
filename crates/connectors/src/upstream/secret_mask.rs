//! Replaces the secret that was sent wherever it comes back.
//!
//! An upstream may repeat a secret as it is, in a JSON text or in a URL. So the forms that common serializers
//! write are searched, all at once. This protects from a service that repeats what it received, not from one
//! that wants to tell the secret: it could use any code.

use std::borrow::Cow;

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::ExposeSecret as _;

use super::UpstreamCredential;

const REPLACEMENT: &str = "•••";
/// The shortest secret that is replaced, in bytes. A shorter one can be guessed, and is in every text.
const SHORTEST: usize = 4;
/// The shortest part of a login that counts as a secret of its own without being the password, in bytes.
const SHORTEST_KEY: usize = 8;

/// What serializers of JSON write as `\u0026` without need: the ASCII characters, whether also all others, and
/// whether in upper case. Most write none; the others are those of Python and PHP, Go, Gson and .NET.
const JSON_ESCAPED: [(&str, bool, bool); 5] = [
    ("", false, false),
    ("", true, false),
    ("&<>", false, false),
    ("&<>='", false, false),
    ("&<>'+`", true, true),
];
/// What RFC 3986 lets stand is encoded by nobody.
const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// What percent-encoders encode: most all, Python's but the slash, and JavaScript's but a few signs.
const PERCENT_ENCODED: [AsciiSet; 3] = [
    RESERVED,
    RESERVED.remove(b'/'),
    RESERVED.remove(b'!').remove(b'*').remove(b'\'').remove(b'(').remove(b')'),
];

/// The texts that must not come back.
pub struct SecretMask {
    /// The longest first, because it may have another one in it.
    forms: Vec<String>,
}

impl SecretMask {
    /// Creates the mask of a credential. Without one, it replaces nothing.
    pub fn new(credential: Option<&UpstreamCredential>) -> Self {
        let mut texts: Vec<String> = match credential {
            None => Vec::new(),
            Some(UpstreamCredential::Bearer(token)) => vec![token.expose_secret().to_owned()],
            Some(UpstreamCredential::Header { value, .. }) => header_texts(value.expose_secret()),
            Some(UpstreamCredential::Basic(login)) => basic_texts(login.expose_secret()),
        };
        texts.retain(|text| text.len() >= SHORTEST);
        let mut forms: Vec<String> = texts.iter().flat_map(|text| forms(text)).collect();
        forms.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        forms.dedup();
        Self { forms }
    }

    /// How many bytes the longest secret can have in a body.
    pub fn longest_match(&self) -> usize {
        self.forms.first().map_or(0, String::len)
    }

    /// Returns how many bytes at the end of a text may begin a secret that the next text completes.
    pub fn open_end(&self, text: &str) -> usize {
        let of_form = |form: &String| {
            let lengths = (1..form.len()).rev().filter(|length| form.is_char_boundary(*length));
            lengths.into_iter().find(|length| text.ends_with(&form[..*length]))
        };
        self.forms.iter().filter_map(of_form).max().unwrap_or_default()
    }

    pub fn apply(&self, body: Vec<u8>) -> Vec<u8> {
        match self.masked(&String::from_utf8_lossy(&body)) {
            Cow::Owned(masked) => masked.into_bytes(),
            Cow::Borrowed(_) => body,
        }
    }

    pub fn apply_to_text(&self, text: &str) -> String {
        self.masked(text).into_owned()
    }

    fn masked<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.forms.iter().fold(Cow::Borrowed(text), |text, form| {
            if text.contains(form) { text.replace(form, REPLACEMENT).into() } else { text }
        })
    }
}

/// The secrets in the value of a header, such as `Token 3f9a…`: the value, and what follows its scheme.
fn header_texts(value: &str) -> Vec<String> {
    let mut texts = vec![value.to_owned()];
    texts.extend(value.split_once(' ').map(|(_, key)| key.trim().to_owned()));
    texts.retain(|text| text.len() >= SHORTEST_KEY || text == value);
    texts
}

/// The secrets in `user:password`. Where the password is empty or short, the user is a key.
fn basic_texts(login: &str) -> Vec<String> {
    let mut texts = vec![login.to_owned(), STANDARD_NO_PAD.encode(login), URL_SAFE_NO_PAD.encode(login)];
    if let Some((user, password)) = login.split_once(':') {
        texts.push(password.to_owned());
        if password.len() < SHORTEST_KEY && user.len() >= SHORTEST_KEY {
            texts.push(user.to_owned());
        }
    }
    texts
}

/// Returns the forms of a text that serializers of JSON and of URLs write.
fn forms(text: &str) -> Vec<String> {
    let mut forms = vec![text.to_owned()];
    let json = serde_json::Value::from(text).to_string();
    let json = json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or(text);
    for (ascii, others, upper) in JSON_ESCAPED {
        let hex: fn(&u16) -> String =
            if upper { |unit| format!("\\u{unit:04X}") } else { |unit| format!("\\u{unit:04x}") };
        let escape = |c: char| {
            let escapes = ascii.contains(c) || (others && !c.is_ascii());
            if escapes { c.encode_utf16(&mut [0; 2]).iter().map(hex).collect() } else { c.to_string() }
        };
        let form: String = json.chars().map(escape).collect();
        forms.extend([form.replace('/', "\\/"), form]);
    }
    for encoded in &PERCENT_ENCODED {
        let upper = utf8_percent_encode(text, encoded);
        let lower = upper.clone().map(|part| match part.strip_prefix('%') {
            Some(hex) => format!("%{}", hex.to_ascii_lowercase()),
            None => part.to_owned(),
        });
        for url in [upper.to_string(), lower.collect()] {
            forms.extend([url.replace("%20", "+"), url]);
        }
    }
    forms
}

#[cfg(test)]
mod tests;
