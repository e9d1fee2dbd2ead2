//! The sessions of this process.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use tokio::time::Instant;
use toolcrib_model::Ts;

use super::{OpenSession, address::SessionKey};
use crate::base::ActionError;

/// The most sessions that are kept.
const MAX_SESSIONS: usize = 512;

/// The sessions, by what makes two sessions the same.
#[derive(Default)]
pub(super) struct SessionCache {
    slots: Mutex<HashMap<SessionKey, Arc<SessionSlot>>>,
}

#[derive(Default)]
pub(super) struct SessionSlot {
    session: Mutex<Option<Arc<OpenSession>>>,
    /// The last attempt to open it that failed. Held while it is opened.
    failed: tokio::sync::Mutex<Option<(Instant, ActionError)>>,
}

/// The right to open the session of a slot.
pub(super) struct OpeningAttempt<'s> {
    /// When the wait for it began.
    since: Instant,
    failed: tokio::sync::MutexGuard<'s, Option<(Instant, ActionError)>>,
}

impl SessionCache {
    /// Returns the session, if it can be used.
    pub fn usable(&self, key: &SessionKey, now: Ts) -> Option<Arc<OpenSession>> {
        let slot = self.slots.lock().get(key).cloned();
        slot?.usable(now)
    }

    /// Returns the place of a session. If too many are kept, those that can't be used go first, and then the oldest
    /// one.
    pub fn slot(&self, key: &SessionKey, now: Ts) -> Arc<SessionSlot> {
        let mut slots = self.slots.lock();
        if !slots.contains_key(key) && slots.len() >= MAX_SESSIONS {
            slots.retain(|_, slot| Arc::strong_count(slot) > 1 || slot.usable(now).is_some());
            let opened_at =
                |slot: &SessionSlot| slot.session.lock().as_ref().map(|session| session.opened_at());
            let oldest = slots.iter().min_by_key(|(_, slot)| opened_at(slot)).map(|(key, _)| key.clone());
            if slots.len() >= MAX_SESSIONS
                && let Some(oldest) = oldest
            {
                slots.remove(&oldest);
            }
        }
        slots.entry(key.clone()).or_default().clone()
    }
}

impl SessionSlot {
    /// Returns the session, if it can be used.
    pub fn usable(&self, now: Ts) -> Option<Arc<OpenSession>> {
        self.session.lock().clone().filter(|session| session.is_usable(now))
    }

    /// Keeps a session instead of the one before.
    pub fn put(&self, session: &Arc<OpenSession>) {
        *self.session.lock() = Some(session.clone());
    }

    /// Waits until nobody else opens the session.
    pub async fn attempt(&self) -> OpeningAttempt<'_> {
        let since = Instant::now();
        OpeningAttempt { since, failed: self.failed.lock().await }
    }
}

impl OpeningAttempt<'_> {
    /// Returns the error of an attempt that failed while this one waited.
    pub fn failed_meanwhile(&self) -> Option<ActionError> {
        let (at, error) = self.failed.as_ref()?;
        (*at >= self.since).then(|| error.clone())
    }

    pub fn end(&mut self, slot: &SessionSlot, opened: Result<&Arc<OpenSession>, &ActionError>) {
        match opened {
            Ok(session) => slot.put(session),
            Err(error) => *self.failed = Some((Instant::now(), error.clone())),
        }
    }
}
