//! The two parties of a relayed decision: the service key, and the user who decides.

use toolcrib_access::{Principal, Scopes, Special};
use toolcrib_auth::ClientToken;
use toolcrib_model::{ErrorCode, Id};
use toolcrib_store::AccessRow;

use super::CallerClaims;
use crate::base::ActionError;

/// Returns the claims of the key alone, which acts for no member.
pub(crate) fn key_alone(own: &CallerClaims, key_id: Id) -> CallerClaims {
    CallerClaims { principal: Principal::Service { key_id, on_behalf_of: None }, ..own.clone() }
}

/// Returns the claims of the user, as with a token of their own. Every decision reads their access row. The
/// minters of the key limit them too.
pub(crate) fn person(own: &CallerClaims, user_id: Id) -> CallerClaims {
    let principal = Principal::User { user_id };
    CallerClaims { principal, scopes: Scopes::All, key_role: None, ..own.clone() }
}

/// Checks that the key may relay decisions now. Its scope is valid only while its minters could grant it.
pub(crate) fn check_key(key: &CallerClaims, access: Option<&AccessRow>) -> Result<(), ActionError> {
    let (caller, _) = key.caller(access)?;
    if caller.scopes.special(Special::ApprovalsRelay) { Ok(()) } else { Err(no_relay()) }
}

/// Checks that a request with a client token names no other conversation.
pub(crate) fn check_session(token: &ClientToken, named: Option<&str>) -> Result<(), ActionError> {
    if named.is_none_or(|named| *named == *token.session) {
        return Ok(());
    }
    let detail = "the request names another conversation than its client token";
    Err(ActionError::new(ErrorCode::PermissionDenied, detail)
        .hint("omit the session, or make a client token for that conversation"))
}

/// Makes the error for a key that may not relay decisions.
pub(crate) fn no_relay() -> ActionError {
    let detail = "this key may not relay a person's decision: it needs the scope `approvals:relay`, given by who is an \
         owner now";
    ActionError::new(ErrorCode::InsufficientScope, detail)
        .hint("use such a key, ask an owner to adopt this key, or send the person's own token")
}
