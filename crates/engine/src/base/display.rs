//! Names beside ids, and values of arguments, as people read them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use toolcrib_model::{Id, characters, code_point, count, person_name, visible};
use toolcrib_store::{StoreError, Tx, display_names};

/// The names of users, agents and keys of a workspace, by id.
#[derive(Clone, Debug, Default)]
pub struct Names(BTreeMap<Id, String>);

impl Names {
    /// Reads the names of the users, agents and keys with these ids. Never a telephone number or the identity
    /// provider's id of a user.
    pub async fn read(tx: &mut Tx, ids: &BTreeSet<Id>) -> Result<Self, StoreError> {
        let found = display_names::find(tx, ids).await?.into_iter();
        let named = found.filter_map(|row| {
            let user = person_name(row.user_name.as_deref()).map(str::to_owned);
            let name = user.or(row.agent_name).or(row.key_name)?;
            Some((row.id, visible(&name).into_owned()))
        });
        Ok(Self(named.collect()))
    }

    /// Returns the name of what has this id, with control and direction characters as code points. `None` if it has no
    /// name, or does not exist any more.
    pub fn of(&self, id: Id) -> Option<String> {
        self.0.get(&id).cloned()
    }
}

/// Maximum characters of a value.
const CHARACTERS: usize = 50;

/// Returns a value in at most 50 visible characters. Lists and objects are counted.
pub fn show(value: &Value) -> String {
    match value {
        Value::String(text) => cut(text),
        Value::Array(items) => count(items.len(), "item"),
        Value::Object(fields) => count(fields.len(), "item"),
        other => cut(&other.to_string()),
    }
}

/// Returns at most 50 visible characters. A hidden character is shown as its code point, which is never cut
/// in the middle.
fn cut(text: &str) -> String {
    let mut shown = String::new();
    let (mut length, mut fits) = (0, 0);
    for (c, hidden) in characters(text) {
        let part = if hidden { code_point(c) } else { c.to_string() };
        length += part.chars().count();
        shown.push_str(&part);
        if length < CHARACTERS {
            fits = shown.len();
        }
        if length > CHARACTERS {
            shown.truncate(fits);
            shown.push('…');
            return shown;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_values_are_cut_at_a_character() {
        let text = show(&Value::String("ä".repeat(80)));
        assert_eq!(text.chars().count(), 50);
        assert!(text.ends_with('…'));
        assert_eq!(show(&Value::String("ä".repeat(50))), "ä".repeat(50), "what fits is whole");
        // A code point that does not fit is left out completely.
        let text = show(&Value::String(format!("{}\u{202e}{}", "a".repeat(45), "b".repeat(9))));
        assert_eq!(text, format!("{}…", "a".repeat(45)));
    }

    #[test]
    fn what_is_nested_is_counted() {
        assert_eq!(show(&json!([1, 2, 3])), "3 items");
        assert_eq!(show(&json!({"a": {"b": 1}})), "1 item");
        assert_eq!(
            (show(&json!(null)), show(&json!(1.5)), show(&json!(true))),
            ("null".into(), "1.5".into(), "true".into())
        );
    }
}
