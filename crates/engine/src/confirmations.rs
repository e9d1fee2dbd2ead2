//! The records of confirmations, and their API form.

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
pub use view::{CanDecide, ConfirmationFilter, ConfirmationView, HistoryEntry, RequesterView};

/// Makes the records of confirmations and writes their transitions.
#[derive(Clone, Copy)]
pub(crate) struct ConfirmationRecords<'e> {
    pub catalog: &'e Catalog,
    pub ids: &'e dyn IdGen,
    /// The public URL of this service, without a trailing slash.
    pub public_url: &'e str,
    /// Seconds until a confirmation expires.
    pub seconds: i64,
}

impl ConfirmationRecords<'_> {
    fn stamp(&self, now: Ts) -> Stamp<'_> {
        Stamp { ids: self.ids, now }
    }
}
