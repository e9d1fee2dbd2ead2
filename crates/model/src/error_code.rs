//! The one table of error codes.

use serde::{Serialize, Serializer};

macro_rules! codes {
    ($($name:ident = $code:literal, $status:literal, $title:literal, $retry:literal, $about:literal;)+) => {
        /// A stable error code with its HTTP status. Clients branch on the code, people read the title.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode { $(#[doc = $about] $name,)+ }

        impl ErrorCode {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The wire word, such as `permission_denied`.
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $code,)+ } }

            /// The HTTP status.
            pub const fn status(self) -> u16 { match self { $(Self::$name => $status,)+ } }

            /// A short title for people.
            pub const fn title(self) -> &'static str { match self { $(Self::$name => $title,)+ } }

            /// Whether the same call may succeed later without being changed.
            pub const fn retryable(self) -> bool { match self { $(Self::$name => $retry,)+ } }

            /// One sentence for the documentation.
            pub const fn about(self) -> &'static str { match self { $(Self::$name => $about,)+ } }
        }
    };
}

codes! {
    MalformedRequest = "malformed_request", 400, "Malformed request", false, "The request is not well-formed JSON, HTTP or does not have the expected frame.";
    WorkspaceRequired = "workspace_required", 400, "Workspace required", false, "No workspace was named; send `X-Workspace-Id`.";
    Unauthenticated = "unauthenticated", 401, "Not authenticated", false, "There is no valid credential.";
    PermissionDenied = "permission_denied", 403, "Permission denied", false, "The caller may not do this.";
    WorkspaceMismatch = "workspace_mismatch", 403, "Workspace mismatch", false, "The credential belongs to another workspace than the one named.";
    InsufficientScope = "insufficient_scope", 403, "Insufficient scope", false, "The credential lacks a special scope.";
    UnknownAction = "unknown_action", 404, "Unknown action", false, "There is no action of that name.";
    NotFound = "not_found", 404, "Not found", false, "It does not exist in this workspace.";
    MethodNotAllowed = "method_not_allowed", 405, "Method not allowed", false, "The path exists, but not with this method.";
    Conflict = "conflict", 409, "Conflict", false, "The state of the resource forbids it.";
    AlreadyDecided = "already_decided", 409, "Already decided", false, "Somebody decided this confirmation before.";
    InProgress = "in_progress", 409, "In progress", true, "A call with the same idempotency key is still running.";
    Immutable = "immutable", 409, "Immutable", false, "It can't be changed.";
    CycleDetected = "cycle_detected", 409, "Cycle detected", false, "The dependencies form a cycle.";
    PreconditionFailed = "precondition_failed", 412, "Precondition failed", false, "It changed since it was read; read it again.";
    Expired = "expired", 410, "Expired", false, "The confirmation was not decided in time.";
    Void = "void", 410, "Void", false, "The confirmation no longer applies; ask again.";
    PayloadTooLarge = "payload_too_large", 413, "Payload too large", false, "The body is larger than allowed.";
    UnsupportedMediaType = "unsupported_media_type", 415, "Unsupported media type", false, "The body must be `application/json`.";
    InvalidArguments = "invalid_arguments", 422, "Invalid arguments", false, "The arguments do not fit the schema; `errors` names each.";
    PhraseMismatch = "phrase_mismatch", 422, "Phrase mismatch", false, "The typed phrase is not the expected one.";
    IdempotencyMismatch = "idempotency_mismatch", 422, "Idempotency mismatch", false, "The idempotency key was used with other arguments.";
    RateLimited = "rate_limited", 429, "Rate limited", true, "The limit is used up; wait `Retry-After` seconds.";
    TooManyPending = "too_many_pending", 429, "Too many pending", true, "Too many confirmations wait for a decision.";
    Internal = "internal", 500, "Internal error", false, "Something broke here; give the request id to the operator.";
    ConnectorNotConfigured = "connector_not_configured", 501, "Connector not configured", false, "The outside service behind this action is not configured.";
    UpstreamError = "upstream_error", 502, "Upstream error", true, "The outside service answered with an error.";
    AuthorizationUnavailable = "authorization_unavailable", 503, "Authorization unavailable", true, "The caller's rights can't be read now; nothing was done.";
    AuditUnavailable = "audit_unavailable", 503, "Audit unavailable", true, "The audit row can't be written now; nothing was done.";
    LimiterUnavailable = "limiter_unavailable", 503, "Limiter unavailable", true, "The rate limiter can't be asked now; nothing was done.";
    StoreUnavailable = "store_unavailable", 503, "Store unavailable", true, "The database can't be used now; nothing was done.";
    OutcomeUnknown = "outcome_unknown", 503, "Outcome unknown", false, "The database was lost while it kept the call: it was done with its audit row, or not at all. Look, or repeat it with the same `Idempotency-Key`.";
    Overloaded = "overloaded", 503, "Overloaded", true, "The service has as many connections as it may have; nothing was done.";
    Timeout = "timeout", 504, "Timeout", true, "It took too long; nothing was done.";
}

impl ErrorCode {
    /// The code of a wire word, as it is found in stored answers.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.as_str() == code)
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
