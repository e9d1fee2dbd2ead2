//! A confirmation, to the end of the road: ask, look, approve, deny, expire.

mod approve;
mod ask;
mod decide;
mod deny;
mod execute;
pub(crate) mod summary;
mod view;

pub use approve::{ApproveRequest, Approved};
pub use decide::Decider;
pub use view::{ConfirmationFilter, ConfirmationView, HistoryEntry, RequesterView};
