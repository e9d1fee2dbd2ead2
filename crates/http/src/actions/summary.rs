//! The short JSON representation of an action, for lists that people read.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_access::{Decision, Rule};
use toolcrib_engine::CallerTools;
use toolcrib_registry::{ActionMeta, ConfirmationLevel, Level, first_sentence};

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
