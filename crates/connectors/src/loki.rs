//! Loki: log lines.

mod answer;
mod logql;

use futures_util::future::BoxFuture;
use secrecy::SecretString;
use toolcrib_model::Ts;

pub use logql::LogQl;

use crate::{
    Client, Label, RequestLimits, UpstreamError,
    embedded::{DataScope, LogLine, LogQuery},
    ping::Ping,
};

/// The labels that a Loki is read by.
#[derive(Clone, Debug)]
pub struct Labels {
    /// Tells workspaces apart.
    pub workspace: Label,
    /// Names the service that wrote a line.
    pub service: Label,
}

/// One Loki.
#[derive(Clone, Debug)]
pub struct Loki {
    client: Client,
    labels: Labels,
}

impl Loki {
    /// At the operator's base URL.
    pub fn new(url: &str, token: Option<SecretString>, labels: Labels) -> Result<Self, UpstreamError> {
        Ok(Self { client: Client::new(url, token, RequestLimits::USUAL)?, labels })
    }

    /// The same through the operator's HTTP proxy.
    pub fn through(self, proxy: &str) -> Result<Self, UpstreamError> {
        Ok(Self { client: self.client.through(proxy)?, ..self })
    }

    /// The query that is sent for a question.
    pub fn logql(&self, query: &LogQuery<'_>) -> LogQl {
        LogQl::new(query, &self.labels)
    }

    /// The lines that match, up to `to`, newest first.
    pub async fn lines(&self, query: &LogQuery<'_>, to: Ts) -> Result<Vec<LogLine>, UpstreamError> {
        let logql = self.logql(query);
        let body = self
            .client
            .get(
                "loki/api/v1/query_range",
                &[
                    ("query", logql.as_str()),
                    ("start", &nanoseconds(query.from)),
                    // The end itself is not asked for.
                    ("end", &nanoseconds(Ts::from_micros(to.as_micros().saturating_add(1)))),
                    ("limit", &query.limit.to_string()),
                    ("direction", "backward"),
                ],
            )
            .await?;
        let mut lines = answer::lines(&body, &self.labels)?;
        // What was asked for was limited; what came back is looked at all the same.
        lines.retain(|line| query.reach == DataScope::Platform || query.reach.holds(line.workspace));
        lines.sort_by_key(|line| std::cmp::Reverse(line.at));
        lines.truncate(query.limit);
        Ok(lines)
    }
}

impl Ping for Loki {
    fn answers(&self) -> BoxFuture<'_, Result<(), UpstreamError>> {
        Box::pin(async { self.client.get("loki/api/v1/status/buildinfo", &[]).await.map(drop) })
    }
}

fn nanoseconds(at: Ts) -> String {
    at.as_micros().saturating_mul(1_000).to_string()
}
