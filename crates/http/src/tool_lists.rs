//! Tool lists as they are sent, and responses with an `ETag`: one that the client has already is not sent again.

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use toolcrib_engine::{
    ActionError, CallerTools,
    limits::LimitState,
    lists::{CachedList, ListPlan, ListRequest, ToolList, make_list},
};

use crate::{requests::SchemaFor, response};

const VARY: &str = "Authorization, X-Workspace-Id, X-On-Behalf-Of, X-Caller-Type, X-Mission-Id";

/// Returns the tool list of a caller without serving HTTP. `asked` has the fields of `POST /v1/tools`.
pub fn tool_list(
    tools: &CallerTools<'_>,
    asked: serde_json::Value,
) -> Result<serde_json::Value, ActionError> {
    let asked: ListRequest = SchemaFor::default().read(asked)?;
    let list = make_list(tools, &ListPlan::of(tools, &asked))?;
    serde_json::to_value(list).map_err(|error| ActionError::internal(error.to_string()))
}

/// The body of a response with a list, and its `ETag`.
pub(crate) struct ListBody {
    pub body: Bytes,
    pub tag: HeaderValue,
}

impl ListBody {
    pub fn of(list: ToolList) -> Result<CachedList<Self>, ActionError> {
        let body = serde_json::to_vec(&list).map_err(|error| ActionError::internal(error.to_string()))?;
        Ok(CachedList { bytes: body.len(), list: Self { tag: tag_of(&body), body: body.into() } })
    }
}

/// Returns the `ETag` of a body, with its quotes.
pub(crate) fn tag_of(body: &[u8]) -> HeaderValue {
    let digest = hex::encode(Sha256::digest(body));
    let text = format!("\"{}\"", digest.get(..32).unwrap_or(&digest));
    // Can't fail: quotes and hexadecimal digits.
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// Returns the response with its `ETag` and the headers of the lists' rate limit. 304 without a body if
/// `If-None-Match` names the tag.
pub(crate) fn tagged(
    held: Option<&HeaderMap>,
    tag: &HeaderValue,
    limit: &LimitState,
    whole: impl FnOnce() -> Response,
) -> Response {
    let is_known = held.is_some_and(|headers| names_tag(headers, tag));
    let mut response = if is_known { StatusCode::NOT_MODIFIED.into_response() } else { whole() };
    let headers = response.headers_mut();
    headers.insert(header::ETAG, tag.clone());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(header::VARY, HeaderValue::from_static(VARY));
    response::limits(headers, limit);
    response
}

/// Whether `If-None-Match` names the tag.
fn names_tag(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let values = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|held| held == "*" || held.strip_prefix("W/").unwrap_or(held).as_bytes() == tag.as_bytes())
}
