//! The sentences for people.

use crate::{
    defect::below,
    note::CheckReport,
    rules::{
        ToolScope,
        placeholders::{TemplatePlace, check_template},
    },
};

/// Checks the placeholders of a tool's sentences.
pub fn check(scope: &ToolScope<'_>, report: &mut CheckReport) {
    if let Some(text) = &scope.tool.confirm_text {
        check_template(text, TemplatePlace::SentenceBefore, &below(&scope.at, "confirm_text"), scope, report);
    }
    if let Some(text) = &scope.tool.result_text {
        check_template(text, TemplatePlace::SentenceAfter, &below(&scope.at, "result_text"), scope, report);
    }
}
