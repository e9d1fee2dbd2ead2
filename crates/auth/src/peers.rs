//! Counts failed authentications by address, in bounded memory.

use std::{
    net::{IpAddr, Ipv6Addr},
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use toolcrib_model::{Clock, buckets::Keyed};

use crate::error::AuthError;

/// Failures of an address a minute. Further ones are [`AuthError::TooManyFailures`].
pub const FAILURES_PER_MINUTE: NonZeroU32 = NonZeroU32::MIN.saturating_add(59);
/// Maximum number of addresses in memory. Each is dropped within a minute after its last failure.
const MAX_PEERS: usize = 50_000;

/// Failed authentications by address.
pub struct Peers {
    failures: Keyed<IpAddr>,
    clock: Arc<dyn Clock>,
    /// The second of the last sweep. Limits sweeps to one a second, because a sweep for each failure of a
    /// flood would be expensive.
    swept: AtomicI64,
}

impl Peers {
    /// Makes an empty counter.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let failures = Keyed::new(Arc::clone(&clock), FAILURES_PER_MINUTE);
        Self { failures, clock, swept: AtomicI64::new(i64::MIN) }
    }

    /// Returns whether the address has used up its failures.
    pub fn suspects(&self, peer: IpAddr) -> bool {
        self.failures.peek(&network(peer)).wait_seconds > 0
    }

    /// Returns whether an address that fails now has not failed in the last second.
    pub fn is_first_failure(&self, peer: IpAddr) -> bool {
        let unspent = self.failures.peek(&network(peer)).remaining;
        self.failures.len() < MAX_PEERS && unspent == FAILURES_PER_MINUTE.get()
    }

    /// Returns the result of an authentication, and counts it if the credential is not valid; see
    /// [`Peers::failed`].
    pub fn counted<T>(&self, peer: IpAddr, result: Result<T, AuthError>) -> Result<T, AuthError> {
        result.map_err(|error| if error.refusal().is_some() { self.failed(peer, error) } else { error })
    }

    /// Counts a failed authentication and returns the error to send: `refused`, or [`AuthError::TooManyFailures`] if
    /// the address failed too often. The count never causes the refusal of a valid credential.
    pub fn failed(&self, peer: IpAddr, refused: AuthError) -> AuthError {
        match (self.count(network(peer)), refused.refusal()) {
            (Some(retry_after), Some(reason)) => {
                AuthError::TooManyFailures { retry_after, reason: reason.to_owned() }
            }
            _ => refused,
        }
    }

    /// Counts a failure. Returns the seconds to wait if the address has used up its failures. While the
    /// memory is full, new addresses are not counted.
    fn count(&self, peer: IpAddr) -> Option<u64> {
        if self.failures.len() >= MAX_PEERS && !self.failures.knows(&peer) {
            let second = self.clock.now().as_seconds();
            if self.swept.swap(second, Ordering::Relaxed) == second {
                return None;
            }
            self.failures.sweep();
            if self.failures.len() >= MAX_PEERS {
                return None;
            }
        }
        self.failures.spend(&peer).err().map(|reading| reading.wait_seconds)
    }
}

/// Returns the network that counts as one address: an IPv4 address, or the /64 of an IPv6 address, because
/// one host can use a whole /64.
fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)).into(),
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use toolcrib_model::{TestClock, Ts};

    use super::*;
    use crate::error::unauthenticated;

    fn peers() -> (Peers, Arc<TestClock>) {
        let clock = Arc::new(TestClock::new(Ts::from_micros(1_700_000_000_000_000)));
        (Peers::new(Arc::clone(&clock) as Arc<dyn Clock>), clock)
    }

    fn fail(peers: &Peers, peer: IpAddr) -> AuthError {
        peers.failed(peer, unauthenticated("no", "", "no"))
    }

    #[test]
    fn sixty_failures_are_401_and_more_are_429_for_that_address_alone() {
        let (peers, clock) = peers();
        let (bad, good) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        for n in 0..60 {
            assert!(!peers.suspects(bad));
            assert_eq!(peers.is_first_failure(bad), n == 0, "only the first one is logged");
            assert!(matches!(fail(&peers, bad), AuthError::Unauthenticated { .. }));
        }
        assert!(peers.suspects(bad) && !peers.suspects(good));
        assert!(matches!(fail(&peers, bad), AuthError::TooManyFailures { retry_after: 1, .. }));
        assert!(matches!(fail(&peers, good), AuthError::Unauthenticated { .. }));
        clock.advance(1);
        assert!(!peers.suspects(bad));
    }

    #[test]
    fn a_host_with_many_ipv6_addresses_is_one() {
        let (peers, _) = peers();
        for host in 0..60_u16 {
            fail(&peers, Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, host).into());
        }
        assert!(peers.suspects(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 9, 9, 9, 9).into()));
        assert!(!peers.suspects(Ipv6Addr::new(0x2001, 0xdb8, 0, 1, 0, 0, 0, 1).into()));
        assert_eq!(network(Ipv4Addr::LOCALHOST.to_ipv6_mapped().into()), IpAddr::from(Ipv4Addr::LOCALHOST));
    }

    #[test]
    fn a_flood_of_addresses_stays_within_bounds() {
        let (peers, clock) = peers();
        for address in 0..120_000_u32 {
            fail(&peers, Ipv4Addr::from_bits(address).into());
        }
        assert_eq!(peers.failures.len(), MAX_PEERS);
        // An address that was in memory before the memory was full is still counted. A new one is not.
        for _ in 0..60 {
            fail(&peers, Ipv4Addr::from_bits(1).into());
            fail(&peers, Ipv4Addr::from_bits(120_001).into());
        }
        assert!(peers.suspects(Ipv4Addr::from_bits(1).into()));
        assert!(!peers.suspects(Ipv4Addr::from_bits(120_001).into()));
        clock.advance(61);
        fail(&peers, IpAddr::from([192, 0, 2, 1]));
        assert_eq!(peers.failures.len(), 1);
    }
}
