//! The table against a real Redis, and what happens where there is none.

use std::{
    io::{self, Write},
    sync::Mutex,
};

use futures_util::future::ready;
use metrics_exporter_prometheus::PrometheusBuilder;
use toolcrib_model::{Id, TestClock, Ts};
use toolcrib_registry::LimitClass;
use toolcrib_testkit::{eventually, outside::Redis};

use super::*;
use crate::limits::vectors::{Bucket, VECTORS, run};

async fn connect(server: &Redis) -> RedisConnection {
    RedisConnection::connect(&server.url().into()).await.unwrap()
}

fn clock() -> Arc<TestClock> {
    Arc::new(TestClock::new(Ts::from_micros(1_768_471_200_000_000)))
}

fn limiter(redis: RedisConnection, clock: &Arc<TestClock>) -> RedisLimiter {
    let passed = Time::FromClock(Arc::clone(clock) as Arc<dyn Clock>);
    RedisLimiter::new(redis, passed, Arc::new(LocalLimiter::new(Arc::clone(clock) as Arc<dyn Clock>)))
}

#[tokio::test]
async fn the_table_holds() {
    let mut server = Redis::start().await;
    for vector in VECTORS {
        let clock = clock();
        let limiter = limiter(connect(&server).await, &clock);
        let wait = move |seconds| {
            clock.advance(seconds);
            Box::pin(ready(())) as BoxFuture<'static, ()>
        };
        run(*vector, &limiter, &wait).await;
        server.again().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_share_one_bucket() {
    let server = Redis::start().await;
    let (clock, shared) = (clock(), connect(&server).await);
    let limiters = [limiter(shared.clone(), &clock), limiter(shared, &clock)].map(Arc::new);
    let request = Bucket(1, LimitClass::Write, 10).request();
    let calls = (0..200).map(|n| {
        let limiter = Arc::clone(&limiters[n % 2]);
        tokio::spawn(async move { limiter.spend(request).await })
    });
    let mut told = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        told.extend(call.await.unwrap().ok().map(|state| state.remaining));
    }
    told.sort_unstable();
    assert_eq!(told, (0..10).collect::<Vec<_>>());
}

#[tokio::test]
async fn the_servers_own_time_counts_where_none_is_passed() {
    let server = Redis::start().await;
    let fallback = Arc::new(LocalLimiter::new(clock() as Arc<dyn Clock>));
    let limiter = RedisLimiter::new(connect(&server).await, Time::Server, fallback);
    let request = Bucket(1, LimitClass::Write, 2).request();
    assert_eq!(limiter.spend(request).await.unwrap().remaining, 1);
    assert_eq!(limiter.spend(request).await.unwrap().remaining, 0);
    let Err(Limited::Exceeded { retry_after, .. }) = limiter.spend(request).await else {
        panic!("it is empty")
    };
    assert!((29..=30).contains(&retry_after), "{retry_after}");
}

/// Redis has no other clock than the one that is set: it costs one bucket at most, and keeps nobody out for
/// an hour.
#[tokio::test]
async fn a_server_whose_clock_is_put_back_locks_nobody_out() {
    let server = Redis::start().await;
    let clock = clock();
    let limiter = limiter(connect(&server).await, &clock);
    let request = Bucket(1, LimitClass::Write, 10).request();
    for jump in [-3600, 3600, -86_400] {
        while limiter.spend(request).await.is_ok() {}
        clock.jump(jump);
        for left in (0..10).rev() {
            assert_eq!(limiter.spend(request).await.unwrap().remaining, left, "{jump}");
        }
        let Err(Limited::Exceeded { retry_after, .. }) = limiter.spend(request).await else {
            panic!("it is empty after {jump}")
        };
        assert_eq!(retry_after, 6, "{jump}");
        clock.advance(6);
        assert!(limiter.spend(request).await.is_ok(), "{jump}");
    }
}

#[tokio::test]
async fn without_redis_writes_are_refused_and_reads_are_limited_harder() {
    let mut server = Redis::start().await;
    let clock = clock();
    let limiter = limiter(connect(&server).await, &clock);
    let write = LimitRequest {
        scope: LimitScope::Workspace(Id::from_u128(1)),
        class: LimitClass::Write,
        per_minute: 10,
        person: None,
        changes: true,
    };
    let read = LimitRequest { class: LimitClass::Read, changes: false, per_minute: 12, ..write };
    assert!(limiter.spend(write).await.is_ok());
    server.stop();
    assert_eq!(limiter.spend(write).await, Err(Limited::Unavailable));
    assert_eq!(limiter.peek(read).await, Err(Limited::Unavailable));
    let mut admitted = 0;
    while limiter.spend(read).await.is_ok() {
        admitted += 1;
    }
    assert_eq!(admitted, 3);
    server.again().await;
    eventually("it comes back by itself", async || limiter.spend(write).await.is_ok()).await;
}

/// Lines of a log, kept.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_log_says_once_that_redis_was_lost_and_once_that_it_is_back() {
    let server = Redis::start().await;
    let limiter = limiter(connect(&server).await, &clock());
    let (log, recorder) = (Log::default(), PrometheusBuilder::new().build_recorder());
    let _measured = metrics::set_default_local_recorder(&recorder);
    let kept = log.clone();
    let journal = tracing_subscriber::fmt().with_writer(move || kept.clone()).finish();
    let _logged = tracing::subscriber::set_default(journal);
    let error = RedisError::from((redis::ErrorKind::Io, "gone"));
    for answer in [None, Some(&error), Some(&error), Some(&error), None, None, Some(&error), None] {
        limiter.note(answer);
    }
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let said: Vec<_> =
        text.lines().map(|line| line.contains("Redis is lost") && line.contains("gone")).collect();
    assert_eq!(said, [true, false, true, false], "{text}");
    assert_eq!(text.matches("Redis is back").count(), 2, "{text}");
    let counted = recorder.handle().render();
    assert!(counted.contains("toolcrib_limiter_lost_total 4"), "{counted}");
}
