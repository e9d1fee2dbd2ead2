//! Tool lists as they are sent.

use axum::http::HeaderValue;
use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use toolcrib_engine::{
    ActionError, CallerTools,
    lists::{CachedList, ListPlan, ListRequest, ToolList, make_list},
};

use crate::schema_for::SchemaFor;

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
