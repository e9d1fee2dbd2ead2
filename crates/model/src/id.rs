//! Ids and random secrets.

use sha2::{Digest as _, Sha256};

use crate::Ts;

/// A `UUIDv7`, opaque to clients. Ids sort by time, with the same byte order in both databases.
pub type Id = uuid::Uuid;

/// A generator of ids and secrets.
pub trait IdGen: Send + Sync + 'static {
    fn new_id(&self, at: Ts) -> Id;

    /// Returns 32 bytes of a cryptographically secure generator.
    fn secret(&self) -> [u8; 32];
}

/// The generator for production. Secrets come from the operating system. Ids, which are not secret, come from
/// a generator of the thread that the operating system seeds: a call needs several ids, and each would cost a
/// system call.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemIds;

impl IdGen for SystemIds {
    fn new_id(&self, at: Ts) -> Id {
        let micros = at.as_micros().max(0).unsigned_abs();
        // The sub-millisecond part goes where UUIDv7 allows it, so that ids of one millisecond keep their
        // order.
        let fraction = u16::try_from(micros % 1_000 * 4_096 / 1_000).unwrap_or(0).to_be_bytes();
        let mut tail = [0; 10];
        tail[..2].copy_from_slice(&fraction);
        tail[2..].copy_from_slice(&random());
        uuid::Builder::from_unix_timestamp_millis(micros / 1_000, &tail).into_uuid()
    }

    fn secret(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        fill(&mut bytes);
        bytes
    }
}

/// Returns a UUID of version 8 derived from the SHA-256 of the parts. The same parts give the same id in
/// every process.
pub fn derived_id(parts: &[&[u8]]) -> Id {
    let mut hash = Sha256::new();
    for part in parts {
        // The length prefix makes the hash input unambiguous: `["ab"]` and `["a", "b"]` differ.
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// Returns 8 random bytes: those of a random UUID that contain neither its version nor its variant.
#[expect(clippy::disallowed_methods, reason = "here randomness comes from")]
fn random() -> [u8; 8] {
    let uuid = Id::new_v4().into_bytes();
    let mut random = [0; 8];
    random[..6].copy_from_slice(&uuid[..6]);
    random[6..].copy_from_slice(&uuid[9..11]);
    random
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
    fn a_derived_id_belongs_to_its_parts_alone() {
        let id = derived_id(&[b"issuer", b"subject"]);
        assert_eq!((id.get_version_num(), id), (8, derived_id(&[b"issuer", b"subject"])));
        for others in [[b"issuers".as_slice(), b"ubject"], [b"issuer", b"subjects"], [b"subject", b"issuer"]]
        {
            assert_ne!(derived_id(&others), id);
        }
        assert_ne!(derived_id(&[b"issuersubject"]), id);
    }

    #[test]
    fn ids_are_version_7_and_sort_by_time() {
        let (a, b) = (Ts::from_micros(1_700_000_000_000_100), Ts::from_micros(1_700_000_000_000_900));
        let (x, y) = (SystemIds.new_id(a), SystemIds.new_id(b));
        assert_eq!(x.get_version_num(), 7);
        assert!(x < y);
        assert_ne!(SystemIds.new_id(a), SystemIds.new_id(a));
    }

    #[test]
    fn of_ids_of_one_moment_every_bit_but_the_time_varies() {
        let at = Ts::from_micros(1_700_000_000_000_100);
        let first = SystemIds.new_id(at).as_u128();
        let ids: Vec<u128> = (0..256).map(|_| SystemIds.new_id(at).as_u128()).collect();
        // Compare the last 62 bits. The others are the time, the version and the variant.
        let varied = ids.iter().fold(0, |all, id| all | (first ^ id));
        assert_eq!(varied, (1 << 62) - 1);
        let distinct: std::collections::HashSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len());
    }
}
