//! Grants in the memory of this process.

use std::{collections::HashMap, sync::Arc};

use futures_util::future::{BoxFuture, FutureExt as _, ready};
use parking_lot::Mutex;
use toolcrib_model::{Clock, Id};

use super::{Grant, GrantKey, Grants, Unavailable};

/// Maximum number of grants. A new one then replaces the one that expires first; its calls need a
/// confirmation again.
const MAX_GRANTS: usize = 10_000;

/// Grants in the memory of this process, lost when the process ends.
pub struct LocalGrants {
    clock: Arc<dyn Clock>,
    kept: Mutex<HashMap<GrantKey, Grant>>,
}

impl LocalGrants {
    /// Makes an empty store. Grants expire by this clock.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, kept: Mutex::default() }
    }

    fn keep(&self, grant: Grant) {
        let now = self.clock.now();
        let mut kept = self.kept.lock();
        if kept.len() >= MAX_GRANTS {
            kept.retain(|_, known| known.expires_at > now);
        }
        if kept.len() >= MAX_GRANTS && !kept.contains_key(&grant.key) {
            let first = kept.values().min_by_key(|known| known.expires_at).map(|known| known.key.clone());
            first.and_then(|key| kept.remove(&key));
        }
        kept.insert(grant.key.clone(), grant);
    }
}

impl Grants for LocalGrants {
    fn put(&self, grant: Grant) -> BoxFuture<'_, Result<(), Unavailable>> {
        self.keep(grant);
        ready(Ok(())).boxed()
    }

    fn find<'g>(&'g self, key: &'g GrantKey) -> BoxFuture<'g, Result<Option<Grant>, Unavailable>> {
        let now = self.clock.now();
        let found = self.kept.lock().get(key).filter(|grant| grant.expires_at > now).cloned();
        ready(Ok(found)).boxed()
    }

    fn list<'g>(
        &'g self,
        workspace: Id,
        session: Option<&'g str>,
    ) -> BoxFuture<'g, Result<Vec<Grant>, Unavailable>> {
        let now = self.clock.now();
        let in_it = |grant: &Grant| {
            grant.key.workspace == workspace
                && session.is_none_or(|session| grant.key.session == session)
                && grant.expires_at > now
        };
        let mut found: Vec<Grant> = self.kept.lock().values().filter(|grant| in_it(grant)).cloned().collect();
        found.sort_by_key(|grant| std::cmp::Reverse((grant.granted_at, grant.id)));
        ready(Ok(found)).boxed()
    }

    fn remove<'g>(&'g self, key: &'g GrantKey) -> BoxFuture<'g, Result<bool, Unavailable>> {
        ready(Ok(self.kept.lock().remove(key).is_some())).boxed()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use toolcrib_access::Principal;
    use toolcrib_model::{TestClock, Ts};

    use super::*;
    use crate::grants::GRANT_SECONDS;

    const NOW: Ts = Ts::from_micros(1_768_471_200_000_000);

    fn id(n: u128) -> Id {
        Id::from_u128(n)
    }

    pub fn grant(n: u128, session: &str, at: Ts) -> Grant {
        let key = GrantKey {
            workspace: id(1),
            principal: Principal::User { user_id: id(n) },
            session: session.to_owned(),
            action: "platform_create_agent".to_owned(),
            schema_digest: "d".to_owned(),
        };
        let expires_at = at.plus_seconds(GRANT_SECONDS);
        Grant {
            id: id(100 + n),
            key,
            role: None,
            membership: None,
            granted_by: id(9),
            granted_at: at,
            expires_at,
        }
    }

    #[tokio::test]
    async fn a_grant_is_found_by_its_whole_key_and_ends_after_eight_hours() {
        let clock = Arc::new(TestClock::new(NOW));
        let grants = LocalGrants::new(clock.clone());
        let given = grant(2, "s", NOW);
        grants.put(given.clone()).await.unwrap();
        assert_eq!(grants.find(&given.key).await, Ok(Some(given.clone())));
        let others = [
            GrantKey { workspace: id(7), ..given.key.clone() },
            GrantKey { principal: Principal::User { user_id: id(3) }, ..given.key.clone() },
            GrantKey { principal: Principal::Agent { agent_id: id(5), runs_as: id(2) }, ..given.key.clone() },
            GrantKey { session: "t".to_owned(), ..given.key.clone() },
            GrantKey { action: "platform_update_agent".to_owned(), ..given.key.clone() },
            GrantKey { schema_digest: "e".to_owned(), ..given.key.clone() },
        ];
        for other in others {
            assert_eq!(grants.find(&other).await, Ok(None), "{other:?}");
        }
        clock.advance(GRANT_SECONDS - 1);
        assert!(grants.find(&given.key).await.unwrap().is_some());
        clock.advance(1);
        assert_eq!(grants.find(&given.key).await, Ok(None));
        assert_eq!(grants.list(id(1), Some("s")).await, Ok(Vec::new()));
    }

    #[tokio::test]
    async fn a_conversation_lists_its_own_and_forgets_one() {
        let grants = LocalGrants::new(Arc::new(TestClock::new(NOW)));
        let (first, second) = (grant(2, "s", NOW), grant(3, "s", NOW.plus_seconds(1)));
        for given in [&first, &second, &grant(4, "t", NOW)] {
            grants.put(given.clone()).await.unwrap();
        }
        assert_eq!(grants.list(id(1), Some("s")).await, Ok(vec![second.clone(), first.clone()]));
        assert_eq!(grants.list(id(8), Some("s")).await, Ok(Vec::new()));
        assert_eq!(
            grants.list(id(1), None).await,
            Ok(vec![second.clone(), grant(4, "t", NOW), first.clone()])
        );
        assert_eq!(grants.list(id(8), None).await, Ok(Vec::new()));
        assert_eq!((grants.remove(&first.key).await, grants.remove(&first.key).await), (Ok(true), Ok(false)));
        assert_eq!(grants.list(id(1), Some("s")).await, Ok(vec![second]));
    }

    #[tokio::test]
    async fn memory_is_bounded() {
        let clock = Arc::new(TestClock::new(NOW));
        let grants = LocalGrants::new(clock.clone());
        for n in 0..MAX_GRANTS + 5 {
            let at = NOW.plus_seconds(i64::try_from(n).unwrap() / 1_000);
            grants.put(grant(n as u128, "s", at)).await.unwrap();
        }
        assert_eq!(grants.kept.lock().len(), MAX_GRANTS);
        // The store is full and all grants have expired, the last ones at this time. The next grant removes
        // all of them.
        let end = grants.kept.lock().values().map(|kept| kept.expires_at).max().unwrap();
        clock.set(end);
        grants.put(grant(2, "t", end)).await.unwrap();
        assert_eq!(grants.kept.lock().len(), 1);
    }
}
