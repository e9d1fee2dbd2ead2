//! The settings of TLS: which certificates a server must have.

use std::sync::{Arc, LazyLock};

use rustls::{ClientConfig, Error, RootCertStore, crypto::aws_lc_rs::default_provider};
use rustls_platform_verifier::Verifier;

/// The protocol that is agreed on.
const HTTP_1_1: &[u8] = b"http/1.1";

/// The certificates of the operating system. All clients share them, because reading them takes milliseconds.
static SYSTEM: LazyLock<Result<Arc<Verifier>, Error>> =
    LazyLock::new(|| Verifier::new(Arc::new(default_provider())).map(Arc::new));

/// Returns the settings of TLS for connections to servers that have one of these certificates, by default one
/// of the operating system's. A clone is cheap, and resumes the same sessions.
pub fn client_config(roots: Option<Arc<RootCertStore>>) -> Result<ClientConfig, Error> {
    let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?;
    let builder = match roots {
        Some(roots) => builder.with_root_certificates(roots),
        None => builder.dangerous().with_custom_certificate_verifier(SYSTEM.clone()?),
    };
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![HTTP_1_1.to_vec()];
    Ok(config)
}
