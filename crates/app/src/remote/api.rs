//! The client of the API.

use std::time::Duration;

use reqwest::{
    Client, Method, Response, Url,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
    redirect::Policy,
    retry,
};
use serde_json::Value;

use super::{
    answer::{self, ApiError},
    service_url, token,
};
use crate::{cli::PlaceArgs, failure::Failure};

const WORKSPACE: HeaderName = HeaderName::from_static("x-workspace-id");
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The time-out of an answer, and of each part of an export.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(1);
/// The items of a page of a list.
const PAGE: &str = "100";

/// Parameters of a query.
pub type Query<'q> = [(&'q str, &'q str)];

/// A client with the token of a person or a key. It follows no redirect and repeats nothing.
pub struct Api {
    client: Client,
    base: Url,
}

impl Api {
    pub fn new(service: &PlaceArgs) -> Result<Self, Failure> {
        let base = service_url::parse(service.url.as_deref().unwrap_or_default())?;
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, token::authorization(service.token_file.as_deref())?);
        if let Some(workspace) = &service.workspace {
            let wrong = |_| Failure::Usage("`--workspace`: must be visible ASCII".into());
            headers.insert(WORKSPACE, HeaderValue::from_str(workspace).map_err(wrong)?);
        }
        let client = Client::builder()
            .default_headers(headers)
            .redirect(Policy::none())
            .retry(retry::never())
            .no_proxy()
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(ANSWER_TIMEOUT)
            .user_agent(concat!("toolcrib/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| Failure::could_not("no HTTP client can be made", error))?;
        Ok(Self { client, base })
    }

    pub async fn get(&self, path: &[&str], query: &Query<'_>) -> Result<Value, ApiError> {
        let url = self.url(path);
        let request = self.client.get(with_query(&url, query)).timeout(ANSWER_TIMEOUT);
        let response = request.send().await.map_err(|error| unanswered(&url, error, ""))?;
        answer::json(url.as_str(), response).await
    }

    /// Sends a write. It is not repeated, so it needs no idempotency key.
    pub async fn write(
        &self,
        method: Method,
        path: &[&str],
        body: Option<&Value>,
    ) -> Result<Value, ApiError> {
        const UNKNOWN: &str = "; whether the change was made is unknown, so look before you repeat it";
        let url = self.url(path);
        let mut request = self.client.request(method, url.clone()).timeout(ANSWER_TIMEOUT);
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await.map_err(|error| unanswered(&url, error, UNKNOWN))?;
        answer::json(url.as_str(), response).await
    }

    /// Returns the first `max` items of a list, from as many pages as that takes.
    pub async fn list(&self, path: &[&str], query: &Query<'_>, max: usize) -> Result<Vec<Value>, ApiError> {
        let (mut items, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let mut query = [query, &[("limit", PAGE)]].concat();
            query.extend(cursor.iter().map(|cursor| ("cursor", cursor.as_str())));
            let page = self.get(path, &query).await?;
            items.extend(answer::fields::<Vec<Value>>(&page["items"])?);
            cursor = answer::fields(&page["next_cursor"])?;
            if cursor.is_none() || items.len() >= max {
                items.truncate(max);
                return Ok(items);
            }
        }
    }

    /// Returns a response that is read in parts, and its address for errors.
    pub async fn stream(&self, path: &[&str], query: &Query<'_>) -> Result<(Response, String), ApiError> {
        let url = self.url(path);
        let request = self.client.get(with_query(&url, query));
        let response = request.send().await.map_err(|error| unanswered(&url, error, ""))?;
        Ok((answer::success(url.as_str(), response).await?, url.into()))
    }

    /// Returns the address of a path. Each of its segments is encoded.
    fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        // Can't fail: the address begins with `https:` or `http:`.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }
}

fn with_query(url: &Url, query: &Query<'_>) -> Url {
    let mut url = url.clone();
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    url
}

/// The failure of a request without an answer. `unknown` is about one that was sent.
fn unanswered(url: &Url, error: reqwest::Error, unknown: &str) -> ApiError {
    let unknown = if error.is_connect() { "" } else { unknown };
    let why =
        if error.is_timeout() { "no answer in time".into() } else { answer::cause(&error.without_url()) };
    Failure::CouldNotRun(format!("`{url}` can't be reached: {why}{unknown}")).into()
}
