//! Rate limits and session grants: in Redis, shared by several processes, or in the memory of this process.

use std::sync::Arc;

use toolcrib_auth::secret_cipher::SecretCipher;
use toolcrib_engine::{
    grants::{Grants, LocalGrants, RedisGrants},
    limits::{Limiter, LocalLimiter, RedisLimiter, redis::Time},
    redis::RedisConnection,
};

use crate::{context::AppContext, failure::Failure};

/// Rate limits and session grants.
pub struct Volatile {
    /// The buckets of this process. With Redis they are only used for reads while Redis is unavailable.
    pub buckets: Arc<LocalLimiter>,
    pub limiter: Arc<dyn Limiter>,
    /// Stores session grants.
    pub grants: Arc<dyn Grants>,
}

impl Volatile {
    /// Connects to the Redis of the settings, or uses the memory of this process. Grants in Redis are
    /// encrypted with `secret_cipher`'s key, so processes with different keys share only the limits.
    pub async fn open(context: &AppContext, secret_cipher: &Arc<SecretCipher>) -> Result<Self, Failure> {
        let (clock, ids) = (&context.clock, &context.ids);
        let buckets = Arc::new(LocalLimiter::new(clock.clone()));
        let Some(url) = &context.settings.redis else {
            let grants = Arc::new(LocalGrants::new(clock.clone()));
            return Ok(Self { limiter: buckets.clone(), buckets, grants });
        };
        let redis = RedisConnection::connect(url).await;
        let redis = redis.map_err(|error| Failure::could_not("the Redis of `--redis`", error))?;
        let limiter = RedisLimiter::new(redis.clone(), Time::Server, buckets.clone());
        let grants = RedisGrants::new(redis, secret_cipher.clone(), clock.clone(), ids.clone());
        Ok(Self { buckets, limiter: Arc::new(limiter), grants: Arc::new(grants) })
    }
}
