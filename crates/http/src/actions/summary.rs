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
    /// The section of the catalogue.
    category: &'a str,
    /// What it may do to data.
    permission_level: Level,
    /// The right it needs, as `resource:verb`.
    permission: String,
    /// It has a schema of its own in tool lists.
    promoted: bool,
    /// Only for admins, owners and system admins.
    admin_only: bool,
    /// What a human must do first.
    confirmation: ConfirmationLevel,
    /// Whether the service behind it is configured; a call answers 501 where not.
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
