//! Decisions on confirmations: approval, denial and expiry, and the session grants that an approval creates.

mod approval;
mod approve;
mod before_approval;
mod decide;
mod decider;
mod deny;
mod edit;
mod execute;
mod expiry;
mod judge;
mod list;
mod phrase;
mod read;
mod relayed;
mod replace;
mod session_grants;

pub use approval::{ApproveRequest, Approved, PhraseRequired};
pub use decider::{DecisionMeta, TokenText};
pub(crate) use execute::credential_is_good;
