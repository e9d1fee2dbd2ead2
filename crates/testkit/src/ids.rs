//! Predictable ids.

use std::sync::atomic::{AtomicU64, Ordering};

use toolcrib_model::{Id, IdGen, Ts};

/// Generates ids and secrets from a counter, so that the same calls return the same values. Use one generator
/// for each database; otherwise ids repeat.
#[derive(Debug, Default)]
pub struct TestIds(AtomicU64);

impl TestIds {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }
}

impl IdGen for TestIds {
    fn new_id(&self, at: Ts) -> Id {
        const VERSION_7: u128 = 7 << 76;
        const VARIANT: u128 = 2 << 62;
        let millis = u128::from(at.as_micros().max(0).unsigned_abs() / 1_000);
        Id::from_u128((millis << 80) | VERSION_7 | VARIANT | u128::from(self.next()))
    }

    fn secret(&self) -> [u8; 32] {
        let mut secret = [7; 32];
        secret[..8].copy_from_slice(&self.next().to_be_bytes());
        secret
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NOW;

    #[test]
    fn ids_are_version_7_in_order_and_foreseeable() {
        let (ids, again) = (TestIds::default(), TestIds::default());
        let (a, b) = (ids.new_id(NOW), ids.new_id(NOW));
        assert_eq!(a.get_version_num(), 7);
        assert!(a < b && b < ids.new_id(NOW.plus_seconds(1)));
        assert_eq!(a, again.new_id(NOW));
        assert_ne!(ids.secret(), ids.secret());
    }
}
