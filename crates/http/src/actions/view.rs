//! The JSON representations of an action: whole for programs, short for lists that people read.

use std::{borrow::Cow, sync::Arc};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use toolcrib_access::{Decision, Rule};
use toolcrib_engine::CallerTools;
use toolcrib_registry::{AccessibleBy, ActionMeta, ConfirmationLevel, Level, first_sentence};

/// An action, as programs see it.
#[derive(Serialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of the table of actions")]
pub(crate) struct ActionView<'a> {
    /// The full name.
    name: &'a str,
    /// Section of the catalogue.
    category: &'a str,
    /// What the action may do to data.
    permission_level: Level,
    /// Permission that the caller needs, as `resource:verb`.
    permission: String,
    /// Whether it has a tool of its own in tool lists.
    promoted: bool,
    /// Whether it is in every tool list, whatever the intent.
    always_offered: bool,
    /// Whether it is only for the roles admin and owner, and for system admins.
    admin_only: bool,
    /// Confirmation that a call needs.
    confirmation: ConfirmationLevel,
    /// Warning that a person reads before confirming.
    warning: Option<&'a str>,
    /// Whether a successful call by a non-admin notifies the workspace's admins.
    notifies_admins: bool,
    /// Callers that may call it: `everyone`, or the types and names.
    accessible_by: Value,
    /// Rate limit bucket that calls count against.
    limit_class: &'a str,
    /// What it does, when to use it and when not.
    description: &'a str,
    /// Words by which search finds it.
    tags: &'a [Arc<str>],
    /// Sentences that a user may write, for search.
    examples: &'a [Arc<str>],
    /// The schema of its parameters.
    input_schema: Cow<'a, Value>,
    /// The schema of its `data`.
    output_schema: Cow<'a, Value>,
    /// Whether the service behind it is configured. If not, a call is 501.
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

/// An action without its schemas and texts for models.
#[derive(Serialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of the table of actions")]
pub(crate) struct ActionSummary<'a> {
    /// The full name.
    name: &'a str,
    /// What it does, in one sentence.
    description: String,
    /// Section of the catalogue.
    category: &'a str,
    /// What the action may do to data.
    permission_level: Level,
    /// Permission that the caller needs, as `resource:verb`.
    permission: String,
    /// Whether it has a tool of its own in tool lists.
    promoted: bool,
    /// Whether it is only for the roles admin and owner, and for system admins.
    admin_only: bool,
    /// Confirmation that a call needs.
    confirmation: ConfirmationLevel,
    /// Whether the service behind it is configured. If not, a call is 501.
    available: bool,
    /// Whether this caller may call it.
    allowed: bool,
    /// The rule that denies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    reason: Option<Rule>,
}

impl<'a> ActionSummary<'a> {
    pub fn of(tools: &CallerTools<'a>, meta: &'a Arc<ActionMeta>, decision: &Decision) -> Self {
        let spec = &meta.spec;
        Self {
            name: &spec.name,
            description: first_sentence(&spec.description),
            category: spec.category.as_str(),
            permission_level: spec.level,
            permission: spec.permission.to_string(),
            promoted: tools.promoted(meta),
            admin_only: spec.admin_only,
            confirmation: spec.confirmation,
            available: tools.catalog.available(&spec.name),
            allowed: decision.allowed,
            reason: decision.reason,
        }
    }
}
