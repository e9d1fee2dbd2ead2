//! Reads and changes JSON by pointers. The tests of `import` use it too.

use serde_json::Value;

/// Every pointer into a value.
pub fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(key, field)| (key.clone(), field)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(key, item)| (key.to_string(), item)).collect(),
        _ => Vec::new(),
    };
    for (key, child) in children {
        let at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        found.push(at.clone());
        pointers(child, &at, found);
    }
}

/// Sets the value at a pointer, whose parent must exist. Null removes it. `-` appends to a list.
pub fn set(document: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match document.pointer_mut(parent).unwrap_or_else(|| panic!("{pointer}")) {
        Value::Object(fields) if value.is_null() => {
            fields.shift_remove(key).unwrap_or_else(|| panic!("{pointer}"));
        }
        Value::Object(fields) => {
            fields.insert(key.replace("~1", "/").replace("~0", "~"), value);
        }
        Value::Array(items) if key == "-" => items.push(value),
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
        other => panic!("{pointer}: {other}"),
    }
}
