//! The HTTP clients that send the requests: one for each set of trusted certificates and each kind of host.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use aws_lc_rs::digest;
use reqwest::{Certificate, Client, ClientBuilder, redirect::Policy, retry};
use tokio::sync::Notify;
use tower::util::MapResponseLayer;

use super::SendError;
use crate::{
    UpstreamError,
    address_guard::{Guarded, HostLookup},
};

/// The timeout of connecting: the look-up, TCP and TLS.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

tokio::task_local! {
    /// Is told when the request of this task has its connection, before anything of it is sent.
    pub static CONNECTED: Arc<Notify>;
}

/// The certificates of an operator's `ca_file`. An upstream that has them trusts only these, and not those of
/// the operating system. Cheap to clone.
#[derive(Clone, Debug)]
pub struct RootCertificates {
    certificates: Arc<[Certificate]>,
    digest: Vec<u8>,
}

/// The error for a text that has no certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must hold certificates in PEM, each between BEGIN CERTIFICATE and END CERTIFICATE")]
pub struct NotCertificates;

impl RootCertificates {
    /// Parses the certificates of a PEM file.
    pub fn from_pem(pem: &[u8]) -> Result<Self, NotCertificates> {
        let certificates = Certificate::from_pem_bundle(pem).map_err(|_| NotCertificates)?;
        // A client parses the contents of the certificates.
        let readable = trusting(Client::builder(), &certificates).build().is_ok();
        if certificates.is_empty() || !readable {
            return Err(NotCertificates);
        }
        let digest = digest::digest(&digest::SHA256, pem).as_ref().to_vec();
        Ok(Self { certificates: certificates.into(), digest })
    }
}

/// The digest of the trusted certificates, if they are an operator's, and whether addresses may be private.
type Key = (Option<Vec<u8>>, bool);

/// The clients that were needed until now. Only an operator's files add clients, so there are few.
pub struct HttpClients {
    lookup: Arc<dyn HostLookup>,
    clients: Mutex<HashMap<Key, Client>>,
}

impl HttpClients {
    /// Creates the clients that trust the certificates of the operating system.
    pub fn new(lookup: Arc<dyn HostLookup>) -> Result<Self, UpstreamError> {
        let clients = Self { lookup, clients: Mutex::default() };
        for everywhere in [false, true] {
            let made = clients.get(None, everywhere);
            made.map_err(|_| UpstreamError::Settings("no client can be made for upstreams"))?;
        }
        Ok(clients)
    }

    /// The client that trusts `roots`. `everywhere` allows private addresses.
    pub fn get(&self, roots: Option<&RootCertificates>, everywhere: bool) -> Result<Client, SendError> {
        let key = (roots.map(|roots| roots.digest.clone()), everywhere);
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&key) {
            return Ok(client.clone());
        }
        let builder = builder(Guarded { lookup: self.lookup.clone(), everywhere });
        let builder = match roots {
            Some(roots) => trusting(builder, &roots.certificates),
            None => builder,
        };
        let client = builder.build().map_err(|_| SendError::Request("no HTTP client can be made for it"))?;
        clients.insert(key, client.clone());
        Ok(client)
    }
}

fn builder(resolver: Guarded) -> ClientBuilder {
    Client::builder()
        .redirect(Policy::none())
        .no_proxy()
        .referer(false)
        .retry(retry::never())
        .http1_only()
        // No idle connections: see the module's documentation.
        .pool_max_idle_per_host(0)
        .connect_timeout(CONNECT_TIMEOUT)
        .connector_layer(MapResponseLayer::new(tell_connected))
        .dns_resolver(resolver)
        .user_agent(concat!("toolcrib/", env!("CARGO_PKG_VERSION")))
}

fn trusting(builder: ClientBuilder, certificates: &[Certificate]) -> ClientBuilder {
    builder.tls_certs_only(certificates.iter().cloned())
}

/// Tells the task that its request has a connection.
fn tell_connected<C>(connection: C) -> C {
    // Without a task that waits, the limit of the whole request still works.
    let _ = CONNECTED.try_with(|connected| connected.notify_one());
    connection
}
