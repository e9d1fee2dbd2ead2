//! Where the values of parameters may stand.

use toolcrib_registry::nearest;

use crate::{
    defect::{below, quoted},
    note::CheckReport,
    rules::ToolScope,
    template::{TemplatePart, is_pointer, template_parts},
    tool_schema::{ParameterInfo, ParameterKind},
};

/// Where a template stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplatePlace {
    /// A sentence for people before the call.
    SentenceBefore,
    /// A sentence for people with parts of the response.
    SentenceAfter,
    Path,
    /// A value in the query of a URL.
    Query,
    Header,
    Body,
}

/// Checks the placeholders of a tool's sentences for people.
pub fn check_sentences(scope: &ToolScope<'_>, report: &mut CheckReport) {
    if let Some(text) = &scope.tool.confirm_text {
        check_template(text, TemplatePlace::SentenceBefore, &below(&scope.at, "confirm_text"), scope, report);
    }
    if let Some(text) = &scope.tool.result_text {
        check_template(text, TemplatePlace::SentenceAfter, &below(&scope.at, "result_text"), scope, report);
    }
}

/// Checks the placeholders of a text. Returns the names of the parameters in it.
pub fn check_template<'a>(
    text: &'a str,
    place: TemplatePlace,
    at: &str,
    scope: &ToolScope<'_>,
    report: &mut CheckReport,
) -> Vec<&'a str> {
    let parts = match template_parts(text) {
        Ok(parts) => parts,
        Err(message) => {
            report.defect(at, message);
            return Vec::new();
        }
    };
    let is_whole = parts.len() == 1;
    let mut names = Vec::new();
    for part in parts {
        match part {
            TemplatePart::Pointer(pointer) if place != TemplatePlace::SentenceAfter => {
                let message = format!(
                    "{} is part of a response; it is possible in `result_text` and in a target's `label`",
                    quoted(&format!("{{{pointer}}}"))
                );
                report.defect(at, message);
            }
            TemplatePart::Pointer(pointer) if !is_pointer(pointer) => {
                report.defect(at, format!("{} is not a JSON pointer", quoted(pointer)));
            }
            TemplatePart::Text(_) | TemplatePart::Pointer(_) => {}
            TemplatePart::Parameter(name) => {
                names.push(name);
                let wrong = match scope.parameter(name) {
                    None => Some(unknown_parameter(name, scope)),
                    Some(parameter) => wrong_place(parameter, place, is_whole)
                        .map(|message| format!("{} {message}", quoted(name))),
                };
                if let Some(message) = wrong {
                    report.defect(at, message);
                }
            }
        }
    }
    names
}

fn unknown_parameter(name: &str, scope: &ToolScope<'_>) -> String {
    let known: Vec<&str> = scope.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let written = quoted(&format!("{{{name}}}"));
    match nearest(name, &known) {
        Some(near) => format!("{written} is no parameter; did you mean `{{{near}}}`"),
        None if known.is_empty() => format!("{written} is no parameter; the tool has none"),
        None => format!("{written} is no parameter; the parameters are {}", known.join(", ")),
    }
}

/// Returns why a parameter can't stand in this place.
fn wrong_place(parameter: &ParameterInfo, place: TemplatePlace, is_whole: bool) -> Option<&'static str> {
    use TemplatePlace::{Body, Header, Path, Query};
    let is_scalar = parameter.kind == ParameterKind::Scalar;
    match place {
        Path | Query | Header if parameter.is_sensitive => {
            Some("is sensitive; it may stand in the body only")
        }
        Path if !parameter.is_always_given => {
            Some("stands in the path; make it required, or give it a default, and let it not be null")
        }
        Path | Header if !is_scalar => Some("must be a string, a number or a boolean to stand here"),
        Query if is_whole && parameter.kind == ParameterKind::ScalarList => None,
        Query if !is_scalar => Some("must be a string, a number, a boolean or a list of these to stand here"),
        Body if !is_whole && !is_scalar => {
            Some("is joined into a text, so it must be a string, a number or a boolean")
        }
        _ => None,
    }
}
