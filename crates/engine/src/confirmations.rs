//! Records of confirmations: what they hold, and how people and programs see them.

mod decision_audit;
mod record;
pub(crate) mod remember;
pub(crate) mod summary;
pub(crate) mod transition;
pub(crate) mod view;

use toolcrib_model::{IdGen, Ts};

use crate::{catalog::Catalog, events::emit::Stamp};

pub(crate) use decision_audit::DecisionAudit;
pub(crate) use record::{requested_call, requester, requester_of};
pub use remember::Remember;
pub use view::{ConfirmationFilter, ConfirmationView, HistoryEntry, RequesterView};

/// Makes the records of confirmations and writes their steps.
#[derive(Clone, Copy)]
pub(crate) struct ConfirmationRecords<'e> {
    pub catalog: &'e Catalog,
    pub ids: &'e dyn IdGen,
    /// Where this service is reached from outside, without a slash at the end.
    pub public_url: &'e str,
    /// How long a confirmation waits, in seconds.
    pub seconds: i64,
}

impl ConfirmationRecords<'_> {
    fn stamp(&self, now: Ts) -> Stamp<'_> {
        Stamp { ids: self.ids, now }
    }
}
