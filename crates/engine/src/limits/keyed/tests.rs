//! What a call is told while time goes on, and the memory of a flood.

use toolcrib_model::{TestClock, Ts};

use super::*;

const START: Ts = Ts::from_micros(1_768_471_200_000_000);

/// A clock that moves one second with each look at it.
struct Restless(TestClock);

impl Clock for Restless {
    fn now(&self) -> Ts {
        self.0.now()
    }

    fn monotonic(&self) -> Duration {
        self.0.advance(1);
        self.0.monotonic()
    }
}

#[test]
fn an_answer_is_of_the_moment_that_decided_it() {
    let buckets = Keyed::new(Arc::new(Restless(TestClock::new(START))), NonZeroU32::MIN.saturating_add(59));
    // One call a second comes back: whoever looks again a moment later finds the bucket full.
    assert_eq!(buckets.spend(&1).map(|reading| reading.remaining), Ok(59));
    let buckets = Keyed::new(Arc::new(Restless(TestClock::new(START))), NonZeroU32::MIN);
    assert_eq!(buckets.spend(&1).map(|reading| reading.remaining), Ok(0));
    // A refusal looks three times. The twentieth is decided a second too early, and told a second after a
    // call came back.
    let refused: Vec<Reading> = (0..20).map(|_| buckets.spend(&1).unwrap_err()).collect();
    assert_eq!(refused[19], Reading { remaining: 0, reset_seconds: 0, wait_seconds: 1 });
}

#[test]
fn the_memory_of_a_flood_is_given_back_though_some_still_owe() {
    let clock = Arc::new(TestClock::new(START));
    let buckets = Keyed::new(Arc::clone(&clock) as Arc<dyn Clock>, NonZeroU32::MIN.saturating_add(9));
    for key in 0..20_000 {
        assert!(buckets.spend(&key).is_ok());
    }
    clock.advance(6);
    for key in 0..10 {
        assert!(buckets.spend(&key).is_ok());
    }
    buckets.sweep();
    assert_eq!(buckets.len(), 10);
    let room = buckets.states.capacity();
    assert!(room <= 1024 + 4 * 10, "{room}");
}
