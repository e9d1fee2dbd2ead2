//! Which addresses are public: reachable by everybody, and nobody's own network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;

/// Whether an address is public. What is not known to be is not.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => public_v4(address),
        IpAddr::V6(address) => public_v6(address),
    }
}

/// Whether a URL says by itself, before any look-up, that it leads nowhere public.
pub(super) fn names_itself_private(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = literal.parse::<IpAddr>() {
        return !is_public(address);
    }
    let name = host.trim_end_matches('.');
    let ends = [".localhost", ".local", ".internal", ".home.arpa"];
    // A name without a dot is one of the own network.
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
        // This network; what carriers share; assignments of protocols; benchmarks; 6to4 relays; the future.
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
        // NAT64 leads to the IPv4 address at its end.
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => public_v4(last),
        // 6to4 leads to the one in its middle.
        [0x2002, high, low, ..] => public_v4(Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low))),
        // Protocols' own (Teredo among them); documentation.
        [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => false,
        [0x3fff, second, ..] if second < 0x1000 => false,
        // Global unicast. What is outside of it is nobody's, or one's own.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}
