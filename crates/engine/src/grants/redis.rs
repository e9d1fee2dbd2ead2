//! Grants in Redis, so that all processes share them.
//!
//! Each entry is encrypted with the service's key and bound to its hash and field. An entry that another
//! program wrote, or copied from another field, does not decrypt and is ignored. Redis deletes a
//! conversation's grants when the newest one expires. A sorted set of each workspace has the hashes of its
//! conversations, by the time of their newest grant.

use std::{collections::HashMap, sync::Arc};

use futures_util::future::BoxFuture;
use redis::{AsyncCommands as _, RedisError};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use toolcrib_auth::secret_cipher::SecretCipher;
use toolcrib_model::{Clock, Id, IdGen};

use super::{GRANT_SECONDS, Grant, GrantKey, Grants, Unavailable};
use crate::base::redis::RedisConnection;

/// Grants that all processes on one Redis share.
pub struct RedisGrants {
    redis: RedisConnection,
    secret_cipher: Arc<SecretCipher>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdGen>,
}

impl RedisGrants {
    /// Makes a store. Every process must use the same `secret_cipher`. `ids` generates its nonces.
    pub fn new(
        redis: RedisConnection,
        secret_cipher: Arc<SecretCipher>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGen>,
    ) -> Self {
        Self { redis, secret_cipher, clock, ids }
    }

    async fn keep(&self, grant: &Grant) -> Result<(), Unavailable> {
        let text = serde_json::to_string(grant).map_err(|_| Unavailable)?;
        let field = field(&grant.key);
        let place = hash_key(grant.key.workspace, &grant.key.session);
        let row = bound(&place, &field);
        let sealed = self.secret_cipher.seal(self.ids.as_ref(), row.as_bytes(), &SecretString::from(text));
        let sealed = sealed.map_err(|_| Unavailable)?;
        let mut redis = self.redis.0.clone();
        let mut both = redis::pipe();
        both.atomic().hset(&place, &field, sealed).ignore().expire(&place, GRANT_SECONDS).ignore();
        let index = index(grant.key.workspace);
        both.zadd(&index, &place, grant.granted_at.as_seconds()).ignore();
        both.zrembyscore(&index, "-inf", self.oldest() - 1).ignore().expire(&index, GRANT_SECONDS).ignore();
        RedisConnection::within(both.exec_async(&mut redis)).await.map_err(lost)
    }

    /// Returns the earliest time of a grant that has not expired, in seconds.
    fn oldest(&self) -> i64 {
        self.clock.now().as_seconds() - GRANT_SECONDS
    }

    /// Reads the hashes of conversations, newest grant first.
    async fn of_places(&self, places: &[String]) -> Result<Vec<Grant>, Unavailable> {
        let mut redis = self.redis.0.clone();
        let mut all = redis::pipe();
        for place in places {
            all.hgetall(place);
        }
        let hashes: Vec<HashMap<String, String>> =
            RedisConnection::within(all.query_async(&mut redis)).await.map_err(lost)?;
        let entries = places.iter().zip(&hashes).flat_map(|(place, hash)| {
            hash.iter().filter_map(move |(field, sealed)| self.open(place, field, sealed))
        });
        let mut grants: Vec<Grant> = entries.collect();
        grants.sort_by_key(|grant| std::cmp::Reverse((grant.granted_at, grant.id)));
        Ok(grants)
    }

    /// Decrypts an entry. Returns `None` if this service did not write it to this field, or if the grant has
    /// expired.
    fn open(&self, place: &str, field: &str, sealed: &str) -> Option<Grant> {
        let text = self.secret_cipher.open(bound(place, field).as_bytes(), sealed).ok()?;
        let grant: Grant = serde_json::from_str(text.expose_secret()).ok()?;
        (grant.expires_at > self.clock.now()).then_some(grant)
    }
}

impl Grants for RedisGrants {
    fn put(&self, grant: Grant) -> BoxFuture<'_, Result<(), Unavailable>> {
        Box::pin(async move { self.keep(&grant).await })
    }

    fn find<'g>(&'g self, key: &'g GrantKey) -> BoxFuture<'g, Result<Option<Grant>, Unavailable>> {
        Box::pin(async move {
            let (place, field) = (hash_key(key.workspace, &key.session), field(key));
            let mut redis = self.redis.0.clone();
            let found: Option<String> =
                RedisConnection::within(redis.hget(&place, &field)).await.map_err(lost)?;
            Ok(found.and_then(|sealed| self.open(&place, &field, &sealed)).filter(|grant| grant.key == *key))
        })
    }

    fn list<'g>(
        &'g self,
        workspace: Id,
        session: Option<&'g str>,
    ) -> BoxFuture<'g, Result<Vec<Grant>, Unavailable>> {
        Box::pin(async move {
            if let Some(session) = session {
                return self.of_places(&[hash_key(workspace, session)]).await;
            }
            let mut redis = self.redis.0.clone();
            let (index, oldest) = (index(workspace), self.oldest());
            let mut places: Vec<String> =
                RedisConnection::within(redis.zrangebyscore(&index, oldest, "+inf")).await.map_err(lost)?;
            // Another program may have written another workspace's.
            places.retain(|place| place.starts_with(&format!("{index}:")));
            if places.is_empty() { Ok(Vec::new()) } else { self.of_places(&places).await }
        })
    }

    fn remove<'g>(&'g self, key: &'g GrantKey) -> BoxFuture<'g, Result<bool, Unavailable>> {
        Box::pin(async move {
            let (place, field) = (hash_key(key.workspace, &key.session), field(key));
            let mut redis = self.redis.0.clone();
            let gone: i64 = RedisConnection::within(redis.hdel(&place, &field)).await.map_err(lost)?;
            Ok(gone > 0)
        })
    }
}

/// Returns the Redis key of a conversation's hash. Contains a digest, because the name of a conversation may
/// be any text.
fn hash_key(workspace: Id, session: &str) -> String {
    format!("{}:{}", index(workspace), hex::encode(Sha256::digest(session)))
}

/// Returns the Redis key of a workspace's sorted set.
fn index(workspace: Id) -> String {
    format!("toolcrib:grants:{workspace}")
}

fn field(key: &GrantKey) -> String {
    let parts = (&key.principal, &key.action, &key.schema_digest);
    hex::encode(Sha256::digest(serde_json::to_vec(&parts).unwrap_or_default()))
}

fn bound(place: &str, field: &str) -> String {
    format!("{place}/{field}")
}

#[expect(clippy::needless_pass_by_value, reason = "what `map_err` hands over")]
fn lost(error: RedisError) -> Unavailable {
    tracing::warn!(%error, "session grants can't be read or kept: people are asked again");
    Unavailable
}

#[cfg(test)]
mod tests {
    use toolcrib_model::TestClock;
    use toolcrib_testkit::{NOW, TestIds, outside::Redis};

    use super::*;
    use crate::grants::local;

    /// 32 bytes each.
    const KEYS: [&str; 2] =
        ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="];

    async fn process(server: &Redis, key: &str, clock: &Arc<TestClock>) -> RedisGrants {
        let shared = RedisConnection::connect(&server.url().into()).await.unwrap();
        let secret_cipher = Arc::new(SecretCipher::from_setting(&key.into()).unwrap());
        RedisGrants::new(shared, secret_cipher, clock.clone(), Arc::new(TestIds::default()))
    }

    fn grant(user: u128, session: &str) -> Grant {
        local::tests::grant(user, session, NOW)
    }

    #[tokio::test]
    async fn one_that_was_given_here_is_known_there_until_it_ends() {
        let (server, clock) = (Redis::start().await, Arc::new(TestClock::new(NOW)));
        let (here, there) =
            (process(&server, KEYS[0], &clock).await, process(&server, KEYS[0], &clock).await);
        let given = grant(2, "s");
        here.put(given.clone()).await.unwrap();
        assert_eq!(there.find(&given.key).await, Ok(Some(given.clone())));
        assert_eq!(there.list(Id::from_u128(1), Some("s")).await, Ok(vec![given.clone()]));
        assert_eq!(there.find(&grant(3, "s").key).await, Ok(None));
        assert_eq!(there.find(&grant(2, "t").key).await, Ok(None));
        assert_eq!(there.list(Id::from_u128(1), None).await, Ok(vec![given.clone()]));
        clock.advance(GRANT_SECONDS);
        assert_eq!(there.find(&given.key).await, Ok(None));
        assert_eq!(there.list(Id::from_u128(1), None).await, Ok(Vec::new()));
        clock.advance(-GRANT_SECONDS);
        assert_eq!((there.remove(&given.key).await, here.remove(&given.key).await), (Ok(true), Ok(false)));
        assert_eq!(here.list(Id::from_u128(1), Some("s")).await, Ok(Vec::new()));
    }

    #[tokio::test]
    async fn each_principal_and_each_conversation_has_a_place_of_its_own() {
        let (server, clock) = (Redis::start().await, Arc::new(TestClock::new(NOW)));
        let grants = process(&server, KEYS[0], &clock).await;
        let (first, second, elsewhere) = (grant(2, "s"), grant(3, "s"), grant(2, "t"));
        for given in [&first, &second, &elsewhere] {
            grants.put(given.clone()).await.unwrap();
        }
        for given in [&first, &second, &elsewhere] {
            assert_eq!(grants.find(&given.key).await, Ok(Some(given.clone())));
        }
        let workspace = Id::from_u128(1);
        assert_eq!(grants.list(workspace, Some("s")).await, Ok(vec![second.clone(), first.clone()]));
        assert_eq!(grants.list(workspace, Some("t")).await, Ok(vec![elsewhere.clone()]));
        assert_eq!(grants.list(Id::from_u128(2), Some("s")).await, Ok(Vec::new()), "another workspace");
        let all = grants.list(workspace, None).await.unwrap();
        assert_eq!((all.len(), all.contains(&first), all.contains(&elsewhere)), (3, true, true));
        let mut redis = grants.redis.0.clone();
        let theirs = index(Id::from_u128(2));
        let _: () = redis.zadd(&theirs, hash_key(workspace, "s"), NOW.as_seconds()).await.unwrap();
        assert_eq!(grants.list(Id::from_u128(2), None).await, Ok(Vec::new()), "another workspace's hash");
        assert_eq!(grants.remove(&first.key).await, Ok(true));
        assert_eq!(grants.list(workspace, Some("s")).await, Ok(vec![second]));
    }

    #[tokio::test]
    async fn what_somebody_else_wrote_there_is_no_grant() {
        let (server, clock) = (Redis::start().await, Arc::new(TestClock::new(NOW)));
        let grants = process(&server, KEYS[0], &clock).await;
        let (given, other) = (grant(2, "s"), grant(3, "s"));
        let mut redis = grants.redis.0.clone();
        // An entry in plain text, one with another key, and one copied from the field of another principal.
        let plain = serde_json::to_string(&other).unwrap();
        let _: () = redis.hset(hash_key(Id::from_u128(1), "s"), field(&other.key), plain).await.unwrap();
        assert_eq!(grants.find(&other.key).await, Ok(None));
        process(&server, KEYS[1], &clock).await.put(other.clone()).await.unwrap();
        assert_eq!(grants.find(&other.key).await, Ok(None));
        grants.put(given.clone()).await.unwrap();
        let sealed: String = redis.hget(hash_key(Id::from_u128(1), "s"), field(&given.key)).await.unwrap();
        let _: () = redis.hset(hash_key(Id::from_u128(1), "s"), field(&other.key), sealed).await.unwrap();
        assert_eq!(grants.find(&other.key).await, Ok(None));
        assert_eq!(grants.list(Id::from_u128(1), Some("s")).await, Ok(vec![given]));
    }

    #[tokio::test]
    async fn without_redis_nobody_is_granted_anything() {
        let (mut server, clock) = (Redis::start().await, Arc::new(TestClock::new(NOW)));
        let grants = process(&server, KEYS[0], &clock).await;
        grants.put(grant(2, "s")).await.unwrap();
        server.stop();
        assert_eq!(grants.find(&grant(2, "s").key).await, Err(Unavailable));
        assert_eq!(grants.put(grant(2, "s")).await, Err(Unavailable));
        server.again().await;
        let back = async { while grants.find(&grant(2, "s").key).await.is_err() {} };
        tokio::time::timeout(std::time::Duration::from_secs(10), back)
            .await
            .expect("it comes back by itself");
        // The restarted server is empty, so the call needs a confirmation.
        assert_eq!(grants.find(&grant(2, "s").key).await, Ok(None));
    }
}
