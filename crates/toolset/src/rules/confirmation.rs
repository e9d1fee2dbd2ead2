//! How a person confirms a call.

use serde_json::Value;
use toolcrib_registry::{ConfirmationLevel, Level, nearest};

use crate::{
    defect::{below, quoted},
    document::{DeclaredEscalation, EscalationCondition},
    note::{CheckReport, NoteKind},
    rules::ToolScope,
};

/// Checks confirmation, warning and escalations of a tool.
pub fn check(scope: &ToolScope<'_>, report: &mut CheckReport) {
    check_level(scope, report);
    for (position, escalation) in scope.tool.escalations.iter().flatten().enumerate() {
        check_escalation(escalation, &below(&below(&scope.at, "escalations"), position), scope, report);
    }
    for (position, name) in scope.tool.always_show.iter().flatten().enumerate() {
        let at = below(&below(&scope.at, "always_show"), position);
        check_parameter(name, &at, scope, report);
    }
}

fn check_level(scope: &ToolScope<'_>, report: &mut CheckReport) {
    let tool = scope.tool;
    let Some(level) = tool.permission_level else { return };
    let confirmation = below(&scope.at, "confirmation");
    match (level, tool.confirmation) {
        (Level::Read, Some(ConfirmationLevel::Simple | ConfirmationLevel::Typed)) => {
            report.defect(&confirmation, "a `read` tool asks nobody; remove it, or set a higher level");
        }
        (Level::Destructive, Some(ConfirmationLevel::None)) => {
            report.defect(&confirmation, "a destructive tool is `typed`, or `simple` with `simple_because`");
        }
        (Level::Destructive, Some(ConfirmationLevel::Simple)) if !scope.has("simple_because") => {
            let message = "required: why `simple` is enough for a destructive tool; or use `typed`";
            report.defect(below(&scope.at, "simple_because"), message);
        }
        _ => {}
    }
    if level == Level::Read && scope.has("escalations") {
        report.defect(below(&scope.at, "escalations"), "a `read` tool asks nobody; remove them");
    }
    let simple = level == Level::Destructive && tool.confirmation == Some(ConfirmationLevel::Simple);
    if tool.simple_because.is_some() && !simple {
        let message = "has no effect: it is for a destructive tool with `simple`";
        report.note(NoteKind::Unused, below(&scope.at, "simple_because"), message);
    }
    check_warning(level, scope, report);
}

fn check_warning(level: Level, scope: &ToolScope<'_>, report: &mut CheckReport) {
    if scope.has("warning") {
        return;
    }
    let at = below(&scope.at, "warning");
    let asks = matches!(scope.tool.confirmation, Some(ConfirmationLevel::Simple | ConfirmationLevel::Typed));
    if level == Level::Destructive && scope.tool.draft == Some(true) {
        report.note(NoteKind::Draft, at, "needed before the tool is no draft any more");
    } else if level == Level::Destructive {
        report.defect(at, "required for a destructive tool: what is lost");
    } else if level == Level::Write && asks {
        report.defect(at, "required for a tool that asks: what the person should know");
    }
}

fn check_escalation(
    escalation: &DeclaredEscalation,
    at: &str,
    scope: &ToolScope<'_>,
    report: &mut CheckReport,
) {
    if escalation.level == Some(ConfirmationLevel::None) {
        report.defect(below(at, "level"), "must be `simple` or `typed`");
    }
    let Some(name) = &escalation.parameter else { return };
    if !check_parameter(name, &below(at, "parameter"), scope, report) {
        return;
    }
    let Some(parameter) = scope.parameter(name) else { return };
    let is = |kind: &str| parameter.schema.get("type").is_none_or(|found| found == kind);
    match &escalation.when {
        Some(EscalationCondition::IsTrue) if !is("boolean") => {
            report.defect(below(at, "when"), format!("{} is not a boolean", quoted(name)));
        }
        Some(EscalationCondition::Equals(_)) if !is("string") => {
            report.defect(below(at, "when"), format!("{} is not a string", quoted(name)));
        }
        Some(EscalationCondition::Equals(word)) => {
            let values = parameter.schema.get("enum").and_then(Value::as_array);
            if values.is_some_and(|values| !values.iter().any(|value| value == word)) {
                let message = format!("{} is no value of {}", quoted(word), quoted(name));
                report.defect(below(&below(at, "when"), "equals"), message);
            }
        }
        _ => {}
    }
}

/// Adds a defect if the tool has no such parameter.
fn check_parameter(name: &str, at: &str, scope: &ToolScope<'_>, report: &mut CheckReport) -> bool {
    let is_known = scope.parameter(name).is_some();
    if !is_known {
        let known: Vec<&str> = scope.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let near = nearest(name, &known).map(|near| format!("; did you mean `{near}`")).unwrap_or_default();
        report.defect(at, format!("{} is no parameter{near}", quoted(name)));
    }
    is_known
}
