//! Cuts JSON to a number of bytes: drops items of long lists first, then shortens long texts.

use serde_json::{Map, Value, json};

use crate::validate::escape;

/// The maximum number of rounds. Each round removes the excess from the largest part.
const MAX_ROUNDS: usize = 64;
/// Texts of at most this many bytes are not cut.
const SHORT: usize = 64;

/// Returns the size of the compact form in bytes.
pub fn size(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, part: &[u8]) -> std::io::Result<usize> {
            self.0 += part.len();
            Ok(part.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting can't fail.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

/// Cuts `text` to at most `limit` bytes and marks the objects that were cut.
pub fn fit(text: &mut Value, limit: usize) {
    if !cut_down(text, limit, None)
        && let Some(fields) = text.as_object_mut()
    {
        fields.insert("data".into(), Value::Null);
        fields.insert("truncated".into(), json!(true));
    }
}

/// Cuts lists and texts until `text` has at most `limit` bytes. Returns false if cutting is not enough. The
/// list at the JSON pointer `page` keeps at least one item.
pub fn cut_down(text: &mut Value, limit: usize, page: Option<&str>) -> bool {
    for _ in 0..MAX_ROUNDS {
        let whole = size(text);
        if whole <= limit {
            return true;
        }
        // `"truncated":true` takes up to 20 bytes.
        let excess = whole - limit + 20;
        let Some(path) = heaviest_part(text, excess, page) else { break };
        cut(text, &path, excess);
    }
    size(text) <= limit
}

fn cut(text: &mut Value, path: &str, excess: usize) {
    match text.pointer_mut(path) {
        Some(Value::Array(items)) => shorten(items, excess),
        Some(Value::String(words)) => clip(words, excess),
        _ => return,
    }
    // Mark the innermost object that contains the part that was cut.
    let mut around = path;
    while let Some((outer, _)) = around.rsplit_once('/') {
        around = outer;
        if let Some(Value::Object(fields)) = text.pointer_mut(around) {
            mark(fields);
            return;
        }
    }
}

pub fn mark(fields: &mut Map<String, Value>) {
    fields.insert("truncated".into(), json!(true));
}

/// Drops items from the end until `excess` bytes are removed. Keeps one item of several.
fn shorten(items: &mut Vec<Value>, excess: usize) {
    let mut gone = 0;
    let least = usize::from(items.len() > 1);
    while gone < excess && items.len() > least {
        gone += items.pop().map_or(0, |item| size(&item) + 1);
    }
}

/// Shortens a text by `excess` bytes at a character boundary, but not below half of [`SHORT`].
fn clip(words: &mut String, excess: usize) {
    // An escape may take six bytes for one character, so the size is counted in the serialized form.
    let keep = size(&Value::String(words.clone())).saturating_sub(excess + 8).max(SHORT / 2);
    let mut weight = 2;
    let mut end = 0;
    for c in words.chars() {
        weight += match c {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            c if c.is_control() => 6,
            c => c.len_utf8(),
        };
        if weight > keep {
            break;
        }
        end += c.len_utf8();
    }
    words.truncate(end);
    words.push('…');
}

/// Returns the JSON pointer of the part to cut: the largest list, unless the largest text alone covers
/// `excess` and is more than half as large as that list.
fn heaviest_part(text: &Value, excess: usize, page: Option<&str>) -> Option<String> {
    let list = |least: usize| {
        heaviest(text, &|value, path| {
            let least = if page == Some(path) { least.max(2) } else { least };
            value.as_array().is_some_and(|items| items.len() >= least)
        })
    };
    // The sentence about untrusted sources must stay whole.
    let words = heaviest(text, &|value, path| {
        path != "/untrusted" && value.as_str().is_some_and(|text| text.len() > SHORT)
    });
    let part = match (list(2), words) {
        (Some(list), Some(words)) if words.0 >= excess && words.0 > list.0 / 2 => words,
        (Some(list), _) => list,
        (None, Some(words)) => words,
        (None, None) => list(1)?,
    };
    Some(part.1)
}

/// Returns the size and the JSON pointer of the largest value for which `wanted(value, pointer)` is true.
fn heaviest(value: &Value, wanted: &impl Fn(&Value, &str) -> bool) -> Option<(usize, String)> {
    let mut best: Option<(usize, String)> = None;
    visit(value, String::new(), wanted, &mut best);
    best
}

fn visit(
    value: &Value,
    path: String,
    wanted: &impl Fn(&Value, &str) -> bool,
    best: &mut Option<(usize, String)>,
) {
    if wanted(value, &path) {
        let weight = size(value);
        if best.as_ref().is_none_or(|(most, _)| weight > *most) {
            *best = Some((weight, path));
        }
        // Values inside this one are smaller.
        return;
    }
    match value {
        Value::Object(fields) => {
            for (key, inner) in fields {
                visit(inner, format!("{path}/{}", escape(key)), wanted, best);
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                visit(inner, format!("{path}/{index}"), wanted, best);
            }
        }
        _ => {}
    }
}
