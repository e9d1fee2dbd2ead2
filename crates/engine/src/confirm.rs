//! A confirmation, to the end of the road: ask, look, approve, deny, expire.

mod anew;
mod approve;
mod ask;
mod decide;
mod decider;
mod deny;
mod edit;
mod execute;
mod expiry;
mod people;
mod phrase;
mod remember;
pub(crate) mod summary;
mod view;

use toolcrib_store::confirmations::ConfirmationRow;

use crate::{ActionError, caller::CallerClaims};

pub use approve::{ApproveRequest, Approved, PhraseRequired};
pub use decider::{DecisionMeta, TokenText};
pub(crate) use people::may_approve;
pub use remember::Remember;
pub use view::{ConfirmationFilter, ConfirmationView, HistoryEntry, RequesterView};

/// Who asked, as the record keeps it.
fn requester_of(row: &ConfirmationRow) -> Result<CallerClaims, ActionError> {
    serde_json::from_str(&row.requester)
        .map_err(|fault| ActionError::internal(format!("stored requester: {fault}")))
}
