//! The certificates that an upstream must have.

use std::sync::Arc;

use aws_lc_rs::digest;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::aws_lc_rs::default_provider,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// The protocol that is agreed on.
const HTTP_1_1: &[u8] = b"http/1.1";

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

    /// Returns the digest of the file.
    pub(super) fn digest(&self) -> &[u8] {
        &self.digest
    }
}

/// Returns the settings of TLS for connections to upstreams that have one of these certificates, by default one
/// of the operating system's. Reading those takes milliseconds; a clone is cheap, and resumes the same sessions.
pub fn client_config(roots: Option<&RootCertificates>) -> Result<ClientConfig, rustls::Error> {
    let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?;
    let builder = match roots {
        Some(trusted) => builder.with_root_certificates(trusted.roots.clone()),
        None => builder.with_platform_verifier()?,
    };
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![HTTP_1_1.to_vec()];
    Ok(config)
}
