//! The arguments of a call, as a request takes them.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::{
    defect::below,
    limits::MAX_ARGUMENT_BYTES,
    request::RequestDefect,
    template::{TemplatePart, template_parts},
};

/// The arguments of a call. Bounds how much of them a request takes, because a template can repeat them.
pub struct RequestArguments<'a> {
    values: Option<&'a Map<String, Value>>,
    bytes_left: usize,
}

impl<'a> RequestArguments<'a> {
    /// Takes the arguments of a call. Anything but an object has no arguments.
    pub fn new(arguments: &'a Value) -> Self {
        Self { values: arguments.as_object(), bytes_left: MAX_ARGUMENT_BYTES }
    }

    /// Returns the value of a parameter. Its size counts when it is used.
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.values?.get(name)
    }

    /// Counts bytes of an argument that stand in the request.
    pub fn count(&mut self, bytes: usize, name: &str) -> Result<(), RequestDefect> {
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or_else(|| {
            let message = format!(
                "is too long: the arguments take more than {MAX_ARGUMENT_BYTES} bytes of the request; shorten it"
            );
            RequestDefect::new(below("", name), message)
        })?;
        Ok(())
    }

    /// Returns the text of a parameter. `None` if it is absent or null. The error says that it is no scalar.
    pub fn text(&mut self, name: &str) -> Result<Option<Cow<'a, str>>, RequestDefect> {
        let Some(value) = self.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
        let text = scalar_text(value).ok_or_else(|| {
            RequestDefect::new(
                below("", name),
                "must be a string, a number or a boolean to stand in the request",
            )
        })?;
        self.count(text.len(), name)?;
        Ok(Some(text))
    }

    /// Replaces the parameters of a template. `None` if one of them is absent or null. `check` checks the text
    /// of each parameter.
    pub fn join(
        &mut self,
        template: &str,
        check: impl Fn(&str, &str) -> Result<(), RequestDefect>,
    ) -> Result<Option<String>, RequestDefect> {
        let mut joined = String::with_capacity(template.len());
        for part in parts(template)? {
            match part {
                TemplatePart::Parameter(name) => {
                    let Some(text) = self.text(name)? else { return Ok(None) };
                    check(name, &text)?;
                    joined.push_str(&text);
                }
                TemplatePart::Text(text) | TemplatePart::Pointer(text) => joined.push_str(text),
            }
        }
        Ok(Some(joined))
    }
}

/// Splits a template of a request into its parts. There are no pointers among them.
pub fn parts(template: &str) -> Result<Vec<TemplatePart<'_>>, RequestDefect> {
    let parts = template_parts(template)
        .map_err(|error| RequestDefect::mapping(&format!("a text of its request {error}")))?;
    if parts.iter().any(|part| matches!(part, TemplatePart::Pointer(_))) {
        return Err(RequestDefect::mapping("its request has a part of a response"));
    }
    Ok(parts)
}

/// Returns the parameter that is the whole text.
pub fn whole_parameter(template: &str) -> Option<&str> {
    match template_parts(template).ok()?.as_slice() {
        [TemplatePart::Parameter(name)] => Some(name),
        _ => None,
    }
}

/// Returns the text of a scalar. Numbers keep their JSON text.
pub fn scalar_text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Number(_) | Value::Bool(_) => Some(Cow::Owned(value.to_string())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
