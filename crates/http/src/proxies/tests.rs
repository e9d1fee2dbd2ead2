use super::*;

const PROXY: &str = "10.0.0.1";

fn client(header: ProxyHeader, peer: &str, lines: &[(&'static str, &str)]) -> String {
    let trusted = ["10.0.0.0/8", "fd00::/8"].map(|range| range.parse().unwrap()).to_vec();
    let mut headers = HeaderMap::new();
    for (name, line) in lines {
        headers.append(*name, HeaderValue::from_bytes(line.as_bytes()).unwrap());
    }
    Proxies { trusted, header }.client(peer.parse().unwrap(), &headers).to_string()
}

fn listed_as(line: &str) -> String {
    client(ProxyHeader::XForwardedFor, PROXY, &[("x-forwarded-for", line)])
}

fn forwarded_as(line: &str) -> String {
    client(ProxyHeader::Forwarded, PROXY, &[("forwarded", line)])
}

#[test]
fn what_an_untrusted_peer_reports_is_ignored() {
    let lines = [("x-forwarded-for", "192.0.2.1"), ("forwarded", "for=192.0.2.1")];
    for header in [ProxyHeader::XForwardedFor, ProxyHeader::Forwarded] {
        assert_eq!(client(header, "203.0.113.9", &lines), "203.0.113.9");
        assert_eq!(client(header, "::ffff:10.0.0.1", &lines), "192.0.2.1");
        assert_eq!(
            Proxies::default().client(IpAddr::from([127, 0, 0, 1]), &HeaderMap::new()).to_string(),
            "127.0.0.1"
        );
    }
}

#[test]
fn the_header_that_is_not_named_is_ignored() {
    assert_eq!(client(ProxyHeader::XForwardedFor, PROXY, &[("forwarded", "for=192.0.2.1")]), PROXY);
    assert_eq!(client(ProxyHeader::Forwarded, PROXY, &[("x-forwarded-for", "192.0.2.1")]), PROXY);
}

#[test]
fn the_list_is_read_from_the_right_as_far_as_trusted_proxies_wrote_it() {
    for (line, expected) in [
        ("192.0.2.1", "192.0.2.1"),
        ("1.1.1.1, 192.0.2.1", "192.0.2.1"),
        ("1.1.1.1, 192.0.2.1, 10.9.9.9", "192.0.2.1"),
        ("1.1.1.1,192.0.2.1 ,10.9.9.9,10.9.9.8", "192.0.2.1"),
        ("10.9.9.9, 10.9.9.8", "10.9.9.9"),
        ("192.0.2.1:4711", "192.0.2.1"),
        ("[2001:db8::1]:4711", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("2001:db8::1", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("192.0.2.1, fd00::9", "192.0.2.1"),
    ] {
        assert_eq!(listed_as(line), expected, "{line}");
    }
}

#[test]
fn behind_an_entry_that_is_no_address_nothing_is_believed() {
    for line in
        ["", ",", "unknown", "192.0.2.1,", "192.0.2.1, x", "host:80", "192.0.2.1:99999", "192.0.2.1:+1"]
    {
        assert_eq!(listed_as(line), PROXY, "{line}");
    }
    for line in
        ["[192.0.2.1]", "[2001:db8::1", "[2001:db8::1]x", "[2001:db8::1]:", "fe80::1%", "1.1.1.1%e", "ü"]
    {
        assert_eq!(listed_as(line), PROXY, "{line}");
    }
    assert_eq!(listed_as("192.0.2.1, junk, 10.9.9.9"), "10.9.9.9");
}

#[test]
fn several_lines_are_one_list() {
    let lines =
        [("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "192.0.2.1"), ("x-forwarded-for", "10.9.9.9")];
    assert_eq!(client(ProxyHeader::XForwardedFor, PROXY, &lines), "192.0.2.1");
    let lines = [("forwarded", "for=\"open"), ("forwarded", "for=192.0.2.1"), ("forwarded", "for=10.9.9.9")];
    assert_eq!(client(ProxyHeader::Forwarded, PROXY, &lines), "192.0.2.1", "a line of the client's own");
}

#[test]
fn forwarded_is_read_as_rfc_7239_writes_it() {
    for (line, expected) in [
        ("for=192.0.2.1", "192.0.2.1"),
        ("For=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17"),
        ("for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"),
        ("for=1.1.1.1, for=192.0.2.1;host=\"a,b;c\"", "192.0.2.1"),
        ("for=1.1.1.1, FOR = 192.0.2.1", PROXY),
        ("for=192.0.2.1 , for=10.9.9.9", "192.0.2.1"),
        ("by=10.1.1.1;for=\"192.0.2.1:_hidden\"", "192.0.2.1"),
        ("for=[2001:db8::1]", "2001:db8::1"),
        ("for=\"[fe80::1%25eth0]\"", "fe80::1"),
        ("for=\"192.0.2.\\1\"", "192.0.2.1"),
    ] {
        assert_eq!(forwarded_as(line), expected, "{line}");
    }
}

#[test]
fn a_quote_that_a_client_opens_swallows_nothing() {
    for line in [
        "for=\"1.1.1.1, for=192.0.2.1",
        "for=\", for=\"[2001:db8::9]:443\"",
        "for=1.1.1.1;for=2.2.2.2",
        "for=1.1.1.1 for=2.2.2.2",
        "for=\"1.1.1.1\\",
        "for=unknown",
        "for=_hidden",
        "for=",
        "by=192.0.2.1",
        "",
        "for",
        "=192.0.2.1",
    ] {
        assert_eq!(forwarded_as(line), PROXY, "{line}");
    }
}

#[test]
fn headers_of_proxies_and_networks_are_known() {
    let with = |name: &'static str| {
        HeaderMap::from_iter([(HeaderName::from_static(name), HeaderValue::from_static("1"))])
    };
    for name in [
        "x-forwarded-for",
        "x-forwarded-proto",
        "x-forwarded",
        "forwarded",
        "via",
        "cf-ray",
        "cf-connecting-ip",
        "x-real-ip",
        "true-client-ip",
        "fastly-client-ip",
        "x-envoy-external-address",
        "x-amz-cf-id",
        "cdn-loop",
        "x-varnish",
        "do-connecting-ip",
        "x-nf-client-connection-ip",
        "cdn-requestid",
        "ali-cdn-real-ip",
        "eagleid",
        "ngrok-skip-browser-warning",
        "x-railway-edge",
        "tailscale-user-login",
    ] {
        assert!(passed_on(&with(name)), "{name}");
    }
    for name in ["host", "user-agent", "accept", "x-prometheus-scrape-timeout-seconds", "authorization"] {
        assert!(!passed_on(&with(name)), "{name}");
    }
}
