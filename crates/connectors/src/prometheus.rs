//! Prometheus and services with its API: reads metrics at one time or over a range.

mod answer;
mod promql;

use futures_util::future::BoxFuture;
use serde::Deserialize;
use toolcrib_model::Ts;

pub use answer::{Series, SeriesResult};
pub use promql::{NotPromql, Scoped};

use crate::{
    Client, Label, UpstreamError,
    client::{Ping, read},
    embedded::DataScope,
};

/// The timeout of a query inside Prometheus. Shorter than the client's timeout, so that Prometheus reports
/// it.
const WORK: &str = "7s";

/// The time of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// One point in time.
    At(Ts),
    /// A range with a point for every step.
    Over {
        /// The first point.
        from: Ts,
        /// The last point is not later than this.
        to: Ts,
        /// The time between two points, in seconds.
        step_seconds: i64,
    },
}

/// Why a query failed.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// Prometheus refused the query or can't compute it, for instance when the sides of an operator don't
    /// match. The text is only for the log.
    #[error("it can't compute the query: {0}")]
    Query(String),
    /// The request failed for another reason.
    #[error(transparent)]
    Upstream(#[from] UpstreamError),
}

#[derive(Clone, Debug)]
pub struct Prometheus {
    client: Client,
    label: Label,
}

impl Prometheus {
    /// `label` is the label of series that contains the workspace's id.
    pub fn new(client: Client, label: Label) -> Self {
        Self { client, label }
    }

    /// Limits a query to the scope. For a workspace, adds its label to every selector.
    pub fn scope(&self, promql: &str, reach: DataScope) -> Result<Scoped, NotPromql> {
        Scoped::new(promql, &self.label, reach)
    }

    pub async fn query(&self, promql: &Scoped, when: When) -> Result<SeriesResult, QueryError> {
        let answer = match when {
            When::At(at) => {
                let form = [("query", promql.as_str()), ("time", &seconds(at)), ("timeout", WORK)];
                self.client.post_form("api/v1/query", &form).await
            }
            When::Over { from, to, step_seconds } => {
                let (from, to, step) = (seconds(from), seconds(to), step_seconds.max(1).to_string());
                let form = [
                    ("query", promql.as_str()),
                    ("start", &from),
                    ("end", &to),
                    ("step", &step),
                    ("timeout", WORK),
                ];
                self.client.post_form("api/v1/query_range", &form).await
            }
        };
        match answer {
            Ok(body) => Ok(SeriesResult::read(&body)?),
            Err(error) => Err(refusal(error)),
        }
    }
}

impl Ping for Prometheus {
    fn answers(&self) -> BoxFuture<'_, Result<(), UpstreamError>> {
        Box::pin(async { self.client.get("api/v1/query", &[("query", "1")]).await.map(drop) })
    }
}

/// Formats a time as Prometheus expects it: seconds since 1970 with three decimals.
fn seconds(at: Ts) -> String {
    let millis = at.as_micros().div_euclid(1_000);
    format!("{}.{:03}", millis.div_euclid(1_000), millis.rem_euclid(1_000))
}

/// Classifies an error response by its `errorType`.
fn refusal(error: UpstreamError) -> QueryError {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Refusal {
        error_type: String,
        error: String,
    }
    let UpstreamError::Status { body, .. } = &error else { return error.into() };
    let Ok(refusal) = read::<Refusal>(body.as_bytes()) else { return error.into() };
    match refusal.error_type.as_str() {
        "bad_data" | "execution" => QueryError::Query(refusal.error),
        "timeout" | "canceled" => UpstreamError::Timeout.into(),
        _ => error.into(),
    }
}
