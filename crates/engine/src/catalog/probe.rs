//! Tests of upstreams: whether one answers, and if not, what is wrong, in a word.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use toolcrib_connectors::{
    llm::{LlmClient, LlmSettings, ModelFormat, Provider},
    mcp_client::{McpError, McpSession},
    upstream::{Method, SendError, UpstreamSend},
};
use toolcrib_model::ErrorCode;
use toolcrib_toolset::UpstreamKind;

use super::{ExternalCx, mcp_sessions::SessionAddress, upstreams::CatalogUpstream};
use crate::base::ActionError;

/// The time limit of a test, without connecting.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The most of a body that is read, and forgotten.
const MAX_BYTES: usize = 64 * 1024;

toolcrib_model::closed_set! {
    "a problem of a test",
    /// What is wrong with an upstream. Six words, so that a test tells little of what else is at an address.
    ProbeProblem {
        /// The address may not be called.
        Address = "address",
        /// There is no connection: no such host, refused, or not reachable.
        Connection = "connection",
        /// The certificate is not valid for the address.
        Certificate = "certificate",
        /// There was no complete answer within five seconds.
        Timeout = "timeout",
        /// The secret was refused (401, 403).
        Secret = "secret",
        /// The answer is an error of the server, a redirect, or not of the upstream's protocol.
        Answer = "answer",
    }
}

/// What a test found.
#[derive(Clone, Copy, Debug)]
pub struct Probed {
    /// The HTTP status, if there was an answer that has one.
    pub status: Option<u16>,
    pub took: Duration,
    pub problem: Option<ProbeProblem>,
}

impl ExternalCx<'_> {
    /// Asks an upstream whether it answers, with the secret of the caller's calls: `GET` of its address, the list of
    /// its models, or the beginning of a session with its MCP server. 501 without a secret, 429 while too many requests
    /// to it are running.
    pub async fn probe(&self, upstream: &Arc<CatalogUpstream>) -> Result<Probed, ActionError> {
        let mut tx = self.db.read(self.caller.workspace).await?;
        let rules = self.tools.catalog.rules();
        let address = SessionAddress::read(&mut tx, rules, self.caller, upstream).await;
        tx.end().await?;
        let (address, begun) = (address?, Instant::now());
        let asked = match upstream.kind {
            UpstreamKind::Mcp => self.begin_session(&address).await,
            UpstreamKind::Http => self.get(&address).await,
            UpstreamKind::OpenAi => self.list_models(&address, ModelFormat::OpenAi).await,
            UpstreamKind::OpenAiResponses => self.list_models(&address, ModelFormat::OpenAiResponses).await,
            UpstreamKind::Anthropic => self.list_models(&address, ModelFormat::Anthropic).await,
        };
        let took = begun.elapsed();
        let (status, problem) = match asked {
            Ok(status @ (401 | 403)) => (Some(status), Some(ProbeProblem::Secret)),
            Ok(status @ 500..) | Err(SendError::Redirect(status)) => {
                (Some(status), Some(ProbeProblem::Answer))
            }
            Err(SendError::NotModified) => (Some(304), Some(ProbeProblem::Answer)),
            Ok(status) => (Some(status), None),
            Err(SendError::Busy(why)) => return Err(ActionError::new(ErrorCode::RateLimited, why)),
            Err(SendError::AddressRefused(_) | SendError::Request(_)) => (None, Some(ProbeProblem::Address)),
            Err(SendError::NotConnected(_)) => (None, Some(ProbeProblem::Connection)),
            Err(SendError::Certificate) => (None, Some(ProbeProblem::Certificate)),
            Err(SendError::TimedOut) => (None, Some(ProbeProblem::Timeout)),
            Err(SendError::Broken) => (None, Some(ProbeProblem::Answer)),
        };
        Ok(Probed { status, took, problem })
    }

    /// Returns the status. A 404 is an answer too: many services have nothing at their address itself.
    async fn get(&self, address: &SessionAddress) -> Result<u16, SendError> {
        let endpoint = address.endpoint(self.client);
        let sent = self.client.send(UpstreamSend {
            upstream: endpoint.upstream,
            method: Method::GET,
            url: endpoint.url.clone(),
            has_effect: false,
            accept: None,
            headers: &[],
            body: None,
            credential: endpoint.credential,
            roots: endpoint.roots,
            timeout: TIMEOUT,
            max_bytes: MAX_BYTES,
            traceparent: None,
            watch: None,
        });
        sent.await.map(|answer| answer.status)
    }

    /// Asks for the list of models, and returns the status.
    async fn list_models(&self, address: &SessionAddress, format: ModelFormat) -> Result<u16, SendError> {
        let endpoint = address.endpoint(self.client);
        let provider = Provider {
            client: self.client.clone(),
            upstream: endpoint.upstream.to_owned(),
            base_url: endpoint.url.clone(),
            format,
            credential: endpoint.credential,
            roots: endpoint.roots.cloned().map(Arc::new),
            settings: LlmSettings::default(),
        };
        LlmClient::new(provider).probe(TIMEOUT).await
    }

    /// Asks `server/discover`, or `initialize` of a server that does not know it.
    async fn begin_session(&self, address: &SessionAddress) -> Result<u16, SendError> {
        let endpoint = address.endpoint(self.client);
        match McpSession::open(&endpoint, TIMEOUT).await {
            Ok(session) => {
                session.close(&endpoint).await;
                Ok(200)
            }
            Err(McpError::Refused { status: status @ (401 | 403 | 500..), .. }) => Ok(status),
            Err(McpError::Send(error)) => Err(error),
            Err(_) => Err(SendError::Broken),
        }
    }
}
