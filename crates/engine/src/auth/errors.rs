//! The errors of gate 1.

use toolcrib_model::ErrorCode;
use toolcrib_store::StoreError;

use super::{claims::TokenRefused, jwks};
use crate::base::ActionError;

/// Makes the error for a token that is refused.
pub(super) fn refused(reason: TokenRefused) -> ActionError {
    const HINT: &str = "get a new token from the issuer";
    match reason {
        TokenRefused::Expired => unauthenticated("the token is expired", HINT, "expired"),
        TokenRefused::NotYet => unauthenticated(
            "the token is not valid yet",
            "wait until the time in its `nbf` claim",
            "not yet valid",
        ),
        TokenRefused::Invalid(why) => unauthenticated("the token is not valid", HINT, why),
    }
}

/// Makes the error for a credential that is not valid. Only the log contains `reason`.
pub(super) fn unauthenticated(detail: &str, hint: &str, reason: &str) -> ActionError {
    let mut error = ActionError::new(ErrorCode::Unauthenticated, detail).hint(hint);
    error.internal = Some(format!("not authenticated: {reason}"));
    error
}

/// Makes the error for a credential that can't be checked, because the database can't be read.
pub(super) fn unavailable(cause: &StoreError) -> ActionError {
    let detail = "the credential can't be checked now; nothing was done";
    let mut error = ActionError::new(ErrorCode::AuthorizationUnavailable, detail);
    error.internal = Some(cause.to_string());
    error
}

/// Makes the error for a token for MCP on another route.
pub(super) fn mcp_only_error() -> ActionError {
    let hint =
        "send the token to `/mcp`, or ask your identity provider for a token with the audience of this API";
    unauthenticated("this token is valid for `/mcp` only", hint, "the audience of MCP")
}

/// Makes the error for a token that can't be checked, because the issuer's keys can't be read.
pub(super) fn keys_unavailable() -> ActionError {
    let detail = "the issuer's keys can't be read now; nothing was done";
    let mut error = ActionError::new(ErrorCode::AuthorizationUnavailable, detail);
    error.retry_after = Some(jwks::COOLDOWN);
    error
}
