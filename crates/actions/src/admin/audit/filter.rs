//! Which rows of the audit log are meant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_model::{Id, Role, Ts};
use toolcrib_registry::Level;
use toolcrib_store::audit::Filter;

/// An enumeration of stored words.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[schemars(inline)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// The stored word.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }
    };
}

words! {
    /// What was decided.
    Decision {
        /// It ran without asking.
        AutoAllowed = "auto_allowed",
        /// A human agreed.
        Approved = "approved",
        /// It was refused.
        Denied = "denied",
        /// A human was asked.
        ConfirmationRequired = "confirmation_required",
        /// A limit was used up.
        RateLimited = "rate_limited",
        /// The call was wrong.
        Invalid = "invalid",
        /// Nobody answered.
        Expired = "expired",
    }
}

words! {
    /// What came of it.
    Outcome {
        /// It was done.
        Succeeded = "succeeded",
        /// It was tried.
        Failed = "failed",
        /// It was not tried.
        NotRun = "not_run",
    }
}

words! {
    /// What a row is about.
    RowKind {
        /// A call of an action.
        Call = "call",
        /// A decision about a confirmation.
        Confirmation = "confirmation",
        /// A session grant.
        Grant = "grant",
        /// An operation for programs.
        Admin = "admin",
    }
}

words! {
    /// How a call came in.
    Through {
        /// By the action's own name.
        Direct = "direct",
        /// Through `platform_execute`.
        Dispatcher = "dispatcher",
        /// By an approval.
        Confirmation = "confirmation",
    }
}

words! {
    /// Where a call came in.
    Place {
        /// The HTTP API.
        Rest = "rest",
        /// The MCP endpoint.
        Mcp = "mcp",
        /// The web console.
        Console = "console",
        /// The command line.
        Cli = "cli",
    }
}

/// What rows must have; what is left out asks for nothing.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct FilterInput {
    /// The action or operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// What was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// What the action may do to data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The user, agent or key that called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<Id>,
    /// The user: what they did, what agents and keys did on their behalf, and what service keys that they made did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<Id>,
    /// The conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What the row is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<RowKind>,
    /// How the call came in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<Through>,
    /// Where the call came in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<Place>,
    /// The role the caller had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// What the call counted as, such as `mission`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller_type: Option<String>,
    /// The reason's code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The confirmation it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation_id: Option<Id>,
    /// The request it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// From this time on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Ts>,
    /// Before this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Ts>,
}

impl From<&FilterInput> for Filter {
    fn from(input: &FilterInput) -> Self {
        let word = |word: Option<&'static str>| word.map(str::to_owned);
        Self {
            action: input.action.clone(),
            decision: word(input.decision.map(Decision::as_str)),
            outcome: word(input.outcome.map(Outcome::as_str)),
            level: word(input.level.map(Level::as_str)),
            principal: input.principal,
            user: input.user,
            session: input.session.clone(),
            kind: word(input.kind.map(RowKind::as_str)),
            via: word(input.via.map(Through::as_str)),
            surface: word(input.surface.map(Place::as_str)),
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
