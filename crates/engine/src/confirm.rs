//! Confirmations: their records and API form, who may decide them, denial and expiry. An approval runs a call, so it is
//! in `run`.

pub(crate) mod authorize;
pub(crate) mod decide;
pub(crate) mod decider;
mod decision_audit;
mod deny;
mod expiry;
mod list;
pub(crate) mod phrase;
mod read;
mod record;
mod relayed;
pub(crate) mod remember;
mod request;
mod session_grants;
pub(crate) mod summary;
pub(crate) mod transition;
pub(crate) mod view;
pub(crate) mod void;

use toolcrib_model::{IdGen, Ts};

use crate::{catalog::Catalog, engine::Engine, events::emit::Stamp};

pub use decider::{DecisionMeta, TokenText};
pub(crate) use decision_audit::{DecisionAudit, write_decision};
pub use record::approve_url;
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

impl Engine {
    /// Returns the writer of confirmation records of a workspace with this catalogue.
    pub(crate) fn records<'e>(&'e self, catalog: &'e Catalog) -> ConfirmationRecords<'e> {
        ConfirmationRecords {
            catalog,
            ids: self.ids.as_ref(),
            public_url: &self.settings.public_url,
            seconds: self.settings.confirmation_seconds,
        }
    }
}
