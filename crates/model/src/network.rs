//! Ranges of IP addresses.

use std::{net::IpAddr, str::FromStr};

/// The header in which reverse proxies report the client's address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProxyHeader {
    /// `X-Forwarded-For`.
    #[default]
    XForwardedFor,
    /// `Forwarded` (RFC 7239).
    Forwarded,
}

/// An address, or a range of them in CIDR notation: `10.0.0.0/8`, `2001:db8::/32`, `127.0.0.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    /// The length of the prefix in bits.
    bits: u32,
}

/// The error for a text that is not an address or a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an IP address or a range, such as 10.0.0.0/8")]
pub struct NoNetwork;

impl Network {
    /// Returns whether the address is in the range. An IPv4-mapped IPv6 address (`::ffff:…`) counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let differ = own.to_bits() ^ other.to_bits();
                differ.leading_zeros() >= self.bits
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let differ = own.to_bits() ^ other.to_bits();
                differ.leading_zeros() >= self.bits
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = NoNetwork;

    fn from_str(text: &str) -> Result<Self, NoNetwork> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| NoNetwork)?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let bits: u32 = match bits {
            None => longest,
            // `parse` alone would accept a sign.
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().ok().filter(|bits| *bits <= longest).ok_or(NoNetwork)?
            }
            Some(_) => return Err(NoNetwork),
        };
        // A range of IPv4-mapped addresses becomes the IPv4 range.
        match address.to_canonical() {
            v4 @ IpAddr::V4(_) if address.is_ipv6() => {
                let bits = bits.checked_sub(96).ok_or(NoNetwork)?;
                Ok(Self { address: v4, bits })
            }
            _ => Ok(Self { address, bits }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(range: &str, address: &str) -> bool {
        let range: Network = range.parse().unwrap();
        range.contains(address.parse().unwrap())
    }

    #[test]
    fn a_range_holds_what_shares_its_bits() {
        assert!(holds("10.0.0.0/8", "10.255.0.1") && !holds("10.0.0.0/8", "11.0.0.1"));
        assert!(holds("10.1.2.3", "10.1.2.3") && !holds("10.1.2.3", "10.1.2.4"));
        assert!(holds("0.0.0.0/0", "255.1.1.1") && !holds("0.0.0.0/0", "2001:db8::1"));
        assert!(holds("2001:db8::/32", "2001:db8:9::1") && !holds("2001:db8::/32", "2001:db9::1"));
        assert!(holds("::/0", "2001:db8::1") && !holds("::/0", "10.0.0.1"));
        assert!(holds("10.0.0.0/8", "::ffff:10.1.1.1") && holds("::ffff:10.0.0.0/104", "10.1.1.1"));
        assert!(holds("192.0.2.128/25", "192.0.2.200") && !holds("192.0.2.128/25", "192.0.2.1"));
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in
            ["", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/+8", "::/129", "10.0.0/8", "host", "::ffff:0:0/95"]
        {
            assert_eq!(text.parse::<Network>(), Err(NoNetwork), "{text}");
        }
    }
}
