//! Buckets in Redis, so that all processes share them; in this process where Redis is lost, and then only for what
//! changes nothing.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use futures_util::future::BoxFuture;
use redis::{RedisError, Script};
use toolcrib_model::Clock;

use super::{LimitRequest, LimitScope, LimitState, Limited, Limiter, LocalLimiter};
use crate::shared::Shared;

/// Without Redis a process admits this part of a limit: the others do the same.
const STRICTER: u32 = 4;

/// GCRA, as `keyed.rs` counts it, in microseconds. `KEYS[1]` holds when the bucket is full again. `ARGV`: calls a minute,
/// 1 to spend, and the time, empty for the server's own. Answers: admitted, remaining, until full, until admitted.
const SCRIPT: &str = r"
local burst, now = tonumber(ARGV[1]), tonumber(ARGV[3])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
-- Smaller numbers keep fractions of a microsecond.
now = now - 1767225600000000
local step = 60000000 / burst
local full = math.max(tonumber(redis.call('GET', KEYS[1])) or 0, now)
-- No bucket is full again later than in a minute: the server's clock was put back.
if full > now + burst * step + 1 then full = now end
local wait = math.max(full - (burst - 1) * step - now, 0)
local admitted = wait < 1
if admitted and ARGV[2] == '1' then
  full = full + step
  redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.ceil((full - now) / 1000) + 1000)
end
local spent = math.ceil((full - now) / step - 0.0001)
return { admitted and 1 or 0, math.max(burst - spent, 0), math.ceil(full - now - 0.01), math.ceil(wait - 0.01) }
";

/// Whose time counts.
#[derive(Clone)]
pub enum Time {
    /// The Redis server's: all processes agree on it.
    Server,
    /// A passed clock's.
    Passed(Arc<dyn Clock>),
}

/// Buckets that all processes on one Redis share.
pub struct RedisLimiter {
    redis: Shared,
    script: Script,
    time: Time,
    fallback: Arc<LocalLimiter>,
    lost: AtomicBool,
}

/// What the script says.
type Told = (u8, u32, u64, u64);

impl RedisLimiter {
    /// Over a connection that comes back by itself. `fallback` counts reads while Redis is lost.
    pub fn new(redis: Shared, time: Time, fallback: Arc<LocalLimiter>) -> Self {
        Self { redis, script: Script::new(SCRIPT), time, fallback, lost: AtomicBool::new(false) }
    }

    async fn ask(&self, request: LimitRequest, spend: bool) -> Result<Told, RedisError> {
        let now = match &self.time {
            Time::Server => String::new(),
            Time::Passed(clock) => clock.now().as_micros().to_string(),
        };
        let mut call = self.script.key(key(request));
        call.arg(request.per_minute).arg(u8::from(spend)).arg(now);
        let mut redis = self.redis.0.clone();
        let told = Shared::within(call.invoke_async(&mut redis)).await;
        self.note(told.as_ref().err());
        told
    }

    /// Logs the loss and the return, once each; counts every call that Redis did not answer.
    fn note(&self, fault: Option<&RedisError>) {
        let before = self.lost.swap(fault.is_some(), Ordering::Relaxed);
        match fault {
            Some(fault) => {
                metrics::counter!("toolcrib_limiter_lost_total").increment(1);
                if !before {
                    tracing::error!(%fault, "the limiter's Redis is lost: writes are refused, reads are limited here");
                }
            }
            None if before => tracing::info!("the limiter's Redis is back"),
            None => {}
        }
    }

    async fn spend_shared(&self, request: LimitRequest) -> Result<LimitState, Limited> {
        if request.per_minute == 0 {
            return self.fallback.spend(request).await;
        }
        match self.ask(request, true).await {
            Ok((1, remaining, reset, _)) => Ok(state(request, remaining, reset)),
            Ok((_, _, reset, wait)) => {
                let retry_after = seconds(wait).max(1);
                Err(Limited::Exceeded { state: state(request, 0, reset), retry_after })
            }
            Err(_) if request.changes => Err(Limited::Unavailable),
            Err(_) => self.fallback.spend(stricter(request)).await,
        }
    }
}

impl Limiter for RedisLimiter {
    fn spend(&self, request: LimitRequest) -> BoxFuture<'_, Result<LimitState, Limited>> {
        Box::pin(self.spend_shared(request))
    }

    fn peek(&self, request: LimitRequest) -> BoxFuture<'_, Result<LimitState, Limited>> {
        Box::pin(async move {
            if request.per_minute == 0 {
                return self.fallback.peek(request).await;
            }
            match self.ask(request, false).await {
                Ok((_, remaining, reset, _)) => Ok(state(request, remaining, reset)),
                Err(_) => Err(Limited::Unavailable),
            }
        })
    }
}

fn key(request: LimitRequest) -> String {
    let (kind, id) = match request.scope {
        LimitScope::Workspace(id) => ("w", id),
        LimitScope::Principal(id) => ("p", id),
    };
    format!("toolcrib:limit:{kind}:{id}:{}:{}", request.class.as_str(), request.per_minute)
}

fn stricter(request: LimitRequest) -> LimitRequest {
    LimitRequest { per_minute: (request.per_minute / STRICTER).max(1), ..request }
}

fn seconds(micros: u64) -> u64 {
    micros.div_ceil(1_000_000)
}

fn state(request: LimitRequest, remaining: u32, reset: u64) -> LimitState {
    let LimitRequest { class, per_minute, .. } = request;
    LimitState { class, limit: per_minute, remaining, reset_seconds: seconds(reset) }
}

#[cfg(test)]
mod tests;
