//! One audit row a minute for a principal whose refusals flood.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use toolcrib_model::Id;

/// The minute in which each flooding principal was last written down.
#[derive(Default)]
pub(crate) struct AuditThrottle(Mutex<HashMap<Id, u64>>);

impl AuditThrottle {
    /// Whether nothing was written for this principal in this minute. Forgets other minutes. `passed` is the
    /// clock's monotonic reading.
    pub fn first_this_minute(&self, principal: Id, passed: Duration) -> bool {
        let minute = passed.as_secs() / 60;
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, last| *last == minute);
        seen.insert(principal, minute).is_none()
    }
}
