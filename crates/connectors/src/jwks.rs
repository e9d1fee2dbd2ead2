//! Fetches an issuer's public keys (JWKS). Limits time and size, because the response is untrusted.

use std::time::Duration;

use crate::{
    UpstreamError,
    client::{Client, RequestLimits},
};

/// The maximum size of a key set, in bytes.
const MAX_BYTES: usize = 256 * 1024;
/// The timeout of the whole request.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Why a key set can't be fetched. For the log.
#[derive(Debug, thiserror::Error)]
pub enum JwksError {
    /// The URL is not valid, or the client can't be created.
    #[error("the JWKS URL can't be used: {0}")]
    Url(String),
    /// The connection failed, timed out or was closed.
    #[error("the issuer can't be reached: {0}")]
    Unreachable(String),
    /// The response has another status than success. Redirects are not followed.
    #[error("the issuer answered with status {0}")]
    Status(u16),
    /// The response is larger than 256 KiB.
    #[error("the issuer's answer is too large")]
    TooLarge,
}

impl From<UpstreamError> for JwksError {
    fn from(error: UpstreamError) -> Self {
        match error {
            UpstreamError::Settings(why) => Self::Url(why.to_owned()),
            UpstreamError::Status { status, .. } => Self::Status(status),
            UpstreamError::TooLarge(_) => Self::TooLarge,
            UpstreamError::Unreachable(why) => Self::Unreachable(why),
            other => Self::Unreachable(other.to_string()),
        }
    }
}

/// A client for one JWKS URL.
#[derive(Clone, Debug)]
pub struct JwksClient {
    client: Client,
}

impl JwksClient {
    /// Creates a client for the operator's JWKS URL, `https:` or `http:`.
    pub fn new(url: &str) -> Result<Self, JwksError> {
        let client = Client::new(url, None, RequestLimits { timeout: TIMEOUT, bytes: MAX_BYTES })?;
        Ok(Self { client })
    }

    /// Sends requests through the operator's HTTP proxy.
    pub fn with_proxy(self, proxy: &str) -> Result<Self, JwksError> {
        Ok(Self { client: self.client.with_proxy(proxy)? })
    }

    /// Fetches the key set. Returns the body of a successful response.
    pub async fn fetch(&self) -> Result<Vec<u8>, JwksError> {
        Ok(self.client.get("", &[]).await?)
    }
}

#[cfg(test)]
mod tests {
    use axum::{Router, http::StatusCode, response::Redirect, routing::get};

    use super::*;

    async fn serve() -> String {
        let app = Router::new()
            .route("/good", get(|| async { r#"{"keys":[]}"# }))
            .route("/moved", get(|| async { Redirect::temporary("/good") }))
            .route("/broken", get(|| async { StatusCode::INTERNAL_SERVER_ERROR }))
            .route("/full", get(|| async { "x".repeat(MAX_BYTES) }))
            .route("/large", get(|| async { "x".repeat(MAX_BYTES + 1) }))
            .route("/hang", get(std::future::pending::<()>));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, app).await });
        base
    }

    #[tokio::test]
    async fn reads_a_good_answer_and_refuses_every_other() {
        let base = serve().await;
        let fetch = async |path: &str| JwksClient::new(&format!("{base}{path}")).unwrap().fetch().await;
        assert_eq!(fetch("/good").await.unwrap(), br#"{"keys":[]}"#);
        assert_eq!(fetch("/full").await.unwrap().len(), MAX_BYTES);
        assert!(matches!(fetch("/moved").await, Err(JwksError::Status(307))));
        assert!(matches!(fetch("/broken").await, Err(JwksError::Status(500))));
        assert!(matches!(fetch("/large").await, Err(JwksError::TooLarge)));
        let begun = tokio::time::Instant::now();
        assert!(matches!(fetch("/hang").await, Err(JwksError::Unreachable(_))));
        assert!(begun.elapsed() < TIMEOUT * 2);
    }

    #[test]
    fn only_web_addresses_are_taken() {
        assert!(JwksClient::new("https://issuer.test/keys").is_ok());
        for bad in ["file:///etc/passwd", "issuer.test", ""] {
            assert!(matches!(JwksClient::new(bad), Err(JwksError::Url(_))), "{bad}");
        }
    }
}
