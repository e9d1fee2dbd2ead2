//! Cuts a page to a number of bytes and sets its cursor to the first item left out.

use serde_json::{Value, json};
use toolcrib_model::Cursor;

use super::fit::{self, cut_down, mark, size};

const ITEMS: &str = "/data/items";
/// Fields that identify an item. They are never left out.
const NAMES: [&str; 2] = ["id", "name"];

/// Cuts `text`, a call's `{…, data}`, to `limit` bytes. If the data is a page and `ends` has a cursor for
/// each item, keeps at least one item and sets `next_cursor` to the position after the last item kept.
pub fn fit(text: &mut Value, ends: &[Cursor], limit: usize) {
    let items = text.pointer(ITEMS).and_then(Value::as_array).map_or(0, Vec::len);
    let Some(last) = ends.last().filter(|_| items == ends.len()) else {
        return fit::fit(text, limit);
    };
    // All cursors have the same length, so replacing this one later does not change the size.
    let before = set_cursor(text, json!(last.encode()));
    if !cut_down(text, limit, Some(ITEMS)) {
        thin(text, limit);
    }
    let shown = text.pointer(ITEMS).and_then(Value::as_array).map_or(0, Vec::len);
    let follows = shown.checked_sub(1).and_then(|at| ends.get(at)).filter(|_| shown < items);
    set_cursor(text, follows.map_or(before, |end| json!(end.encode())));
}

fn set_cursor(text: &mut Value, cursor: Value) -> Value {
    text.pointer_mut("/data/next_cursor").map_or(Value::Null, |there| std::mem::replace(there, cursor))
}

/// Removes the largest fields of the first item until `text` fits. For an item that is too large after its
/// lists and texts were cut.
fn thin(text: &mut Value, limit: usize) {
    while size(text) > limit {
        let Some(Value::Object(item)) = text.pointer_mut("/data/items/0") else { return };
        let spare = |key: &str| key != "truncated" && !NAMES.contains(&key);
        let heaviest =
            item.iter().filter(|(key, _)| spare(key)).max_by_key(|(key, value)| size(value) + key.len());
        let Some(key) = heaviest.map(|(key, _)| key.clone()) else { return };
        item.shift_remove(&key);
        mark(item);
    }
}

#[cfg(test)]
mod tests {
    use toolcrib_model::{Id, Ts};

    use crate::{Completion, completed, model_text::fit::size};

    use super::*;

    fn end(n: usize) -> Cursor {
        Cursor { at: Ts::from_micros(i64::try_from(n).unwrap()), id: Id::from_u128(7) }
    }

    /// Renders a page of these items for a model.
    fn shown(items: &[Value], next: Option<&str>, limit: usize) -> Value {
        let ends: Vec<Cursor> = (0..items.len()).map(end).collect();
        let data = json!({"items": items, "next_cursor": next});
        let text = completed(
            &Completion {
                description: "Found some",
                data: &data,
                unreadable: None,
                ends: &ends,
                untrusted: None,
                repaired: &[],
                replayed: false,
            },
            limit,
        );
        assert!(size(&text) <= limit, "{} bytes", size(&text));
        text
    }

    #[test]
    fn a_page_that_is_cut_leads_on_from_the_last_item_shown() {
        let items: Vec<Value> = (0..20).map(|n| json!({"n": n, "text": "é".repeat(40)})).collect();
        for next in [None, Some("the next page")] {
            let text = shown(&items, next, 1_000);
            let count = text["data"]["items"].as_array().unwrap().len();
            assert!((2..20).contains(&count), "{count}");
            assert_eq!(text["data"]["next_cursor"], json!(end(count - 1).encode()));
            assert_eq!(text["data"]["truncated"], true);
        }
    }

    #[test]
    fn a_page_that_is_shown_whole_keeps_its_cursor() {
        let items = [json!({"n": 1}), json!({"n": 2, "text": "x".repeat(5_000)})];
        for next in [Value::Null, json!("the next page")] {
            let whole = shown(&items, next.as_str(), 10_000);
            assert_eq!((&whole["data"]["next_cursor"], whole["data"].get("truncated")), (&next, None));
            // Only a text was cut, no item was dropped.
            let text = shown(&items, next.as_str(), 1_000);
            assert_eq!(
                (&text["data"]["next_cursor"], &text["data"]["items"][1]["truncated"]),
                (&next, &json!(true))
            );
        }
    }

    #[test]
    fn an_item_that_is_too_large_alone_is_shown_cut() {
        let wide: serde_json::Map<String, Value> = (0..300).map(|n| (format!("key{n}"), json!(n))).collect();
        let mut wide = Value::Object(wide);
        wide["id"] = json!("the first");
        let list = json!({"id": "the first", "parts": vec!["x".repeat(50); 300]});
        for first in [wide, list] {
            let text = shown(&[first, json!({"n": 2})], None, 400);
            assert_eq!(text["data"]["items"][0]["id"], "the first");
            assert!(text.to_string().contains("\"truncated\":true"));
            let count = text["data"]["items"].as_array().unwrap().len();
            let next = if count == 2 { Value::Null } else { json!(end(0).encode()) };
            assert_eq!(text["data"]["next_cursor"], next);
        }
    }
}
