//! The HTTP clients that send the requests. A client that keeps connections is one workspace's, for one upstream
//! and one credential, so that no request goes over a connection that others used.

use std::{collections::HashMap, sync::Arc, time::Duration};

use aws_lc_rs::digest;
use moka::{policy::EvictionPolicy, sync::Cache};
use parking_lot::Mutex;
use reqwest::{Client, redirect::Policy, retry};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use tower::util::{MapRequestLayer, MapResponseLayer};

use super::{
    SendError, UpstreamCredential, UpstreamSend,
    connecting::{CONNECT_TIMEOUT, mark_begun, mark_connected},
};
use crate::{
    UpstreamError,
    address_guard::{Guarded, HostLookup},
    tls,
};

/// How long an idle connection may be used. Common servers close theirs after 2 seconds or more.
const IDLE: Duration = Duration::from_millis(1_500);
/// How many idle connections a client keeps.
const IDLE_OF_CLIENT: usize = 8;
/// How many clients keep connections.
const KEEPING_CLIENTS: u64 = 32;
/// How long a client keeps connections. Afterwards a new client looks its host up again.
const LIFETIME: Duration = Duration::from_mins(1);

/// The certificates of an operator's `ca_file`. An upstream that has them trusts only these, and not those of
/// the operating system. Cheap to clone.
#[derive(Clone, Debug)]
pub struct RootCertificates {
    roots: Arc<RootCertStore>,
    digest: Vec<u8>,
}

/// The error for a text that has no certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must hold certificates in PEM, each between BEGIN CERTIFICATE and END CERTIFICATE")]
pub struct NotCertificates;

impl RootCertificates {
    /// Parses the certificates of a PEM file.
    pub fn from_pem(pem: &[u8]) -> Result<Self, NotCertificates> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            roots.add(certificate.map_err(|_| NotCertificates)?).map_err(|_| NotCertificates)?;
        }
        if roots.is_empty() {
            return Err(NotCertificates);
        }
        let digest = digest::digest(&digest::SHA256, pem).as_ref().to_vec();
        Ok(Self { roots: Arc::new(roots), digest })
    }
}

/// Which upstreams are trusted: those with these certificates, by default the operating system's.
#[derive(Clone, Copy)]
struct Trust<'t> {
    roots: Option<&'t RootCertificates>,
    /// Whether addresses may be private.
    everywhere: bool,
}

/// The digest of the trusted certificates, if they are an operator's, and whether addresses may be private.
type TrustKey = (Option<Vec<u8>>, bool);

/// What two requests must have in common to use the same connection.
#[derive(PartialEq, Eq, Hash)]
struct KeepingKey {
    /// The workspace and the name of the upstream.
    upstream: String,
    origin: String,
    credential: Option<[u8; 32]>,
    trust: TrustKey,
}

/// What is made once for each set of trusted certificates and each kind of host.
struct Trusting {
    tls: ClientConfig,
    /// Makes a connection for each request.
    client: Client,
}

/// The clients that were needed until now.
pub struct HttpClients {
    lookup: Arc<dyn HostLookup>,
    /// Only an operator's files add some, so there are few.
    trusting: Mutex<HashMap<TrustKey, Arc<Trusting>>>,
    keeping: Cache<KeepingKey, Client>,
}

impl HttpClients {
    /// Creates the clients that trust the certificates of the operating system.
    pub fn new(lookup: Arc<dyn HostLookup>) -> Result<Self, UpstreamError> {
        let keeping = Cache::builder()
            .max_capacity(KEEPING_CLIENTS)
            .eviction_policy(EvictionPolicy::lru())
            .time_to_live(LIFETIME)
            .build();
        let clients = Self { lookup, trusting: Mutex::default(), keeping };
        for everywhere in [false, true] {
            let made = clients.trusting(Trust { roots: None, everywhere });
            made.map_err(|_| UpstreamError::Settings("no client can be made for upstreams"))?;
        }
        Ok(clients)
    }

    pub fn get(&self, send: &UpstreamSend<'_>, everywhere: bool) -> Result<Client, SendError> {
        let trust = Trust { roots: send.roots, everywhere };
        let trusting = self.trusting(trust)?;
        if send.has_effect {
            return Ok(trusting.client.clone());
        }
        let key = KeepingKey {
            upstream: send.upstream.to_owned(),
            origin: send.url.origin().ascii_serialization(),
            credential: send.credential.as_ref().map(UpstreamCredential::digest),
            trust: trust.key(),
        };
        let made = self.keeping.try_get_with(key, || self.build(trusting.tls.clone(), trust, IDLE_OF_CLIENT));
        made.map_err(|error| (*error).clone())
    }

    fn trusting(&self, trust: Trust<'_>) -> Result<Arc<Trusting>, SendError> {
        let mut all = self.trusting.lock();
        let key = trust.key();
        if let Some(trusting) = all.get(&key) {
            return Ok(trusting.clone());
        }
        let roots = trust.roots.map(|trusted| trusted.roots.clone());
        let tls = tls::client_config(roots).map_err(|_| not_made())?;
        let client = self.build(tls.clone(), trust, 0)?;
        let trusting = Arc::new(Trusting { tls, client });
        all.insert(key, trusting.clone());
        Ok(trusting)
    }

    fn build(&self, tls: ClientConfig, trust: Trust<'_>, idle: usize) -> Result<Client, SendError> {
        let resolver = Guarded { lookup: self.lookup.clone(), everywhere: trust.everywhere };
        let builder = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .referer(false)
            .retry(retry::never())
            .http1_only()
            .tls_backend_preconfigured(tls)
            .pool_max_idle_per_host(idle)
            .pool_idle_timeout(IDLE)
            .connect_timeout(CONNECT_TIMEOUT)
            .connector_layer(MapResponseLayer::new(mark_connected))
            .connector_layer(MapRequestLayer::new(mark_begun))
            .dns_resolver(resolver)
            .user_agent(concat!("toolcrib/", env!("CARGO_PKG_VERSION")));
        builder.build().map_err(|_| not_made())
    }
}

impl Trust<'_> {
    fn key(&self) -> TrustKey {
        (self.roots.map(|roots| roots.digest.clone()), self.everywhere)
    }
}

fn not_made() -> SendError {
    SendError::Request("no HTTP client can be made for it")
}
