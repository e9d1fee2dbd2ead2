//! The filter for rows of the audit log.

use toolcrib_engine::prelude::*;
use toolcrib_model::{AuditDecision, AuditKind, Outcome, Role, Surface, Via};
use toolcrib_store::{AnyOf, audit::AuditFilter};

/// What rows must have; what is left out asks for nothing. Of several values, a row has one.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct FilterInput {
    /// Names of actions or operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 20))]
    pub action: Option<Vec<String>>,
    /// Decisions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 20))]
    pub decision: Option<Vec<AuditDecision>>,
    /// Outcomes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 20))]
    pub outcome: Option<Vec<Outcome>>,
    /// Permission levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 20))]
    pub level: Option<Vec<Level>>,
    /// Principal of the call: user, agent or key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<Id>,
    /// User: their calls, the calls of agents and keys on their behalf, and the calls of service keys that they made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<Id>,
    /// Session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Kinds of the row.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 20))]
    pub kind: Option<Vec<AuditKind>>,
    /// How the action was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 20))]
    pub via: Option<Vec<Via>>,
    /// Surfaces of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 20))]
    pub surface: Option<Vec<Surface>>,
    /// Roles of the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 20))]
    pub role: Option<Vec<Role>>,
    /// Caller types, such as `mission`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 20))]
    pub caller_type: Option<Vec<String>>,
    /// Codes of the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 20))]
    pub reason: Option<Vec<String>>,
    /// Confirmation ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation_id: Option<Id>,
    /// Request ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Start of the period, inclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Ts>,
    /// End of the period, exclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Ts>,
    /// `false` leaves out the operations with which pages of the console read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub console_reads: Option<bool>,
}

/// What one item stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Group {
    /// A call: its first row, as it ended, at the time when it was made. Calls that only repeat one that waits are not
    /// counted again.
    Call,
    /// A row.
    Row,
}

impl From<&FilterInput> for AuditFilter {
    fn from(input: &FilterInput) -> Self {
        Self {
            action: any(input.action.as_ref(), String::as_str),
            decision: any(input.decision.as_ref(), |word| word.as_str()),
            outcome: any(input.outcome.as_ref(), |word| word.as_str()),
            level: any(input.level.as_ref(), |word| word.as_str()),
            principal: input.principal,
            user: input.user,
            session: input.session.clone(),
            kind: any(input.kind.as_ref(), |word| word.as_str()),
            via: any(input.via.as_ref(), |word| word.as_str()),
            surface: any(input.surface.as_ref(), |word| word.as_str()),
            role: any(input.role.as_ref(), |word| word.as_str()),
            caller_type: any(input.caller_type.as_ref(), String::as_str),
            reason: any(input.reason.as_ref(), String::as_str),
            confirmation_id: input.confirmation_id,
            request_id: input.request_id.clone(),
            from: input.from,
            to: input.to,
            hides_console_reads: input.console_reads == Some(false),
        }
    }
}

fn any<T>(values: Option<&Vec<T>>, word: impl Fn(&T) -> &str) -> Option<AnyOf> {
    values.map(|values| values.iter().map(word).collect())
}
