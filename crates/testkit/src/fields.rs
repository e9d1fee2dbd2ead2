//! Checks of single fields of a JSON object.

use serde_json::Value;

/// Checks that an object has these fields, where a missing one is null. A name that begins with `/` is a JSON pointer.
///
/// # Panics
/// Panics with the first field that differs.
#[track_caller]
pub fn assert_has(object: &Value, fields: Value) {
    for (name, expected) in fields.as_object().expect("an object of fields") {
        let found = if name.starts_with('/') { object.pointer(name) } else { object.get(name) };
        assert_eq!(found.unwrap_or(&Value::Null), expected, "`{name}` of {object}");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_that_differs_is_named() {
        let object = json!({"a": 1, "b": [{"c": "d"}], "e": null});
        assert_has(&object, json!({"a": 1, "/b/0/c": "d", "e": null, "missing": null}));
        for wrong in [json!({"a": 2}), json!({"/b/0/c": null}), json!({"missing": 1}), json!({"b": []})] {
            let (object, name) = (object.clone(), wrong.as_object().unwrap().keys().next().unwrap().clone());
            let told = std::panic::catch_unwind(move || assert_has(&object, wrong)).unwrap_err();
            assert!(told.downcast::<String>().unwrap().contains(&format!("`{name}` of")));
        }
    }
}
