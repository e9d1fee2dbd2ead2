//! Who may call what, asked of the same decision that every call passes.

use std::{fmt::Write as _, sync::Arc};

use toolcrib_access::{Caller, Principal, Rule, Scopes, WorkspacePolicy, decide};
use toolcrib_engine::Catalog;
use toolcrib_model::{CallerType, Id, Role};
use toolcrib_registry::{ActionMeta, Category};

/// A person with this role, and nothing else that could matter.
pub fn caller(role: Role, caller_type: &str) -> Caller {
    Caller {
        workspace: Id::nil(),
        principal: Principal::User { user_id: Id::nil() },
        role: Some(role),
        system_admin: false,
        caller_type: CallerType::new(caller_type),
        caller_name: None,
        scopes: Scopes::Everything,
        session: None,
        mission: None,
        credential: None,
    }
}

fn reason(caller: &Caller, meta: &ActionMeta) -> Option<Rule> {
    decide(caller, &meta.spec, &WorkspacePolicy::default()).reason
}

fn word(rule: Rule) -> &'static str {
    match rule {
        Rule::AccessibleBy => "for named callers only",
        Rule::PrincipalKind => "for keys only",
        Rule::Scopes => "needs a scope",
        Rule::Role => "needs another role",
        Rule::AdminOnly => "needs the role admin or owner",
        Rule::ApprovalMode => "writes are refused",
    }
}

/// What one role may call, in Markdown.
pub fn of_role(catalog: &Catalog, role: Role) -> String {
    let caller = caller(role, "api");
    let all: Vec<&Arc<ActionMeta>> = catalog.registry().all().collect();
    let allowed = all.iter().filter(|meta| reason(&caller, meta).is_none()).count();
    let mut out = format!(
        "# What a user with the role {role} may call\n\n{allowed} of {} actions and operations.\n",
        all.len()
    );
    for category in Category::ALL {
        let inside: Vec<_> = all.iter().filter(|meta| meta.spec.category == *category).collect();
        if inside.is_empty() {
            continue;
        }
        // Writing into a string can't fail.
        let _ = writeln!(out, "\n## {}\n\n| action | level | |\n|---|---|---|", category.title());
        for meta in inside {
            let verdict = reason(&caller, meta).map_or("yes", word);
            let _ = writeln!(out, "| `{}` | {} | {verdict} |", meta.spec.name, meta.spec.level.as_str());
        }
    }
    out
}

/// Which role may call what, in Markdown.
pub fn matrix(catalog: &Catalog) -> String {
    let callers = Role::ALL.map(|role| caller(role, "api"));
    let mut out = String::from("# Who may call what\n\nUsers by role; `x` may, `.` may not.\n\n| action |");
    for role in Role::ALL {
        let _ = write!(out, " {role} |");
    }
    out.push_str("\n|---|---|---|---|---|---|\n");
    for meta in catalog.registry().all() {
        let _ = write!(out, "| `{}` |", meta.spec.name);
        for caller in &callers {
            out.push_str(if reason(caller, meta).is_none() { " x |" } else { " . |" });
        }
        out.push('\n');
    }
    out
}
