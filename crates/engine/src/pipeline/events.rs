//! Streams of events: opened and ended.

use std::sync::Arc;

use super::Engine;
use crate::{
    base::ActionError,
    caller::{Authenticated, CallerClaims},
    events::{EventReader, EventsFilter, is_operator},
};

impl Engine {
    /// Begins to read events: behind `last` (the id of an event that was read before), or with what happens from now
    /// on. Opening spends one look-up of the principal's.
    ///
    /// 403 `insufficient_scope` for a key that may not read events; 422 where `last` is no id of an event that is
    /// kept.
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
        let parts = (self.db.clone(), Arc::clone(&self.tail), types.as_slice().into());
        EventReader::open(parts, &claims, authenticated, filter, last).await
    }

    /// Ends every stream of events: the process is about to.
    pub fn end_events(&self) {
        self.tail.end();
    }
}
