//! What several processes share where a Redis is named, and what each keeps for itself where none is.

use std::sync::Arc;

use toolcrib_engine::{
    grants::{Grants, LocalGrants, RedisGrants},
    limits::{Limiter, LocalLimiter, RedisLimiter, redis::Time},
    redis::RedisConnection,
    secret_cipher::SecretCipher,
};

use crate::{context::AppContext, failure::Failure};

/// Limits and session grants.
pub struct Volatile {
    /// The buckets of this process; with a Redis only for reads while it is lost.
    pub buckets: Arc<LocalLimiter>,
    /// Counts calls.
    pub limiter: Arc<dyn Limiter>,
    /// Keeps session grants.
    pub grants: Arc<dyn Grants>,
}

impl Volatile {
    /// In the Redis of the settings, or in this process. Grants in Redis are sealed with `secret_cipher`'s key, so processes
    /// with different keys share limits alone.
    pub async fn open(context: &AppContext, secret_cipher: &Arc<SecretCipher>) -> Result<Self, Failure> {
        let (clock, ids) = (&context.clock, &context.ids);
        let buckets = Arc::new(LocalLimiter::new(clock.clone()));
        let Some(url) = &context.settings.redis else {
            let grants = Arc::new(LocalGrants::new(clock.clone()));
            return Ok(Self { limiter: buckets.clone(), buckets, grants });
        };
        let redis = RedisConnection::connect(url).await;
        let redis = redis.map_err(|fault| Failure::could_not("the Redis of `--redis`", fault))?;
        let limiter = RedisLimiter::new(redis.clone(), Time::Server, buckets.clone());
        let grants = RedisGrants::new(redis, secret_cipher.clone(), clock.clone(), ids.clone());
        Ok(Self { buckets, limiter: Arc::new(limiter), grants: Arc::new(grants) })
    }
}
