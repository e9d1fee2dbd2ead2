//! Identifiers and randomness.

use crate::Ts;

/// A `UUIDv7` (opaque to clients): time-ordered, the same byte order in both databases.
pub type Id = uuid::Uuid;

/// Makes ids and secrets.
pub trait IdGen: Send + Sync + 'static {
    /// A new id that sorts at `at`.
    fn new_id(&self, at: Ts) -> Id;

    /// 32 bytes nobody can guess.
    fn secret(&self) -> [u8; 32];
}

/// Ids and secrets from the operating system's randomness.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemIds;

impl IdGen for SystemIds {
    fn new_id(&self, at: Ts) -> Id {
        let micros = at.as_micros().max(0).unsigned_abs();
        let mut random = [0_u8; 10];
        fill(&mut random);
        // The sub-millisecond part goes where UUIDv7 allows it, so that ids of one millisecond keep their order.
        let fraction = u16::try_from(micros % 1_000 * 4_096 / 1_000).unwrap_or(0);
        [random[0], random[1]] = fraction.to_be_bytes();
        uuid::Builder::from_unix_timestamp_millis(micros / 1_000, &random).into_uuid()
    }

    fn secret(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        fill(&mut bytes);
        bytes
    }
}

#[expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "without randomness no secret may be made"
)]
fn fill(bytes: &mut [u8]) {
    getrandom::fill(bytes).expect("the operating system gives random bytes");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_version_7_and_sort_by_time() {
        let (a, b) = (Ts::from_micros(1_700_000_000_000_100), Ts::from_micros(1_700_000_000_000_900));
        let (x, y) = (SystemIds.new_id(a), SystemIds.new_id(b));
        assert_eq!(x.get_version_num(), 7);
        assert!(x < y);
        assert_ne!(SystemIds.new_id(a), SystemIds.new_id(a));
    }
}
