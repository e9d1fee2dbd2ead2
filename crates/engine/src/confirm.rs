//! A confirmation, to the end of the road: ask, look, approve, deny, expire.

mod anew;
mod approve;
mod ask;
mod decide;
mod decider;
mod deny;
mod edit;
mod execute;
mod people;
mod phrase;
mod remember;
pub(crate) mod summary;
mod unanswered;
mod view;

use toolcrib_store::confirmations::ConfirmationRow;

use crate::{ActionError, claimant::Claimant};

pub use approve::{ApproveRequest, Approved, PhraseRequired};
pub use decider::{Decider, TokenText};
pub use remember::Remember;
pub use view::{ConfirmationFilter, ConfirmationView, HistoryEntry, RequesterView};

/// Who asked, as the record keeps it.
fn requester_of(row: &ConfirmationRow) -> Result<Claimant, ActionError> {
    serde_json::from_str(&row.requester)
        .map_err(|fault| ActionError::internal(format!("stored requester: {fault}")))
}
