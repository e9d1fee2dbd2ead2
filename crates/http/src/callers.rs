//! Who may call an operation, in sentences with the API's words in backticks: for its page and its description.

use toolcrib_access::least_role;
use toolcrib_model::Role;
use toolcrib_registry::{AccessibleBy, Spec};

/// Returns what has to be true of a caller.
pub(crate) fn sentences(spec: &Spec) -> Vec<String> {
    let mut all = vec![callers(spec)];
    all.extend(spec.also_system.map(|scope| {
        format!("Also system admins who are not members, and operator keys with the scope `{scope}`.")
    }));
    if let Some(AccessibleBy::Only { types, names }) = &spec.accessible_by {
        let words: Vec<String> = types.iter().chain(&**names).map(|word| format!("`{word}`")).collect();
        all.push(format!("Only callers of these types or names: {}.", words.join(", ")));
    }
    all
}

fn callers(spec: &Spec) -> String {
    match (spec.open, spec.system_scope, spec.special_scope) {
        (true, ..) => "Every caller with a valid credential.".to_owned(),
        (_, Some(scope), _) => format!("System admins, and operator keys with the scope `{scope}`."),
        (.., Some(scope)) => format!("Service keys with the scope `{scope}`."),
        _ => {
            let least = spec.min_role.or_else(|| least_role(&spec.permission)).unwrap_or(Role::Owner);
            let least = if spec.admin_only { least.max(Role::Admin) } else { least };
            let above = if least == Role::Owner { "" } else { " or above" };
            format!(
                "Users with the role `{least}`{above}, who have the permission `{permission}`. A key needs a scope \
                 that covers it, such as `{permission}`.",
                permission = spec.permission
            )
        }
    }
}
