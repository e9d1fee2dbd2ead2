//! Limits audit rows of refusals to one a minute for each principal.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use toolcrib_model::Id;

/// The last minute in which a row was written for each principal.
#[derive(Default)]
pub(crate) struct AuditThrottle(Mutex<HashMap<Id, u64>>);

impl AuditThrottle {
    /// Returns whether no row was written for this principal in this minute. Drops the entries of other
    /// minutes. `passed` is the monotonic time.
    pub fn first_this_minute(&self, principal: Id, passed: Duration) -> bool {
        let minute = passed.as_secs() / 60;
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, last| *last == minute);
        seen.insert(principal, minute).is_none()
    }
}
