//! Lists the actions that a caller with a role may call, and those that it may not.

use std::sync::Arc;

use std::fmt::Write as _;

use toolcrib_access::{Rule, decide};
use toolcrib_engine::prelude::*;
use toolcrib_model::Role;

use super::words::{imagined, known_caller_type, sentence};

pub struct AccessReport;

/// How the report is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Format {
    /// Only data.
    #[default]
    Json,
    /// Data and a text for people.
    Markdown,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Role to evaluate. Default: your own.
    pub role: Option<Role>,
    /// Caller type. Default: `api`.
    #[schemars(length(min = 1, max = 40))]
    pub caller_type: Option<String>,
    /// Slug of an agent, for actions that are limited to named agents.
    pub caller_name: Option<String>,
    /// Format.
    pub format: Option<Format>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Title of the report.
    pub title: String,
    /// Every caller type that may be asked for.
    pub caller_types: Vec<String>,
    /// Number of actions.
    pub total: usize,
    /// Number of actions that may be called.
    pub accessible: usize,
    /// Number of actions that may not be called.
    pub denied: usize,
    /// Numbers by category, in the order of the catalogue.
    pub by_category: Vec<CategoryView>,
    /// Every action, in order.
    pub items: Vec<ItemView>,
    /// The report as Markdown; only with the format `markdown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
}

/// A category of the catalogue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CategoryView {
    /// The section.
    pub category: &'static str,
    /// Number of actions.
    pub total: usize,
    /// Number of actions that may be called.
    pub accessible: usize,
    /// Number of actions that may not be called.
    pub denied: usize,
}

/// One action.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ItemView {
    /// Name.
    pub action: Arc<str>,
    /// Its section.
    pub category: &'static str,
    /// Permission level.
    pub permission_level: Level,
    /// Permission that the action needs.
    pub permission: String,
    /// Whether the action may be called.
    pub allowed: bool,
    /// First rule that fails; null if none fails.
    pub reason: Option<&'static str>,
    /// The reason in words.
    pub explanation: Option<String>,
}

impl ReadAction for AccessReport {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("access.report", Level::Read, Permission::AUDIT_READ).describe(
        "List the actions that a role and caller type may call in this workspace, and why not the others.",
    )
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let known = &cx.tools.catalog.rules().caller_types;
        let caller_type = known_caller_type(known, "/caller_type", input.caller_type.as_deref())?;
        let mut output = report(cx, input, caller_type);
        if input.format == Some(Format::Markdown) {
            output.markdown = Some(markdown(&output));
        }
        Ok(output)
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("{}: {} of {} actions", output.title, output.accessible, output.total)
    }
}

fn report(cx: &ReadCx<'_>, input: &Input, caller_type: &str) -> Output {
    let role = input.role.or(cx.caller.role);
    let caller = imagined(cx.caller.workspace, Id::nil(), role, caller_type, input.caller_name.as_deref());
    let item = |spec: &Spec| {
        let decision = decide(&caller, spec, cx.policy);
        ItemView {
            action: spec.name.clone(),
            category: spec.category.as_str(),
            permission_level: spec.level,
            permission: spec.permission.to_string(),
            allowed: decision.allowed,
            reason: decision.reason.map(Rule::as_str),
            explanation: decision.reason.map(|rule| sentence(rule, false, &caller, spec)),
        }
    };
    let items: Vec<ItemView> = cx.tools.of_workspace().map(|meta| item(&meta.spec)).collect();
    let by_category = cx.tools.categories().filter_map(|category| section(&items, category)).collect();
    let accessible = items.iter().filter(|item| item.allowed).count();
    let role = role.map_or("no role", Role::as_str);
    let name = input.caller_name.as_deref().map(|name| format!(", named `{name}`")).unwrap_or_default();
    Output {
        title: format!("Access of `{role}` calling as `{caller_type}`{name}"),
        caller_types: cx.tools.catalog.rules().caller_types.clone(),
        total: items.len(),
        accessible,
        denied: items.len() - accessible,
        by_category,
        items,
        markdown: None,
    }
}

fn section(items: &[ItemView], category: Category) -> Option<CategoryView> {
    let own = || items.iter().filter(|item| item.category == category.as_str());
    let (total, accessible) = (own().count(), own().filter(|item| item.allowed).count());
    (total > 0).then(|| CategoryView {
        category: category.as_str(),
        total,
        accessible,
        denied: total - accessible,
    })
}

fn markdown(report: &Output) -> String {
    let mut text = format!(
        "# {}\n\n{} of {} actions accessible, {} denied\n\n| category | accessible | denied | total |\n|---|---|---|---|\n",
        report.title, report.accessible, report.total, report.denied
    );
    // Writing to a string can't fail.
    for row in &report.by_category {
        let _ = writeln!(text, "| {} | {} | {} | {} |", row.category, row.accessible, row.denied, row.total);
    }
    for row in &report.by_category {
        let _ = writeln!(text, "\n## {} ({}/{})\n", row.category, row.accessible, row.total);
        for item in report.items.iter().filter(|item| item.category == row.category) {
            let level = item.permission_level.as_str();
            let _ = match &item.explanation {
                None => writeln!(text, "- `{}` ({level}): accessible", item.action),
                Some(why) => writeln!(text, "- `{}` ({level}): denied, {why}", item.action),
            };
        }
    }
    text
}
