//! The conditions for audit rows, and the columns by which they are counted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_model::{Id, Ts};

use crate::backend::AnyOf;

/// Conditions for audit rows; an absent field sets none. Strings are compared exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    pub action: Option<AnyOf>,
    /// The decision, such as `denied`.
    pub decision: Option<AnyOf>,
    /// The outcome, such as `failed`.
    pub outcome: Option<AnyOf>,
    /// The action's level, such as `destructive`.
    pub level: Option<AnyOf>,
    /// The user, agent or key that called.
    pub principal: Option<Id>,
    /// Rows of this user, of agents and keys that act for the user, and of service keys whose current minters
    /// include the user.
    pub user: Option<Id>,
    /// The conversation.
    pub session: Option<String>,
    /// `call`, `outcome`, `confirmation`, `grant` or `admin`.
    pub kind: Option<AnyOf>,
    /// `direct`, `dispatcher` or `confirmation`.
    pub via: Option<AnyOf>,
    /// `rest`, `mcp`, `console` or `cli`.
    pub surface: Option<AnyOf>,
    pub role: Option<AnyOf>,
    /// The caller type, such as `mission`.
    pub caller_type: Option<AnyOf>,
    pub reason: Option<AnyOf>,
    pub confirmation_id: Option<Id>,
    pub request_id: Option<String>,
    /// The earliest time, inclusive.
    pub from: Option<Ts>,
    /// The latest time, exclusive.
    pub to: Option<Ts>,
    /// Leaves out the operations with which pages of the console read.
    pub hides_console_reads: bool,
}

impl AuditFilter {
    /// Returns the period in microseconds: inclusive start, exclusive end.
    pub(super) fn period(&self) -> (i64, i64) {
        (self.from.map_or(i64::MIN, Ts::as_micros), self.to.map_or(i64::MAX, Ts::as_micros))
    }

    /// Whether each row of the period matches.
    pub fn is_of_all_rows(&self) -> bool {
        *self == Self { from: self.from, to: self.to, ..Self::default() }
    }
}

/// By what rows are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum AuditColumn {
    /// Name of the action or operation.
    Action,
    /// The decision.
    Decision,
    /// The outcome.
    Outcome,
    /// The action's level.
    Level,
    /// The kind of row.
    Kind,
    /// Principal of the call: user, agent or key.
    Principal,
    /// The user who acted or on whose behalf.
    User,
    /// How the action was named.
    Via,
    /// Surface of the call.
    Surface,
    /// Role of the caller.
    Role,
    /// The type of the caller.
    CallerType,
    /// Code of the reason.
    Reason,
    /// Session.
    Session,
    /// Confirmation ID.
    #[serde(rename = "confirmation_id")]
    Confirmation,
    /// Request ID.
    #[serde(rename = "request_id")]
    Request,
    /// The hour in UTC.
    Hour,
}

impl AuditColumn {
    pub(super) const fn expression(self) -> &'static str {
        match self {
            Self::Action => "action",
            Self::Decision => "decision",
            Self::Outcome => "outcome",
            Self::Level => "permission_level",
            Self::Kind => "kind",
            Self::Via => "via",
            Self::Surface => "surface",
            Self::Role => "role",
            Self::CallerType => "caller_type",
            Self::Reason => "reason",
            Self::Principal => "principal_id",
            Self::User => "user_id",
            Self::Session => "session",
            Self::Confirmation => "confirmation_id",
            Self::Request => "request_id",
            Self::Hour => "occurred_at / 3600000000",
        }
    }
}
