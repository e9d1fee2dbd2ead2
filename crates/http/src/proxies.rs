//! Determines the address of a client behind reverse proxies.
//!
//! Each proxy appends the address that it saw to one header. The client itself can write all entries to the
//! left of the one that the outermost trusted proxy appended. Therefore the header is read from the right,
//! and only the entries that trusted proxies appended are used.

mod forwarded;

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header, uri::Authority};
use toolcrib_model::{Network, ProxyHeader};

/// The trusted proxies and the header in which they report the client's address. By default no proxy is
/// trusted.
#[derive(Clone, Debug, Default)]
pub struct Proxies {
    /// Addresses of trusted proxies.
    pub trusted: Vec<Network>,
    /// The header that is read. The other one is ignored, because clients can send it.
    pub header: ProxyHeader,
}

impl Proxies {
    /// Returns the address that the outermost trusted proxy saw, or `peer`, the other end of the connection,
    /// if that is not a trusted proxy. Reading stops at an entry that is not an address: the entries to its
    /// left are not trusted.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        if !self.trusts(client) {
            return client;
        }
        for entry in self.entries(headers) {
            let Some(address) = entry else { return client };
            client = address;
            if !self.trusts(client) {
                return client;
            }
        }
        client
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|network| network.contains(address))
    }

    /// Returns the entries of all lines of the header, from the right. `None` stands for an entry that is not
    /// an address.
    fn entries<'h>(&self, headers: &'h HeaderMap) -> impl Iterator<Item = Option<IpAddr>> + use<'h> {
        let read = match self.header {
            ProxyHeader::XForwardedFor => listed,
            ProxyHeader::Forwarded => forwarded::entries,
        };
        headers.get_all(header_name(self.header)).into_iter().rev().flat_map(move |line| {
            let text = line.to_str().map(read);
            text.unwrap_or_else(|_| vec![None])
        })
    }
}

fn header_name(header: ProxyHeader) -> HeaderName {
    match header {
        ProxyHeader::XForwardedFor => HeaderName::from_static("x-forwarded-for"),
        ProxyHeader::Forwarded => HeaderName::from_static("forwarded"),
    }
}

/// Parses one line of `X-Forwarded-For`, from the right.
fn listed(line: &str) -> Vec<Option<IpAddr>> {
    line.rsplit(',').map(|entry| address(entry.trim())).collect()
}

/// Parses an address with or without a port. IPv6 may have brackets and a zone.
fn address(text: &str) -> Option<IpAddr> {
    if let Some(rest) = text.strip_prefix('[') {
        let (address, port) = rest.split_once(']')?;
        let port = if port.is_empty() { None } else { Some(port.strip_prefix(':')?) };
        return without_zone(address).filter(|address| address.is_ipv6() && port.is_none_or(is_port));
    }
    if let Some((address, port)) = text.split_once(':').filter(|(_, rest)| !rest.contains(':')) {
        return address.parse::<IpAddr>().ok().filter(|_| is_port(port));
    }
    without_zone(text)
}

fn without_zone(text: &str) -> Option<IpAddr> {
    let address: IpAddr = match text.split_once('%') {
        Some((address, zone)) if !zone.is_empty() => IpAddr::V6(address.parse().ok()?),
        Some(_) => return None,
        None => text.parse().ok()?,
    };
    Some(address.to_canonical())
}

/// Whether the text is a port number or an obfuscated port (RFC 7239, 6.3).
fn is_port(text: &str) -> bool {
    let hidden = text.strip_prefix('_');
    let hidden = hidden
        .is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)));
    hidden || (text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok())
}

/// Headers that proxies and content delivery networks add to the requests that they forward.
const ADDED: [&str; 30] = [
    "client-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-real-ip",
    "x-original-forwarded-for",
    "x-original-host",
    "x-original-url",
    "x-rewrite-url",
    "true-client-ip",
    "forwarded",
    "forwarded-for",
    "via",
    "cdn-loop",
    "proxy-connection",
    "front-end-https",
    "x-scheme",
    "x-host",
    "x-proxyuser-ip",
    "x-cloud-trace-context",
    "x-amzn-trace-id",
    "x-arr-log-id",
    "x-arr-ssl",
    "incap-client-ip",
    "wl-proxy-client-ip",
    "x-varnish",
    "do-connecting-ip",
    "x-nf-client-connection-ip",
    "cdn-requestid",
    "ali-cdn-real-ip",
    "eagleid",
];
/// Prefixes of the names of such headers.
const FAMILIES: [&str; 16] = [
    "x-forwarded",
    "cf-",
    "cloudfront-",
    "x-amz-cf-",
    "fastly-",
    "fly-",
    "x-envoy-",
    "x-azure-",
    "x-vercel-",
    "x-akamai-",
    "akamai-",
    "x-appengine-",
    "x-sucuri-",
    "ngrok-",
    "x-railway-",
    "tailscale-",
];

/// Whether the headers show that a proxy forwarded the request.
pub(crate) fn passed_on(headers: &HeaderMap<HeaderValue>) -> bool {
    headers
        .keys()
        .map(HeaderName::as_str)
        .any(|name| ADDED.contains(&name) || FAMILIES.iter().any(|family| name.starts_with(family)))
}

/// Whether the request names this machine: `localhost` or a loopback address, both in the request's URI and
/// in `Host`. This detects DNS rebinding: a page whose domain resolves to this machine sends that domain.
pub(crate) fn asks_loopback(uri: &Uri, headers: &HeaderMap) -> bool {
    let said = headers.get_all(header::HOST).into_iter().map(|host| host.to_str().unwrap_or_default());
    let mut hosts = uri.authority().map(Authority::as_str).into_iter().chain(said).peekable();
    hosts.peek().is_some() && hosts.all(is_loopback)
}

fn is_loopback(host: &str) -> bool {
    let name = host.parse::<Authority>().map(|all| all.host().to_ascii_lowercase()).unwrap_or_default();
    let name = name.strip_suffix('.').unwrap_or(&name);
    name == "localhost" || address(name).is_some_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests;
