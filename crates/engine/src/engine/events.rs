//! Opens and ends streams of events.

use std::sync::Arc;

use super::Engine;
use toolcrib_auth::Authenticated;

use crate::{
    base::ActionError,
    caller::CallerClaims,
    events::{EventReader, EventsFilter, ReaderParts, is_operator},
};

impl Engine {
    /// Opens a reader after `last` (the id of an event) or at the end of the outbox. Counts one list request
    /// of the principal.
    ///
    /// Returns 403 `insufficient_scope` for a key that may not read events; 422 if `last` is not the id of a
    /// stored event.
    pub async fn events(
        self: &Arc<Self>,
        authenticated: &Authenticated,
        filter: EventsFilter,
        last: Option<&str>,
    ) -> Result<EventReader, ActionError> {
        let types = &self.settings.caller_types;
        let claims =
            CallerClaims::resolve(&self.db, types, authenticated, is_operator(authenticated)).await?;
        self.spend_list(&claims.principal).await?;
        let permissions = self.catalog().registry().permissions().collect();
        let parts = ReaderParts {
            db: self.db.clone(),
            tail: Arc::clone(&self.tail),
            caller_types: types.as_slice().into(),
            permissions,
        };
        EventReader::open(parts, &claims, authenticated, filter, last).await
    }

    /// Ends all streams of events, before the process stops.
    pub fn end_events(&self) {
        self.tail.end();
    }
}
