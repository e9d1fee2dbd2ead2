//! Loki: reads log lines.

mod answer;
mod logql;

use futures_util::future::BoxFuture;
use toolcrib_model::Ts;

use crate::{
    Client, Label, UpstreamError,
    client::Ping,
    embedded::{DataScope, LogLine, LogQuery},
};

#[derive(Clone, Debug)]
pub struct Labels {
    /// The label with the workspace's id.
    pub workspace: Label,
    /// The label with the service that wrote a line.
    pub service: Label,
}

#[derive(Clone, Debug)]
pub struct Loki {
    client: Client,
    labels: Labels,
}

impl Loki {
    pub fn new(client: Client, labels: Labels) -> Self {
        Self { client, labels }
    }

    pub fn logql(&self, query: &LogQuery<'_>) -> String {
        logql::logql(query, &self.labels)
    }

    /// Returns the matching lines up to and including `to`, newest first.
    pub async fn lines(&self, query: &LogQuery<'_>, to: Ts) -> Result<Vec<LogLine>, UpstreamError> {
        let logql = self.logql(query);
        let body = self
            .client
            .get(
                "loki/api/v1/query_range",
                &[
                    ("query", logql.as_str()),
                    ("start", &nanoseconds(query.from)),
                    // Loki excludes the end.
                    ("end", &nanoseconds(Ts::from_micros(to.as_micros().saturating_add(1)))),
                    ("limit", &query.limit.to_string()),
                    ("direction", "backward"),
                ],
            )
            .await?;
        let mut lines = answer::lines(&body, &self.labels)?;
        // Filter again: the response may contain more than the query asks for.
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
