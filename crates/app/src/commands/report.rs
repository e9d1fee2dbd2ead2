//! Reports which callers may call which actions. The reports use the same function that decides about every
//! call.

use std::{fmt::Write as _, sync::Arc};

use toolcrib_access::{Caller, EnabledPacks, Rule, WorkspacePolicy, decide};
use toolcrib_actions::{imagined, sentence};
use toolcrib_engine::Catalog;
use toolcrib_model::{Id, Role};
use toolcrib_registry::{ActionMeta, PackInfo, Spec};

#[cfg(test)]
mod tests;

/// Returns a user with this role and caller type, or an agent with this name. No other property affects the
/// decision.
pub fn caller(role: Role, caller_type: &str, name: Option<&str>) -> Caller {
    imagined(Id::nil(), Id::nil(), Some(role), caller_type, name)
}

/// Returns the policy of a new workspace in which all packs are on.
pub fn policy(catalog: &Catalog) -> WorkspacePolicy {
    let on = |packs: EnabledPacks, pack: &'static PackInfo| packs.with(pack.slug, Some(1));
    let packs = catalog.registry().packs().fold(EnabledPacks::default(), on);
    WorkspacePolicy { packs, ..WorkspacePolicy::default() }
}

fn reason(policy: &WorkspacePolicy, caller: &Caller, meta: &ActionMeta) -> Option<Rule> {
    decide(caller, &meta.spec, policy).reason
}

fn because(rule: Rule) -> &'static str {
    match rule {
        Rule::Enabled => "off",
        Rule::AccessibleBy => "for named callers only",
        Rule::PrincipalKind => "for keys only",
        Rule::Scopes => "needs a scope",
        Rule::Role => "needs another role",
        Rule::AdminOnly => "needs the role admin or owner",
        Rule::ApprovalMode => "writes are refused",
        Rule::Background => "not for what runs by itself",
    }
}

/// Describes the caller of a report.
fn title(caller: &Caller) -> String {
    let role = caller.role.map_or("none", Role::as_str);
    let kind = caller.caller_type.as_str();
    let kind = if kind == "api" { String::new() } else { format!(", calling as {kind}") };
    let name = caller.caller_name.as_ref().map(|name| format!(", named {name}")).unwrap_or_default();
    format!("a user with the role {role}{kind}{name}")
}

/// Returns what one caller may call, as Markdown.
pub fn of_caller(catalog: &Catalog, caller: &Caller) -> String {
    let all: Vec<&Arc<ActionMeta>> = catalog.registry().all().collect();
    let policy = policy(catalog);
    let may = |metas: &[&Arc<ActionMeta>]| {
        metas.iter().filter(|meta| reason(&policy, caller, meta).is_none()).count()
    };
    let (title, allowed, total) = (title(caller), may(&all), all.len());
    let denied = total - allowed;
    let mut out =
        format!("# What {title} may call\n\n{allowed} of {total} actions and operations, {denied} denied.\n");
    for category in catalog.registry().categories() {
        let inside: Vec<_> = all.iter().copied().filter(|meta| meta.spec.category == category).collect();
        if inside.is_empty() {
            continue;
        }
        // Writing into a string can't fail.
        let (name, allowed, total) = (category.title(), may(&inside), inside.len());
        let _ = writeln!(out, "\n## {name} ({allowed}/{total})\n\n| action | level | |\n|---|---|---|");
        for meta in inside {
            let verdict = reason(&policy, caller, meta).map_or("yes", because);
            let _ = writeln!(out, "| `{}` | {} | {verdict} |", meta.spec.name, meta.spec.level.as_str());
        }
    }
    out
}

/// Returns the result of every rule for one action, and whether the call is allowed.
pub fn explain(catalog: &Catalog, caller: &Caller, spec: &Spec) -> (String, bool) {
    let decision = decide(caller, spec, &policy(catalog));
    let verdict = if decision.allowed { "yes" } else { "no" };
    let mut out = format!("`{}` by {}: {verdict}\n", spec.name, title(caller));
    for factor in decision.factors {
        let mark = if factor.passed { "passes" } else { "fails " };
        let why = sentence(factor.rule, factor.passed, caller, spec);
        // Writing into a string can't fail.
        let _ = writeln!(out, "  {mark}  {:14}  {why}", factor.rule.as_str());
    }
    (out, decision.allowed)
}

/// Returns which role may call which action, as Markdown.
pub fn matrix(catalog: &Catalog) -> String {
    let callers = Role::ALL.map(|role| caller(role, "api", None));
    let mut out = String::from("# Who may call what\n\nUsers by role; `x` may, `.` may not.\n\n| action |");
    for role in Role::ALL {
        let _ = write!(out, " {role} |");
    }
    out.push_str("\n|---|---|---|---|---|---|\n");
    let policy = policy(catalog);
    for meta in catalog.registry().all() {
        let _ = write!(out, "| `{}` |", meta.spec.name);
        for caller in &callers {
            out.push_str(if reason(&policy, caller, meta).is_none() { " x |" } else { " . |" });
        }
        out.push('\n');
    }
    out
}
