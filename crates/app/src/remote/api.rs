//! The client of the API.

use std::{path::Path, time::Duration};

use reqwest::{
    Client, Method, RequestBuilder, Response, Url,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
    redirect::Policy,
    retry,
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolcrib_model::{count, visible};

use super::{
    answer::{self, ApiError},
    service_url,
};
use crate::{cli::WorkspaceArgs, failure::Failure, private};

/// The variable with the token.
const VARIABLE: &str = "TOOLCRIB_TOKEN";
const WORKSPACE: HeaderName = HeaderName::from_static("x-workspace-id");
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The time-out of an answer, and of each part of an export.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(1);
/// The items of a page of a list.
const PAGE: usize = 100;
const MAX_PAGES: usize = 100;

pub type Query<'q> = [(&'q str, &'q str)];

/// A client with the token of a person or a key. It follows no redirect and repeats nothing.
pub struct Api {
    client: Client,
    base: Url,
}

impl Api {
    pub fn new(service: &WorkspaceArgs) -> Result<Self, Failure> {
        let base = service_url::parse(service.url.as_deref().unwrap_or_default())?;
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, authorization(service.token_file.as_deref())?);
        if let Some(workspace) = &service.id {
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
        let url = self.url(path)?;
        let request = self.client.get(with_query(&url, query)).timeout(ANSWER_TIMEOUT);
        Ok(answer::json(url.as_str(), send(&url, request).await?).await?)
    }

    /// Sends a write, and reads the fields of its answer. It is not repeated, so it needs no idempotency key.
    pub async fn write<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &[&str],
        body: Option<&Value>,
    ) -> Result<T, ApiError> {
        const UNKNOWN: &str = "whether the change was made is unknown, so look before you repeat it";
        let url = self.url(path)?;
        let mut request = self.client.request(method, url.clone()).timeout(ANSWER_TIMEOUT);
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer =
            async { Ok(answer::fields(&answer::json(url.as_str(), send(&url, request).await?).await?)?) };
        answer.await.map_err(|error| match error {
            ApiError::Failed(failure) => Failure::CouldNotRun(format!("{failure}; {UNKNOWN}")).into(),
            error => error,
        })
    }

    /// Returns the first `max` items of a list, from as many pages as that takes.
    pub async fn list(&self, path: &[&str], query: &Query<'_>, max: usize) -> Result<Vec<Value>, ApiError> {
        let limit = max.min(PAGE).to_string();
        let (mut items, mut cursor) = (Vec::new(), None::<String>);
        for _ in 0..MAX_PAGES {
            let mut query = [query, &[("limit", limit.as_str())]].concat();
            query.extend(cursor.iter().map(|cursor| ("cursor", cursor.as_str())));
            let page = self.get(path, &query).await?;
            items.extend(answer::fields::<Vec<Value>>(&page["items"])?);
            let next: Option<String> = answer::fields(&page["next_cursor"])?;
            if next.is_none() || items.len() >= max {
                items.truncate(max);
                return Ok(items);
            }
            if next == cursor {
                break;
            }
            cursor = next;
        }
        let (path, read) = (path.join("/"), count(items.len(), "item"));
        Err(Failure::CouldNotRun(format!("the list of `{path}` does not end after {read}")).into())
    }

    /// Returns a response that is read in parts, and its address for errors.
    pub async fn stream(&self, path: &[&str], query: &Query<'_>) -> Result<(Response, String), ApiError> {
        let url = self.url(path)?;
        let request = self.client.get(with_query(&url, query));
        Ok((send(&url, request).await?, url.into()))
    }

    /// Returns the address of a path. Each of its segments is encoded, except those that an address can't have.
    fn url(&self, path: &[&str]) -> Result<Url, Failure> {
        if let Some(segment) = path.iter().find(|segment| is_dropped(segment)) {
            return Err(Failure::Usage(format!("`{}` is not a name or an id", visible(segment))));
        }
        let mut url = self.base.clone();
        // Can't fail: the address begins with `https:` or `http:`.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        Ok(url)
    }
}

/// Whether `Url` drops the segment, or characters of it.
fn is_dropped(segment: &str) -> bool {
    matches!(segment, "" | "." | "..") || segment.contains(['\t', '\n', '\r'])
}

fn with_query(url: &Url, query: &Query<'_>) -> Url {
    let mut url = url.clone();
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    url
}

/// Returns the response to a request, which is a success.
async fn send(url: &Url, request: RequestBuilder) -> Result<Response, ApiError> {
    match request.send().await {
        Ok(response) => answer::success(url.as_str(), response).await,
        Err(error) => {
            let kind = if error.is_connect() { ApiError::NotSent } else { ApiError::Failed };
            let why = if error.is_timeout() { "no answer in time".into() } else { answer::cause(error) };
            Err(kind(Failure::CouldNotRun(format!("`{url}` can't be reached: {why}"))))
        }
    }
}

/// Returns the header `Authorization`. Debug output does not contain it.
fn authorization(file: Option<&Path>) -> Result<HeaderValue, Failure> {
    let token = token(file)?;
    let token = token.expose_secret();
    let is_fit = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    let header = HeaderValue::try_from(format!("Bearer {token}")).ok().filter(|_| is_fit);
    let mut header =
        header.ok_or_else(|| Failure::Usage("the token must be visible ASCII without spaces".into()))?;
    header.set_sensitive(true);
    Ok(header)
}

fn token(file: Option<&Path>) -> Result<SecretString, Failure> {
    match (variable(), file) {
        (Some(_), Some(_)) => Err(Failure::Usage(format!(
            "`{VARIABLE}` and `--token-file` (`TOOLCRIB_TOKEN_FILE`) both name a token: leave one out"
        ))),
        (Some(token), None) => Ok(token),
        (None, Some(file)) => private::read_token(file),
        (None, None) => Err(Failure::Usage(format!(
            "no token: set the variable `{VARIABLE}`, or name a file with `--token-file`"
        ))),
    }
}

/// Not from an argument, which every user of the machine can see.
#[expect(clippy::disallowed_methods, reason = "a setting would be a flag too, which `ps` shows")]
fn variable() -> Option<SecretString> {
    std::env::var(VARIABLE).ok().map(SecretString::from)
}
