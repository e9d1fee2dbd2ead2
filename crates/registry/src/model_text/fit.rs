//! JSON made to fit a number of bytes: long lists first, at an item; then long texts.

use serde_json::{Map, Value, json};

/// Every round removes what is too much of the largest part; what needs more rounds is not worth reading.
const MOST_ROUNDS: usize = 64;
/// Texts shorter than this are left whole.
const SHORT: usize = 64;

/// The bytes of the compact form.
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

/// Cuts `text` until it has at most `limit` bytes, marking the object that was cut.
pub fn fit(text: &mut Value, limit: usize) {
    if !cut_down(text, limit, None)
        && let Some(fields) = text.as_object_mut()
    {
        fields.insert("data".into(), Value::Null);
        fields.insert("truncated".into(), json!(true));
    }
}

/// Cuts lists and texts until `text` has at most `limit` bytes; false where that is not enough. The list at `page`, a
/// pointer, keeps at least one item.
pub fn cut_down(text: &mut Value, limit: usize, page: Option<&str>) -> bool {
    for _ in 0..MOST_ROUNDS {
        let whole = size(text);
        if whole <= limit {
            return true;
        }
        // The mark itself takes room.
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
    // The nearest object around what was cut says so.
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

/// Drops items from the end until `excess` bytes are gone, keeping one of several.
fn shorten(items: &mut Vec<Value>, excess: usize) {
    let mut gone = 0;
    let least = usize::from(items.len() > 1);
    while gone < excess && items.len() > least {
        gone += items.pop().map_or(0, |item| size(&item) + 1);
    }
}

/// Cuts a text by at least its share of `excess`, at a character.
fn clip(words: &mut String, excess: usize) {
    // Escapes may weigh six bytes for one, so what is kept is found by the written size.
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

/// The pointer of what to cut: a list, unless one text alone is most of what is too much.
fn heaviest_part(text: &Value, excess: usize, page: Option<&str>) -> Option<String> {
    let list = |least: usize| {
        heaviest(text, &|value, path| {
            let least = if page == Some(path) { least.max(2) } else { least };
            value.as_array().is_some_and(|items| items.len() >= least)
        })
    };
    // What says whose words follow is never cut.
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

/// The heaviest value that is wanted, told by itself and its pointer.
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
        // What is inside weighs less.
        return;
    }
    match value {
        Value::Object(fields) => {
            for (key, inner) in fields {
                let key = key.replace('~', "~0").replace('/', "~1");
                visit(inner, format!("{path}/{key}"), wanted, best);
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
