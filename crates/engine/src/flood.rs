//! One audit row a minute for a principal whose refusals flood.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use toolcrib_model::{Id, Ts};

/// The minute in which each flooding principal was last written down.
#[derive(Default)]
pub(crate) struct Flood(Mutex<HashMap<Id, i64>>);

impl Flood {
    /// Whether nothing was written for this principal in this minute. Forgets earlier minutes.
    pub fn first_this_minute(&self, principal: Id, now: Ts) -> bool {
        let minute = now.as_seconds().div_euclid(60);
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, last| *last == minute);
        seen.insert(principal, minute).is_none()
    }
}
