//! The headers of a request.

use std::collections::BTreeMap;

use super::{
    RequestDefect,
    arguments::{RequestArguments, parts},
};
use crate::{
    defect::{below, quoted},
    limits::MAX_HEADER_VALUE,
    template::TemplatePart,
};

/// Returns the headers of a mapping with the parameters in their values.
pub fn build_headers(
    headers: Option<&BTreeMap<String, String>>,
    arguments: &mut RequestArguments<'_>,
) -> Result<Vec<(String, String)>, RequestDefect> {
    let mut built = Vec::new();
    for (name, template) in headers.into_iter().flatten() {
        let Some(value) = arguments.join(template, check_text)? else { continue };
        if value.len() > MAX_HEADER_VALUE {
            return Err(too_long(name, template, value.len()));
        }
        built.push((name.clone(), value));
    }
    Ok(built)
}

/// The value of a header is too long. The argument that stands last in it is to blame.
fn too_long(header: &str, template: &str, length: usize) -> RequestDefect {
    let mut parameters = parts(template).into_iter().flatten().filter_map(|part| match part {
        TemplatePart::Parameter(name) => Some(below("", name)),
        TemplatePart::Text(_) | TemplatePart::Pointer(_) => None,
    });
    let message = format!(
        "the header {} would have {length} characters; at most {MAX_HEADER_VALUE} are possible, so shorten \
         the argument",
        quoted(header)
    );
    RequestDefect::new(parameters.next_back().unwrap_or_default(), message)
}

/// Checks that an argument can neither end its header nor hide in it.
fn check_text(parameter: &str, text: &str) -> Result<(), RequestDefect> {
    let message = if text.len() > MAX_HEADER_VALUE {
        format!("stands in a header, so it has at most {MAX_HEADER_VALUE} characters; shorten it")
    } else if !text.bytes().all(|b| b == b' ' || b.is_ascii_graphic()) {
        "stands in a header, so it can have visible ASCII characters and spaces only; remove others, such as \
         line breaks"
            .to_owned()
    } else {
        return Ok(());
    };
    Err(RequestDefect::new(below("", parameter), message))
}
