//! The credential of a stored call.

use toolcrib_model::{ErrorCode, Ts};
use toolcrib_store::{WriteTx, keys};

use super::CallerClaims;
use crate::base::ActionError;

/// Checks that the key of the call is neither revoked nor expired.
pub(crate) async fn credential_is_good(
    tx: &mut WriteTx,
    claims: &CallerClaims,
    now: Ts,
) -> Result<(), ActionError> {
    let Some(key_id) = claims.credential else { return Ok(()) };
    let good = keys::get(tx, key_id).await?.is_some_and(|key| {
        key.revoked_at.is_none() && key.expires_at.is_none_or(|end| end > now.as_micros())
    });
    if good {
        Ok(())
    } else {
        Err(ActionError::new(ErrorCode::Void, "the key that made the call was revoked or has expired"))
    }
}
