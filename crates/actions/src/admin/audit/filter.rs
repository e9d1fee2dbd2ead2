//! The filter for rows of the audit log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_model::{AuditDecision, AuditKind, Id, Outcome, Role, Surface, Ts, Via};
use toolcrib_registry::Level;
use toolcrib_store::audit::AuditFilter;

/// What rows must have; what is left out asks for nothing.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct FilterInput {
    /// Name of the action or operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<AuditDecision>,
    /// Outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Permission level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// Principal of the call: user, agent or key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<Id>,
    /// User: their calls, the calls of agents and keys on their behalf, and the calls of service keys that they made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<Id>,
    /// Session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Kind of the row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<AuditKind>,
    /// How the action was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<Via>,
    /// Surface of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<Surface>,
    /// Role of the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Caller type, such as `mission`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller_type: Option<String>,
    /// Code of the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
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
}

impl From<&FilterInput> for AuditFilter {
    fn from(input: &FilterInput) -> Self {
        let word = |word: Option<&'static str>| word.map(str::to_owned);
        Self {
            action: input.action.clone(),
            decision: word(input.decision.map(AuditDecision::as_str)),
            outcome: word(input.outcome.map(Outcome::as_str)),
            level: word(input.level.map(Level::as_str)),
            principal: input.principal,
            user: input.user,
            session: input.session.clone(),
            kind: word(input.kind.map(AuditKind::as_str)),
            via: word(input.via.map(Via::as_str)),
            surface: word(input.surface.map(Surface::as_str)),
            role: word(input.role.map(Role::as_str)),
            caller_type: input.caller_type.clone(),
            reason: input.reason.clone(),
            confirmation_id: input.confirmation_id,
            request_id: input.request_id.clone(),
            from: input.from,
            to: input.to,
        }
    }
}
