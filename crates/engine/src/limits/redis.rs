//! Buckets in Redis, which all processes share. While Redis is unreachable, this process counts in its own
//! buckets, and only calls that change nothing are admitted.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use futures_util::future::BoxFuture;
use redis::{RedisError, Script};
use toolcrib_model::Clock;

use super::{LimitRequest, LimitScope, LimitState, Limited, Limiter, LocalLimiter};
use crate::base::redis::RedisConnection;

/// While Redis is unreachable, each process divides a limit by this number, because the other processes count
/// apart.
const STRICTER: u32 = 4;

/// GCRA as in `toolcrib_model::buckets`, in microseconds, with a person's share as in `shares.rs`.
///
/// `KEYS`: when the bucket is full, which persons were active last, when the person's bucket is full.
///
/// `ARGV`: calls a minute, 1 to count a call, the time (empty for the server's own), the person (or empty),
/// the person's share (0 for none).
///
/// Returns: admitted, remaining, time until full, time until admitted, and the size of the bucket that these
/// numbers describe.
const SCRIPT: &str = r"
local burst, now, person, share = tonumber(ARGV[1]), tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
-- Smaller numbers keep fractions of a microsecond.
now = now - 1767225600000000
local minute = 60000000
local function owed(key)
  local left = math.max((tonumber(redis.call('GET', key)) or 0) - now, 0)
  -- No bucket is full again later than in a minute: the server's clock was put back.
  if left > minute + 1 then left = 0 end
  return left
end
local function keep(key, left)
  redis.call('SET', key, string.format('%.3f', now + left), 'PX', math.ceil(left / 1000) + 1000)
end
local function wait(left, size) return math.max(left - (size - 1) * minute / size, 0) end
local function remaining(left, size) return math.max(size - math.ceil(left * size / minute - 0.0001), 0) end
local all, own, held = owed(KEYS[1]), 0, false
local first, first_at, second, second_at
if person ~= '' then
  first, first_at, second, second_at =
    string.match(redis.call('GET', KEYS[2]) or '', '^(%S+) (%S+) (%S+) (%S+)$')
end
if share > 0 then
  own = owed(KEYS[3])
  local function other(id, at) return id and id ~= person and math.abs(now - tonumber(at)) < minute end
  held = other(first, first_at) or other(second, second_at)
end
local longest = wait(all, burst)
if held then longest = math.max(longest, wait(own, share)) end
local admitted = longest < 1
if admitted and ARGV[2] == '1' then
  all = all + minute / burst
  keep(KEYS[1], all)
  if share > 0 then
    own = math.min(own + minute / share, minute)
    keep(KEYS[3], own)
  end
  if person ~= '' then
    if first and first ~= person then second, second_at = first, first_at end
    local kept = string.format('%s %.0f %s %s', person, now, second or '-', second_at or '-999999999999')
    redis.call('SET', KEYS[2], kept, 'PX', 61000)
  end
end
local left, size = all, burst
if held then
  local mine, ours = remaining(own, share), remaining(all, burst)
  if mine < ours or mine == ours and math.ceil(wait(own, share) / 1000000 - 0.00001) > math.ceil(wait(all, burst) / 1000000 - 0.00001) then
    left, size = own, share
  end
end
return { admitted and 1 or 0, remaining(left, size), math.ceil(left - 0.01), math.ceil(longest - 0.01), size }
";

/// The clock of the buckets.
#[derive(Clone)]
pub enum Time {
    /// The clock of the Redis server, which all processes agree on.
    Server,
    FromClock(Arc<dyn Clock>),
}

/// Buckets that all processes on one Redis share.
pub struct RedisLimiter {
    redis: RedisConnection,
    script: Script,
    time: Time,
    fallback: Arc<LocalLimiter>,
    lost: AtomicBool,
}

/// The values that the script returns.
type Told = (u8, u32, u64, u64, u32);

impl RedisLimiter {
    /// Makes a limiter. `fallback` counts reads while Redis is unreachable.
    pub fn new(redis: RedisConnection, time: Time, fallback: Arc<LocalLimiter>) -> Self {
        Self { redis, script: Script::new(SCRIPT), time, fallback, lost: AtomicBool::new(false) }
    }

    async fn ask(&self, request: LimitRequest, spend: bool) -> Result<Told, RedisError> {
        let now = match &self.time {
            Time::Server => String::new(),
            Time::FromClock(clock) => clock.now().as_micros().to_string(),
        };
        let bucket = key(request);
        let person = request.person.map(|person| person.id.to_string()).unwrap_or_default();
        let share = request.person.and_then(|person| person.share).unwrap_or(0);
        let mut call = self.script.prepare_invoke();
        call.key(&bucket).key(active(request)).key(format!("{bucket}:{person}:{share}"));
        call.arg(request.per_minute).arg(u8::from(spend)).arg(now).arg(person).arg(share);
        let mut redis = self.redis.0.clone();
        let told = RedisConnection::within(call.invoke_async(&mut redis)).await;
        self.note(told.as_ref().err());
        told
    }

    /// Logs the loss and the return of Redis once each, and counts every failed command.
    fn note(&self, error: Option<&RedisError>) {
        let before = self.lost.swap(error.is_some(), Ordering::Relaxed);
        match error {
            Some(error) => {
                metrics::counter!("toolcrib_limiter_lost_total").increment(1);
                if !before {
                    tracing::error!(%error, "the limiter's Redis is lost: writes are refused, reads are limited here");
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
            Ok((1, remaining, reset, _, size)) => Ok(state(request, size, remaining, reset)),
            Ok((_, _, reset, wait, size)) => {
                let retry_after = seconds(wait).max(1);
                Err(Limited::Exceeded { state: state(request, size, 0, reset), retry_after })
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
                Ok((_, remaining, reset, _, size)) => Ok(state(request, size, remaining, reset)),
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

/// Returns the Redis key of a workspace's last active persons.
fn active(request: LimitRequest) -> String {
    let (LimitScope::Workspace(id) | LimitScope::Principal(id)) = request.scope;
    format!("toolcrib:active:{id}")
}

fn stricter(request: LimitRequest) -> LimitRequest {
    LimitRequest { per_minute: (request.per_minute / STRICTER).max(1), ..request }
}

fn seconds(micros: u64) -> u64 {
    micros.div_ceil(1_000_000)
}

fn state(request: LimitRequest, size: u32, remaining: u32, reset: u64) -> LimitState {
    LimitState { class: request.class, limit: size, remaining, reset_seconds: seconds(reset) }
}

#[cfg(test)]
mod tests;
