//! The reported numbers while time passes, and the memory after a flood of keys.

use super::*;
use crate::{TestClock, Ts};

const START: Ts = Ts::from_micros(1_768_471_200_000_000);

/// A clock that advances one second at each read.
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
    // The bucket refills by one call a second, so a second read of the clock would find it full.
    assert_eq!(buckets.spend(&1).map(|reading| reading.remaining), Ok(59));
    let buckets = Keyed::new(Arc::new(Restless(TestClock::new(START))), NonZeroU32::MIN);
    assert_eq!(buckets.spend(&1).map(|reading| reading.remaining), Ok(0));
    // A refusal reads the clock three times. The twentieth is decided one second before the bucket refills,
    // and its state is read one second after.
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
