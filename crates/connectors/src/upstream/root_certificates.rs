//! The certificates that an upstream must have.

use std::sync::Arc;

use aws_lc_rs::digest;
use rustls::{
    RootCertStore,
    pki_types::{CertificateDer, pem::PemObject as _},
};

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

    pub(super) fn roots(&self) -> &Arc<RootCertStore> {
        &self.roots
    }

    pub(super) fn digest(&self) -> &[u8] {
        &self.digest
    }
}
