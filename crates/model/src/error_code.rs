//! The table of error codes: HTTP status, title, whether to retry, and a sentence for the documentation.
#![deny(missing_docs)]

use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($($name:ident = $code:literal, $status:literal, $title:literal, $retry:literal, $about:literal;)+) => {
        /// A stable error code with its HTTP status. Clients branch on the code, people read the title.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum ErrorCode { $(#[doc = $about] #[serde(rename = $code)] $name,)+ }

        impl ErrorCode {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Returns the code in responses, such as `permission_denied`.
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $code,)+ } }

            /// Returns the HTTP status.
            pub const fn status(self) -> u16 { match self { $(Self::$name => $status,)+ } }

            /// Returns a short title for people.
            pub const fn title(self) -> &'static str { match self { $(Self::$name => $title,)+ } }

            /// Returns whether the same call may succeed later without being changed.
            pub const fn retryable(self) -> bool { match self { $(Self::$name => $retry,)+ } }

            /// Returns one sentence for the documentation.
            pub const fn about(self) -> &'static str { match self { $(Self::$name => $about,)+ } }
        }
    };
}

codes! {
    MalformedRequest = "malformed_request", 400, "Malformed request", false, "The request is not well-formed HTTP or JSON, or lacks a required member.";
    WorkspaceRequired = "workspace_required", 400, "Workspace required", false, "The request names no workspace; send `X-Workspace-Id`.";
    Unauthenticated = "unauthenticated", 401, "Not authenticated", false, "The request has no valid credential.";
    PermissionDenied = "permission_denied", 403, "Permission denied", false, "The caller has no permission for this action.";
    WorkspaceMismatch = "workspace_mismatch", 403, "Workspace mismatch", false, "The credential belongs to a workspace other than the one named.";
    InsufficientScope = "insufficient_scope", 403, "Insufficient scope", false, "The credential lacks a scope that the request requires beyond the permission for its action, such as `act_as`. Where its scopes don't cover that permission, the code is `permission_denied`.";
    UnknownAction = "unknown_action", 404, "Unknown action", false, "No action has this name.";
    NotFound = "not_found", 404, "Not found", false, "The resource does not exist in this workspace.";
    MethodNotAllowed = "method_not_allowed", 405, "Method not allowed", false, "The path exists but does not support this method.";
    Conflict = "conflict", 409, "Conflict", false, "The call conflicts with the current state of the resource.";
    AlreadyDecided = "already_decided", 409, "Already decided", false, "The confirmation has already been decided.";
    InProgress = "in_progress", 409, "In progress", true, "A call with the same idempotency key is still running.";
    BudgetExceeded = "budget_exceeded", 409, "Budget exceeded", false, "A budget of the assistant is used up.";
    CycleDetected = "cycle_detected", 409, "Cycle detected", false, "The dependencies form a cycle.";
    PreconditionFailed = "precondition_failed", 412, "Precondition failed", false, "The resource changed after it was read; read it again.";
    Expired = "expired", 410, "Expired", false, "The confirmation was not decided in time.";
    Void = "void", 410, "Void", false, "The confirmation no longer applies; make the call again.";
    PayloadTooLarge = "payload_too_large", 413, "Payload too large", false, "The body is larger than allowed.";
    UnsupportedMediaType = "unsupported_media_type", 415, "Unsupported media type", false, "The body must be `application/json`.";
    InvalidArguments = "invalid_arguments", 422, "Invalid arguments", false, "The arguments do not match the schema; `errors` lists every problem.";
    PhraseMismatch = "phrase_mismatch", 422, "Phrase mismatch", false, "The typed phrase does not match.";
    IdempotencyMismatch = "idempotency_mismatch", 422, "Idempotency mismatch", false, "The idempotency key was used with other arguments.";
    RateLimited = "rate_limited", 429, "Rate limited", true, "The rate limit is reached; wait `Retry-After` seconds.";
    TooManyPending = "too_many_pending", 429, "Too many pending", true, "Too many confirmations are waiting for a decision.";
    Internal = "internal", 500, "Internal error", false, "The service failed; give the request ID to its operator.";
    ConnectorNotConfigured = "connector_not_configured", 501, "Connector not configured", false, "The external service that this action uses is not configured.";
    UpstreamError = "upstream_error", 502, "Upstream error", true, "The external service returned an error.";
    AuthorizationUnavailable = "authorization_unavailable", 503, "Authorization unavailable", true, "The caller's permissions can't be read now; nothing was done.";
    AuditUnavailable = "audit_unavailable", 503, "Audit unavailable", true, "The audit row can't be written now; nothing was done.";
    LimiterUnavailable = "limiter_unavailable", 503, "Limiter unavailable", true, "The rate limiter is unavailable; nothing was done.";
    StoreUnavailable = "store_unavailable", 503, "Store unavailable", true, "The database is unavailable; nothing was done.";
    OutcomeUnknown = "outcome_unknown", 503, "Outcome unknown", false, "Nobody knows whether the call was done: the connection to the database was lost during the commit, or an external service or the application that runs the call did not say how it ended. Check before you make another call; repeated with the same `Idempotency-Key`, it is not done twice.";
    Overloaded = "overloaded", 503, "Overloaded", true, "The service has reached its limit of connections; nothing was done.";
    Timeout = "timeout", 504, "Timeout", true, "The call took too long; nothing was done.";
}

impl ErrorCode {
    /// Parses a code of a stored response. Returns `None` for an unknown code.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.as_str() == code)
    }
}
