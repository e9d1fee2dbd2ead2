//! Distinguishes public addresses from those of private networks.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;

/// Returns whether an address is public. An unknown range counts as not public.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => public_v4(address),
        IpAddr::V6(address) => public_v6(address),
    }
}

/// Returns whether the host of a URL is evidently not public, without resolving it.
pub(super) fn names_itself_private(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = literal.parse::<IpAddr>() {
        return !is_public(address);
    }
    let name = host.trim_end_matches('.');
    let ends = [".localhost", ".local", ".internal", ".home.arpa"];
    // A name without a dot belongs to the local network.
    !name.contains('.') || ends.iter().any(|end| name.ends_with(end))
}

fn public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let private = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
        // This network, shared carrier addresses, protocol assignments, benchmarks, 6to4 relays, reserved.
        || a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (b == 18 || b == 19))
        || (a == 192 && b == 88 && c == 99)
        || a >= 240;
    !private
}

fn public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = address.to_ipv4_mapped() {
        return public_v4(inner);
    }
    let parts = address.segments();
    let last = Ipv4Addr::from_bits((u32::from(parts[6]) << 16) | u32::from(parts[7]));
    match parts {
        // NAT64 has the IPv4 address at its end.
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => public_v4(last),
        // 6to4 has the IPv4 address after its prefix.
        [0x2002, high, low, ..] => public_v4(Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low))),
        // Protocol assignments (such as Teredo) and documentation.
        [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => false,
        [0x3fff, second, ..] if second < 0x1000 => false,
        // Global unicast. Other ranges are unassigned or local.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}
