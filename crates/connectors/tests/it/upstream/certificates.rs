//! Certificates, with a TLS server of OpenSSL (`scripts/test` installs the package `openssl`).

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use tempfile::TempDir;
use tokio::net::TcpStream;
use toolcrib_connectors::upstream::{
    Method, NotCertificates, RootCertificates, SendError, UpstreamClient, UpstreamSend,
};
use toolcrib_testkit::eventually;

use super::{Names, post, settings};

/// A running TLS server with a certificate for `upstream.internal`, which its own authority signed.
struct TlsServer {
    child: Child,
    port: u16,
    folder: TempDir,
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn openssl(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new("openssl");
    command.args(arguments.split(' ')).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

impl TlsServer {
    async fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
        for arguments in [
            format!("req -x509 {key} -keyout ca.key -out ca.pem -subj /CN=authority -days 2"),
            format!(
                "req -x509 {key} -keyout leaf.key -out leaf.pem -subj /CN=leaf -days 2 -CA ca.pem \
                 -CAkey ca.key -addext subjectAltName=DNS:upstream.internal \
                 -addext basicConstraints=critical,CA:FALSE"
            ),
        ] {
            assert!(openssl(folder.path(), &arguments).status().unwrap().success(), "{arguments}");
        }
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let arguments = format!("s_server -accept 127.0.0.1:{port} -cert leaf.pem -key leaf.key -www");
        let child = openssl(folder.path(), &arguments).stdin(Stdio::null()).spawn().unwrap();
        let server = Self { child, port, folder };
        eventually("the server listens", async || TcpStream::connect(("127.0.0.1", port)).await.is_ok())
            .await;
        server
    }

    fn roots(&self) -> RootCertificates {
        RootCertificates::from_pem(&fs::read(self.folder.path().join("ca.pem")).unwrap()).unwrap()
    }
}

#[tokio::test]
async fn certificates_are_checked_against_the_trusted_ones_and_the_host() {
    let server = TlsServer::start().await;
    let names = Names::new(|_| vec!["127.0.0.1"]);
    let client =
        UpstreamClient::with_lookup(settings(&["upstream.internal", "other.internal"], &[]), names).unwrap();
    let roots = server.roots();
    let send = |host: &str, roots| {
        let url = format!("https://{host}:{}/", server.port);
        // The server answers nothing but GET.
        let get = UpstreamSend { method: Method::GET, body: None, ..post(&url) };
        client.send(UpstreamSend { roots, timeout: Duration::from_secs(10), ..get })
    };
    for (host, roots) in [("upstream.internal", None), ("other.internal", Some(&roots))] {
        let error = send(host, roots).await.unwrap_err();
        assert_eq!(error, SendError::Certificate, "{host}");
        assert!(!error.is_unknown());
    }
    // The operator's certificates are trusted where they are named, and only there.
    for _ in 0..2 {
        assert_eq!(send("upstream.internal", Some(&roots)).await.unwrap().status, 200);
        assert_eq!(send("upstream.internal", None).await, Err(SendError::Certificate));
    }
}

#[tokio::test]
async fn a_server_without_tls_is_no_connection() {
    let server = super::server::Server::start(super::server::Script::CloseAtOnce).await;
    let url = server.url.replace("http:", "https:");
    let error = super::client().send(post(&url)).await.unwrap_err();
    assert!(matches!(error, SendError::NotConnected(_)) && !error.is_unknown(), "{error:?}");
}

#[test]
fn only_pem_certificates_are_roots() {
    for text in [
        "",
        "no certificate",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n",
    ] {
        assert_eq!(RootCertificates::from_pem(text.as_bytes()).unwrap_err(), NotCertificates, "{text}");
    }
}
