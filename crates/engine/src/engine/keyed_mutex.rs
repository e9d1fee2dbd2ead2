//! Serializes the calls of this process with the same idempotency key.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};
use toolcrib_model::Id;

/// How long a duplicate call waits for the lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

type Name = (Id, Id, String);
type Turns = Arc<Mutex<HashMap<Name, Arc<Turn<()>>>>>;

/// The locked keys.
#[derive(Default)]
pub struct KeyedMutex(Turns);

/// Holds the lock of a key until it is dropped.
pub struct KeyGuard {
    name: Name,
    turns: Turns,
    guard: Option<OwnedMutexGuard<()>>,
}

impl KeyedMutex {
    /// Locks a key. Returns `None` after `LOCK_TIMEOUT`.
    pub async fn lock(&self, workspace: Id, principal: Id, key: String) -> Option<KeyGuard> {
        let name = (workspace, principal, key);
        let turn = {
            let mut turns = self.0.lock();
            turns.entry(name.clone()).or_default().clone()
        };
        let guard = tokio::time::timeout(LOCK_TIMEOUT, turn.lock_owned()).await.ok();
        let held = KeyGuard { name, turns: self.0.clone(), guard };
        held.guard.is_some().then_some(held)
    }
}

impl Drop for KeyGuard {
    fn drop(&mut self) {
        self.guard = None;
        let mut turns = self.turns.lock();
        // The last guard removes the key. The map itself holds one reference.
        if turns.get(&self.name).is_some_and(|turn| Arc::strong_count(turn) == 1) {
            turns.remove(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn a_key_is_held_by_one_and_forgotten_by_the_last() {
        let locks = KeyedMutex::default();
        let known = || locks.0.lock().len();
        let lock = |key: &str| locks.lock(Id::nil(), Id::nil(), key.to_owned());
        let first = lock("k").await.unwrap();
        let mut second = pin!(lock("k"));
        assert!(second.as_mut().now_or_never().is_none(), "it waits");
        drop(lock("other").await.unwrap());
        assert_eq!(known(), 1);
        drop(first);
        assert_eq!(known(), 1, "somebody waits for it");
        let second = second.await.unwrap();
        assert!(lock("k").now_or_never().is_none(), "whoever comes third waits for the second");
        drop(second);
        assert_eq!(known(), 0);
    }
}
