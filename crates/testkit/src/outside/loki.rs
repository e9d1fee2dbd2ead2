//! A simple Loki, which stores lines in memory and answers `query_range` as Loki does.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Router,
    extract::{Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
    routing::get,
};
use parking_lot::Mutex;
use serde_json::json;
use toolcrib_model::Ts;

use super::{logql::LogQl, serve};

type Labels = BTreeMap<String, String>;

#[derive(Default)]
struct LokiState {
    /// The time in nanoseconds, the labels and the line.
    lines: Vec<(i128, Labels, String)>,
    queries: Vec<LogQl>,
    ignores_selectors: bool,
}

#[derive(Clone)]
pub struct Loki {
    /// The base URL.
    pub url: String,
    state: Arc<Mutex<LokiState>>,
}

impl Loki {
    /// The bearer token that requests must have.
    pub const TOKEN: &'static str = "token-of-loki";

    /// Starts a server without lines.
    pub async fn start() -> Self {
        let state = Arc::new(Mutex::new(LokiState::default()));
        let app = Router::new()
            .route("/loki/api/v1/query_range", get(query_range))
            .route(
                "/loki/api/v1/status/buildinfo",
                get(|| async { axum::Json(json!({ "version": "3.0.0" })) }),
            )
            .with_state(state.clone());
        Self { url: serve(app).await, state }
    }

    /// Adds a line to the stream with these labels.
    pub fn push(&self, at: Ts, labels: &[(&str, &str)], line: &str) {
        let labels = labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        self.state.lock().lines.push((i128::from(at.as_micros()) * 1_000, labels, line.to_owned()));
    }

    /// Makes the server return all lines, whatever the selector of a query.
    pub fn ignore_selectors(&self) {
        self.state.lock().ignores_selectors = true;
    }

    /// Returns the queries that were received, as parsed.
    pub fn queries(&self) -> Vec<LogQl> {
        self.state.lock().queries.clone()
    }
}

async fn query_range(
    State(state): State<Arc<Mutex<LokiState>>>,
    headers: HeaderMap,
    Query(given): Query<BTreeMap<String, String>>,
) -> Response {
    let wrong = |status: StatusCode, why: String| (status, why).into_response();
    if headers.get("authorization").is_none_or(|value| value != &format!("Bearer {}", Loki::TOKEN)) {
        return wrong(StatusCode::UNAUTHORIZED, "no org id".to_owned());
    }
    let number = |name: &str| given.get(name).and_then(|text| text.parse::<i128>().ok());
    let (Some(start), Some(end), Some(limit)) = (number("start"), number("end"), number("limit")) else {
        return wrong(StatusCode::BAD_REQUEST, "start, end and limit must be numbers".to_owned());
    };
    if given.get("direction").is_none_or(|direction| direction != "backward") {
        return wrong(StatusCode::BAD_REQUEST, "this one only looks backward".to_owned());
    }
    let query = match LogQl::read(given.get("query").map_or("", String::as_str)) {
        Ok(query) => query,
        Err(why) => return wrong(StatusCode::BAD_REQUEST, format!("parse error: {why}")),
    };
    let mut state = state.lock();
    state.queries.push(query.clone());
    let mut found: Vec<_> = state
        .lines
        .iter()
        .filter(|(at, labels, line)| {
            (start..end).contains(at) && (state.ignores_selectors || query.finds(labels, line))
        })
        .collect();
    found.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
    found.truncate(usize::try_from(limit).unwrap_or_default());
    let mut streams: BTreeMap<&Labels, Vec<[String; 2]>> = BTreeMap::new();
    for (at, labels, line) in found {
        streams.entry(labels).or_default().push([at.to_string(), line.clone()]);
    }
    let result: Vec<_> =
        streams.into_iter().map(|(labels, values)| json!({ "stream": labels, "values": values })).collect();
    axum::Json(
        json!({ "status": "success", "data": { "resultType": "streams", "result": result, "stats": {} } }),
    )
    .into_response()
}
