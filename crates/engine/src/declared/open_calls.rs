//! Open calls: the caller claims a started call, runs it, and reports its outcome.
//!
//! A claim reads role, policy and definition again, so that what runs is still allowed. Every end writes an outcome
//! row, ends the call's confirmation and emits `call.ended`, in one commit.

mod caller;
mod claim;
mod end;
mod expiry;
mod read;
mod report;
mod report_call;
mod revoke;
mod view;

pub use claim::ClaimedCall;
pub(crate) use end::{CallAnswer, CallOutcome};
pub use read::OpenCallFilter;
pub use report::{CallReport, ReportedStatus};
pub(crate) use view::outcome as late_outcome;
pub use view::{CallResult, OpenCallView};
