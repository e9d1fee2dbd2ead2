//! A confirmation, to the end of the road: ask, look, approve, deny, expire.

mod approve;
mod ask;
mod decide;
mod decider;
mod deny;
mod execute;
mod phrase;
mod remember;
pub(crate) mod summary;
mod unanswered;
mod view;

pub use approve::{ApproveRequest, Approved};
pub use decider::{Decider, TokenText};
pub use remember::Remember;
pub use view::{ConfirmationFilter, ConfirmationView, HistoryEntry, RequesterView};
