//! The client of upstreams against servers on real sockets, which misbehave in every way.

mod addresses;
mod answers;
mod certificates;
mod failures;
mod kept_connections;
mod requests;
mod server;

use std::{net::IpAddr, sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use toolcrib_connectors::{
    address_guard::HostLookup,
    upstream::{Method, UpstreamClient, UpstreamClientSettings, UpstreamSend},
};

/// A client that may call 127.0.0.1 by `http:`.
fn client() -> UpstreamClient {
    UpstreamClient::new(settings(&["127.0.0.1"], &[])).unwrap()
}

fn settings(allowed: &[&str], own: &[&str]) -> UpstreamClientSettings {
    let list = |hosts: &[&str]| hosts.iter().map(|host| (*host).to_owned()).collect();
    UpstreamClientSettings { allowed_hosts: list(allowed), own_hosts: list(own) }
}

/// A write with a body.
fn post(url: &str) -> UpstreamSend<'static> {
    UpstreamSend {
        upstream: "w/helpdesk",
        method: Method::POST,
        url: url.parse().unwrap(),
        has_effect: true,
        accept: None,
        headers: &[],
        body: Some(("application/json", br#"{"note":"x"}"#.to_vec())),
        credential: None,
        roots: None,
        timeout: Duration::from_millis(800),
        max_bytes: 1024 * 1024,
        traceparent: None,
        watch: None,
    }
}

/// A read, which may use a kept connection.
fn get(url: &str) -> UpstreamSend<'static> {
    UpstreamSend { method: Method::GET, has_effect: false, body: None, ..post(url) }
}

/// Resolves names by a function of the number of the look-up.
struct Names<F>(F, std::sync::atomic::AtomicUsize);

impl<F> Names<F>
where
    F: Fn(usize) -> Vec<&'static str> + Send + Sync + 'static,
{
    fn new(answer: F) -> Arc<Self> {
        Arc::new(Self(answer, std::sync::atomic::AtomicUsize::new(0)))
    }
}

impl<F> HostLookup for Names<F>
where
    F: Fn(usize) -> Vec<&'static str> + Send + Sync + 'static,
{
    fn lookup(&self, _: String) -> BoxFuture<'static, std::io::Result<Vec<IpAddr>>> {
        let at = self.1.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let addresses = (self.0)(at).into_iter().map(|address| address.parse().unwrap()).collect();
        Box::pin(async move { Ok(addresses) })
    }
}
