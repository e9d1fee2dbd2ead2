//! Prometheus, or what speaks its API: metrics, now and over time.

mod answer;
mod promql;

use futures_util::future::BoxFuture;
use secrecy::SecretString;
use serde::Deserialize;
use toolcrib_model::Ts;

pub use answer::{Series, SeriesResult};
pub use promql::{NotPromql, Scoped};

use crate::{Client, Label, RequestLimits, UpstreamError, client::read, embedded::DataScope, ping::Ping};

/// How long Prometheus itself may work on a query: less than its answer may take.
const WORK: &str = "7s";

/// The time that is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// One moment.
    At(Ts),
    /// A point for every step.
    Over {
        /// The first point.
        from: Ts,
        /// Not later than this.
        to: Ts,
        /// Between two points.
        step_seconds: i64,
    },
}

/// Why there are no series.
#[derive(Debug, thiserror::Error)]
pub enum QueryFault {
    /// Prometheus understood the query and can't compute it, as when two sides of an operator don't match. The text is
    /// for the log alone.
    #[error("it can't compute the query: {0}")]
    Query(String),
    /// Prometheus did not do its part.
    #[error(transparent)]
    Upstream(#[from] UpstreamError),
}

/// One Prometheus.
#[derive(Clone, Debug)]
pub struct Prometheus {
    client: Client,
    label: Label,
}

impl Prometheus {
    /// At the operator's base URL; `label` tells workspaces apart in its series.
    pub fn new(url: &str, token: Option<SecretString>, label: Label) -> Result<Self, UpstreamError> {
        Ok(Self { client: Client::new(url, token, RequestLimits::USUAL)?, label })
    }

    /// The same through the operator's HTTP proxy.
    pub fn through(self, proxy: &str) -> Result<Self, UpstreamError> {
        Ok(Self { client: self.client.through(proxy)?, ..self })
    }

    /// The query as it may be asked for this reach: for a workspace with its label in every selector.
    pub fn scope(&self, promql: &str, reach: DataScope) -> Result<Scoped, NotPromql> {
        Scoped::new(promql, &self.label, reach)
    }

    /// What a query gives.
    pub async fn query(&self, promql: &Scoped, when: When) -> Result<SeriesResult, QueryFault> {
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
            Err(fault) => Err(refusal(fault)),
        }
    }
}

impl Ping for Prometheus {
    fn answers(&self) -> BoxFuture<'_, Result<(), UpstreamError>> {
        Box::pin(async { self.client.get("api/v1/query", &[("query", "1")]).await.map(drop) })
    }
}

/// Seconds since 1970 with milliseconds, as Prometheus takes them.
fn seconds(at: Ts) -> String {
    let millis = at.as_micros().div_euclid(1_000);
    format!("{}.{:03}", millis.div_euclid(1_000), millis.rem_euclid(1_000))
}

/// Prometheus says in one word whose fault it was.
fn refusal(fault: UpstreamError) -> QueryFault {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Refusal {
        error_type: String,
        error: String,
    }
    let UpstreamError::Status { body, .. } = &fault else { return fault.into() };
    let Ok(refusal) = read::<Refusal>(body.as_bytes()) else { return fault.into() };
    match refusal.error_type.as_str() {
        "bad_data" | "execution" => QueryFault::Query(refusal.error),
        "timeout" | "canceled" => UpstreamError::Timeout.into(),
        _ => fault.into(),
    }
}
