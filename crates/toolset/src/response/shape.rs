//! Picks the fields of a response and cuts its lists and texts.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::{
    document::ResponseMapping,
    limits::{DEFAULT_RESULT_ITEMS, DEFAULT_RESULT_TEXT, MAX_RESPONSE_VALUES, MAX_RESULT_BYTES},
};

/// Copies the parts of a response that the caller gets.
pub struct ResponseShaper {
    max_items: usize,
    max_text: usize,
    bytes_left: usize,
    values_left: usize,
    /// Whether anything was left out so far.
    pub truncated: bool,
}

impl ResponseShaper {
    /// Begins a result within the limits of the mapping.
    pub fn new(mapping: Option<&ResponseMapping>) -> Self {
        let limit =
            |limit: Option<u32>, default| limit.and_then(|n| usize::try_from(n).ok()).unwrap_or(default);
        Self {
            max_items: limit(mapping.and_then(|mapping| mapping.max_items), DEFAULT_RESULT_ITEMS),
            max_text: limit(mapping.and_then(|mapping| mapping.max_text), DEFAULT_RESULT_TEXT),
            bytes_left: MAX_RESULT_BYTES,
            values_left: MAX_RESPONSE_VALUES,
            truncated: false,
        }
    }

    /// Returns the fields of an object, or of each object of a list.
    pub fn pick(&mut self, selected: &Value, fields: &BTreeMap<String, String>) -> Value {
        match selected {
            Value::Array(items) => self.list(items, |shaper, item| shaper.pick_item(item, fields)),
            item => self.pick_item(item, fields),
        }
    }

    /// Returns the value with its lists and texts cut.
    pub fn cut(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => self.list(items, Self::cut),
            Value::Object(fields) => {
                let mut cut = Map::new();
                for (key, field) in fields {
                    if !self.has_room(key.len()) {
                        break;
                    }
                    let field = self.cut(field);
                    cut.insert(key.clone(), field);
                }
                Value::Object(cut)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn pick_item(&mut self, item: &Value, fields: &BTreeMap<String, String>) -> Value {
        if item.is_null() {
            return Value::Null;
        }
        let mut picked = Map::new();
        for (name, pointer) in fields {
            let Some(found) = item.pointer(pointer) else { continue };
            if !self.has_room(name.len()) {
                break;
            }
            let found = self.cut(found);
            picked.insert(name.clone(), found);
        }
        Value::Object(picked)
    }

    fn list(&mut self, items: &[Value], mut copy: impl FnMut(&mut Self, &Value) -> Value) -> Value {
        self.truncated |= items.len() > self.max_items;
        let mut cut = Vec::new();
        for item in items.iter().take(self.max_items) {
            if !self.has_room(0) {
                break;
            }
            cut.push(copy(self, item));
        }
        Value::Array(cut)
    }

    fn text(&mut self, text: &str) -> String {
        let most = text.char_indices().nth(self.max_text).map_or(text.len(), |(at, _)| at);
        let end = text.floor_char_boundary(most.min(self.bytes_left));
        self.truncated |= end < text.len();
        self.bytes_left -= end;
        text.get(..end).unwrap_or_default().to_owned()
    }

    /// Takes the room of one more value with a key of this length, if there is any.
    fn has_room(&mut self, key_bytes: usize) -> bool {
        let room = self.values_left.checked_sub(1).zip(self.bytes_left.checked_sub(key_bytes));
        if let Some((values, bytes)) = room {
            (self.values_left, self.bytes_left) = (values, bytes);
        }
        self.truncated |= room.is_none();
        room.is_some()
    }
}
