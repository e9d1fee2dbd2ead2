//! The pairs of a query or a form.

use serde_json::Value;

use super::{
    RequestDefect,
    arguments::{RequestArguments, scalar_text, whole_parameter},
};
use crate::defect::below;

/// Returns the pairs of the fields in their order. A list repeats its key; a list without items has no pair.
pub fn pairs<'a>(
    fields: impl IntoIterator<Item = (&'a String, &'a Value)>,
    arguments: &mut RequestArguments<'_>,
) -> Result<Vec<(&'a str, String)>, RequestDefect> {
    let mut pairs = Vec::new();
    for (key, value) in fields {
        match value {
            Value::String(template) => {
                let texts = texts(key, template, arguments)?;
                pairs.extend(texts.into_iter().map(|text| (key.as_str(), text)));
            }
            other => {
                let text = scalar_text(other)
                    .ok_or_else(|| RequestDefect::mapping("a query or a form has a list or an object"))?;
                pairs.push((key, text.into_owned()));
            }
        }
    }
    Ok(pairs)
}

fn texts(
    key: &str,
    template: &str,
    arguments: &mut RequestArguments<'_>,
) -> Result<Vec<String>, RequestDefect> {
    if let Some(name) = whole_parameter(template)
        && let Some(Value::Array(items)) = arguments.get(name)
    {
        return list_texts(items, key, name, arguments);
    }
    Ok(arguments.join(template, |_, _| Ok(()))?.into_iter().collect())
}

fn list_texts(
    items: &[Value],
    key: &str,
    name: &str,
    arguments: &mut RequestArguments<'_>,
) -> Result<Vec<String>, RequestDefect> {
    let mut texts = Vec::new();
    for (position, item) in items.iter().enumerate() {
        if item.is_null() {
            continue;
        }
        let text = scalar_text(item).ok_or_else(|| {
            let at = below(&below("", name), position);
            RequestDefect::new(at, "must be a string, a number or a boolean to stand in the request")
        })?;
        // The key is repeated.
        arguments.count(key.len() + text.len() + 2, name)?;
        texts.push(text.into_owned());
    }
    Ok(texts)
}
