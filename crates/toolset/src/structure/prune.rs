//! Removes the values that do not match the schema.

use serde_json::{Value, json};

use crate::defect::by_pointer;

/// Removes the values at these pointers. A wrong item of a list removes the list, because positions in the other
/// pointers must stay right. A wrong tool or upstream becomes an empty object.
pub fn prune(document: &mut Value, mut wrong: Vec<String>) {
    // Deeper and later places first, so that no removal moves a place that is still to be removed.
    wrong.sort_by(|a, b| by_pointer(b, a));
    for pointer in wrong {
        remove(document, &pointer);
    }
}

fn remove(document: &mut Value, pointer: &str) {
    let Some((parent, key)) = pointer.rsplit_once('/') else {
        *document = json!({});
        return;
    };
    match document.pointer_mut(parent) {
        Some(Value::Object(fields)) => {
            fields.shift_remove(&key.replace("~1", "/").replace("~0", "~"));
        }
        Some(Value::Array(items)) if matches!(parent, "/tools" | "/upstreams") => {
            if let Some(item) = key.parse::<usize>().ok().and_then(|at| items.get_mut(at)) {
                *item = json!({});
            }
        }
        Some(_) => remove(document, parent),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_values_are_removed_and_positions_stay() {
        let mut document = json!({
            "slug": 1, "tools": [{ "tags": ["a", 1, 2], "name": "x" }, 3, { "a/b": 1, "name": "y" }]
        });
        let wrong = ["/slug", "/tools/0/tags/1", "/tools/0/tags/2", "/tools/1", "/tools/2/a~1b", "/none/x"];
        prune(&mut document, wrong.map(str::to_owned).to_vec());
        assert_eq!(document, json!({ "tools": [{ "name": "x" }, {}, { "name": "y" }] }));
    }
}
