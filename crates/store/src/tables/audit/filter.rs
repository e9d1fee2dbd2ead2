//! The conditions for audit rows, and the columns by which they are counted.

use toolcrib_model::{Id, Ts};

use crate::backend::AnyOf;

/// Conditions for audit rows; an absent field sets none. Strings are compared exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// The action or operation.
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
    /// The role that the caller had.
    pub role: Option<AnyOf>,
    /// The caller type, such as `mission`.
    pub caller_type: Option<AnyOf>,
    /// The reason's code.
    pub reason: Option<AnyOf>,
    /// The confirmation that the row belongs to.
    pub confirmation_id: Option<Id>,
    /// The request that the row belongs to.
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

/// The column by which rows are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditColumn {
    /// The action or operation.
    Action,
    Decision,
    Outcome,
    /// The action's level.
    Level,
    Kind,
    /// How the action was named: directly, through the dispatcher or by a confirmation.
    Via,
    /// The surface of the call, such as `rest`.
    Surface,
    /// The role that the caller had.
    Role,
    CallerType,
    /// The reason's code.
    Reason,
    /// The user, agent or key that called.
    Principal,
    /// The user who acted, or for whom the principal acted.
    User,
    /// The conversation.
    Session,
    /// The confirmation that the row belongs to.
    Confirmation,
    /// The request that the row belongs to.
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
