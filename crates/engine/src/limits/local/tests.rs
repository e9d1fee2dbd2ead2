//! The test vectors, and properties that hold for every sequence of calls.

use proptest::prelude::*;
use toolcrib_model::{Id, TestClock, Ts};

use super::*;
use crate::limits::vectors::{Bucket, VECTORS, run};

fn limiter() -> (LocalLimiter, Arc<TestClock>) {
    let clock = Arc::new(TestClock::new(Ts::from_micros(1_768_471_200_000_000)));
    (LocalLimiter::new(Arc::clone(&clock) as Arc<dyn Clock>), clock)
}

#[tokio::test]
async fn the_table_holds() {
    for vector in VECTORS {
        let (limiter, clock) = limiter();
        let wait = move |seconds| {
            clock.advance(seconds);
            Box::pin(ready(())) as BoxFuture<'static, ()>
        };
        run(*vector, &limiter, &wait).await;
    }
}

#[test]
fn parallel_calls_share_one_bucket() {
    let (limiter, _) = limiter();
    let request = Bucket(1, LimitClass::Write, 10).request();
    let mut told: Vec<u32> = std::thread::scope(|scope| {
        let spend = || (0..50).filter_map(|_| limiter.spend_now(request).ok()).map(|state| state.remaining);
        let running: Vec<_> = (0..4).map(|_| scope.spawn(move || spend().collect::<Vec<_>>())).collect();
        running.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    told.sort_unstable();
    assert_eq!(told, (0..10).collect::<Vec<_>>());
}

#[test]
fn a_million_keys_cost_no_memory_for_long() {
    let (limiter, clock) = limiter();
    let mut most = 0;
    for n in 0..1_000_000_u32 {
        let scope = LimitScope::Workspace(Id::from_u128(u128::from(n) << 64 | 7));
        let admitted = limiter.spend_now(LimitRequest {
            scope,
            class: LimitClass::Write,
            per_minute: 10,
            person: None,
            changes: true,
        });
        assert!(admitted.is_ok());
        if n % 10_000 == 0 {
            clock.advance(1);
            most = most.max(limiter.len());
        }
    }
    // Each bucket is full again after 6 seconds, at 10,000 new keys a second, with a sweep every 65,536
    // calls.
    assert!(most <= 130_000, "{most}");
    clock.advance(60);
    limiter.sweep();
    assert!(limiter.is_empty());
    assert!(limiter.sets.read().is_empty());
}

#[test]
fn a_sweep_forgets_nobody_who_still_owes() {
    let (limiter, clock) = limiter();
    let request = Bucket(1, LimitClass::Write, 10).request();
    while limiter.spend_now(request).is_ok() {}
    clock.advance(3);
    limiter.sweep();
    assert_eq!((limiter.len(), limiter.is_empty()), (1, false));
    assert!(matches!(limiter.spend_now(request), Err(Limited::Exceeded { retry_after: 3, .. })));
}

#[test]
fn a_sweep_leaves_the_buckets_that_a_call_is_about_to_spend_in() {
    let (limiter, _) = limiter();
    let request = Bucket(1, LimitClass::Write, 10).request();
    // Another call has looked up its buckets, which are still empty, when the sweep runs.
    let found = limiter.buckets(request.class, NonZeroU32::MIN.saturating_add(9));
    limiter.sweep();
    assert_eq!(found.spend(&request.scope).map(|reading| reading.remaining), Ok(9));
    assert_eq!(limiter.spend_now(request).map(|state| state.remaining), Ok(8));
}

#[test]
fn a_clock_that_is_set_admits_nothing_more_and_keeps_nothing_out() {
    let (limiter, clock) = limiter();
    let request = Bucket(1, LimitClass::Write, 10).request();
    while limiter.spend_now(request).is_ok() {}
    for jump in [-3600, 3600, 86_400, -90_000] {
        clock.jump(jump);
        assert!(
            matches!(limiter.spend_now(request), Err(Limited::Exceeded { retry_after: 6, .. })),
            "{jump}"
        );
        clock.advance(6);
        assert!(limiter.spend_now(request).is_ok(), "{jump}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Each window admits at most the burst and the refill of its duration. A retry after the given time is
    /// admitted.
    #[test]
    fn no_window_admits_more_than_burst_and_refill(
        per_minute in 1_u32..200,
        gaps in proptest::collection::vec((0_i64..4_000_000, 1_usize..30), 1..40),
    ) {
        let (limiter, clock) = limiter();
        let request = Bucket(1, LimitClass::Read, per_minute).request();
        let mut admitted: Vec<i64> = Vec::new();
        let mut at = clock.now().as_micros();
        for (gap, calls) in gaps {
            at += gap;
            clock.set(Ts::from_micros(at));
            for _ in 0..calls {
                let before = limiter.peek_now(request);
                match limiter.spend_now(request) {
                    Ok(after) => {
                        prop_assert_eq!(after.remaining + 1, before.remaining);
                        admitted.push(at);
                    }
                    Err(Limited::Exceeded { retry_after, .. }) => {
                        prop_assert_eq!(before.remaining, 0);
                        at += i64::try_from(retry_after).expect("small") * 1_000_000;
                        clock.set(Ts::from_micros(at));
                        prop_assert!(limiter.spend_now(request).is_ok());
                        admitted.push(at);
                    }
                    Err(Limited::Unavailable) => prop_assert!(false),
                }
            }
        }
        for (first, begun) in admitted.iter().enumerate() {
            for (last, ended) in admitted.iter().enumerate().skip(first) {
                let count = i64::try_from(last - first + 1).expect("small");
                // In nanoseconds, like the buckets.
                let refill = (ended - begun) * 1_000 / (60_000_000_000 / i64::from(per_minute));
                prop_assert!(count <= i64::from(per_minute) + refill);
            }
        }
    }
}
