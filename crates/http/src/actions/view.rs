//! The JSON representation of an action.

use std::{borrow::Cow, sync::Arc};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use toolcrib_access::{Decision, Rule};
use toolcrib_engine::CallerTools;
use toolcrib_registry::{AccessibleBy, ActionMeta, ConfirmationLevel, Level};

/// An action, as programs see it.
#[derive(Serialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of the table of actions")]
pub(crate) struct ActionView<'a> {
    /// The full name.
    name: &'a str,
    /// The section of the catalogue.
    category: &'a str,
    /// What it may do to data.
    permission_level: Level,
    /// The right it needs, as `resource:verb`.
    permission: String,
    /// It has a schema of its own in tool lists.
    promoted: bool,
    /// It is in every tool list, whatever was asked.
    always_offered: bool,
    /// Only for admins, owners and system admins.
    admin_only: bool,
    /// What a human must do first.
    confirmation: ConfirmationLevel,
    /// What the human is told first.
    warning: Option<&'a str>,
    /// A successful call by a non-admin tells the admins.
    notifies_admins: bool,
    /// Which callers it is for: `everyone`, or the types and names.
    accessible_by: Value,
    /// The bucket that a call spends.
    limit_class: &'a str,
    /// What it does, when to use it and when not.
    description: &'a str,
    /// Words that find it.
    tags: &'a [Arc<str>],
    /// What users say who want it.
    examples: &'a [Arc<str>],
    /// The schema of its parameters.
    input_schema: Cow<'a, Value>,
    /// The schema of its `data`.
    output_schema: Cow<'a, Value>,
    /// Whether the service behind it is configured; a call answers 501 where not.
    available: bool,
    /// Whether this caller may call it.
    allowed: bool,
    /// The rule that denies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    reason: Option<Rule>,
}

impl<'a> ActionView<'a> {
    pub fn of(tools: &CallerTools<'a>, meta: &'a Arc<ActionMeta>, decision: Decision) -> Self {
        let spec = &meta.spec;
        Self {
            name: &spec.name,
            category: spec.category.as_str(),
            permission_level: spec.level,
            permission: spec.permission.to_string(),
            promoted: tools.promoted(meta),
            always_offered: spec.always_offered,
            admin_only: spec.admin_only,
            confirmation: spec.confirmation,
            warning: spec.warning.as_deref(),
            notifies_admins: spec.notifies_admins,
            accessible_by: match &spec.accessible_by {
                Some(AccessibleBy::Everyone) => json!("everyone"),
                Some(AccessibleBy::Only { types, names }) => json!({ "types": types, "names": names }),
                None => json!({ "types": [], "names": [] }),
            },
            limit_class: spec.limit_class.as_str(),
            description: &spec.description,
            tags: &spec.tags,
            examples: &spec.examples,
            input_schema: tools.shown(meta).input.read(),
            output_schema: meta.output.read(),
            available: tools.catalog.available(&spec.name),
            allowed: decision.allowed,
            reason: decision.reason,
        }
    }
}
