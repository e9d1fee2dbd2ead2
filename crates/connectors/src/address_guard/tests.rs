//! Tests of addresses, without a network.

use std::{net::IpAddr, sync::Arc};

use futures_util::future::BoxFuture;
use reqwest::dns::Resolve as _;

use super::*;

/// A resolver that returns the same addresses for every name.
struct Fixed(Vec<IpAddr>);

impl HostLookup for Fixed {
    fn lookup(&self, _: String) -> BoxFuture<'static, std::io::Result<Vec<IpAddr>>> {
        Box::pin(std::future::ready(Ok(self.0.clone())))
    }
}

#[tokio::test]
async fn of_several_addresses_of_a_name_only_public_ones_are_given_out() {
    let both: Vec<IpAddr> = ["127.0.0.1", "1.1.1.1", "::1"].map(|text| text.parse().unwrap()).into();
    for (everywhere, expected) in [(false, vec![both[1]]), (true, both.clone())] {
        let guarded = Guarded { lookup: Arc::new(Fixed(both.clone())), everywhere };
        let found = guarded.resolve("hooks.example.com".parse().unwrap()).await.unwrap();
        assert_eq!(found.map(|address| address.ip()).collect::<Vec<_>>(), expected);
    }
    let guarded = Guarded { lookup: Arc::new(Fixed(vec![both[0]])), everywhere: false };
    assert!(guarded.resolve("hooks.example.com".parse().unwrap()).await.is_err());
}

#[test]
fn private_addresses_are_told_from_public_ones() {
    let public = [
        "1.1.1.1",
        "93.184.216.34",
        "100.63.0.1",
        "172.32.0.1",
        "2606:4700::1111",
        "2a00:1450::1",
        "::ffff:1.1.1.1",
        "64:ff9b::101:101",
        "2002:101:101::1",
    ];
    let private = [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:c0a8:1::1",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ];
    for text in public {
        assert!(is_public(text.parse::<IpAddr>().unwrap()), "{text}");
    }
    for text in private {
        assert!(!is_public(text.parse::<IpAddr>().unwrap()), "{text}");
    }
}
