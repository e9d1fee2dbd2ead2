//! How a tool becomes a request of a REST service.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::grammar::UPSTREAM_PATTERN;

/// The method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(inline)]
pub enum HttpMethod {
    /// `GET`.
    Get,
    /// `HEAD`.
    Head,
    /// `POST`.
    Post,
    /// `PUT`.
    Put,
    /// `PATCH`.
    Patch,
    /// `DELETE`.
    Delete,
}

impl HttpMethod {
    /// Returns whether a request with this method may have a body.
    pub const fn has_body(self) -> bool {
        match self {
            Self::Get | Self::Head => false,
            Self::Post | Self::Put | Self::Patch | Self::Delete => true,
        }
    }
}

/// The request of a tool. `{x}` stands for the parameter `x`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct HttpMapping {
    /// Name of the upstream.
    #[schemars(required, regex(pattern = UPSTREAM_PATTERN))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    /// Method of the request.
    #[schemars(required, extend("x-plain-words" = true))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<HttpMethod>,
    /// Path below the upstream's base URL, such as `tickets/{id}`. May be empty.
    #[schemars(required, length(max = 1_000), extend("minLength" = 0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Query of the URL. A list repeats its key.
    #[schemars(schema_with = "query_schema")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<BTreeMap<String, Value>>,
    /// Headers of the request.
    #[schemars(schema_with = "header_schema")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<BTreeMap<String, String>>,
    /// Body of the request, as JSON.
    #[schemars(schema_with = "body_schema")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// Media type of a body of JSON. Default: `application/json`.
    #[schemars(length(min = 1, max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Sends the body as a form instead of JSON. Default: `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<bool>,
    /// Header in which the call's ID is sent, so that the upstream can recognise a repeated request.
    #[schemars(length(min = 1, max = 64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_header: Option<String>,
    /// Which part of the response the caller gets. Default: the whole response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<ResponseMapping>,
    /// The thing that a call changes. It is read before a person is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetMapping>,
}

/// Which part of a response the caller gets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct ResponseMapping {
    /// JSON pointer to the part that is used. Default: the whole response.
    #[schemars(length(min = 1, max = 300))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<String>,
    /// The result if `select` finds nothing, such as an empty list. Default: the call fails.
    #[schemars(schema_with = "default_schema")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// Fields of the result, with JSON pointers from the selected part. Applies to each item of a list. A field
    /// that the response does not have is left out.
    #[schemars(schema_with = "fields_schema")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<BTreeMap<String, String>>,
    /// The most items of a list. Default: 100.
    #[schemars(range(min = 1, max = 1_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u32>,
    /// The most characters of a text. Default: 8192.
    #[schemars(range(min = 1, max = 100_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_text: Option<u32>,
    /// The most bytes of a response that are read. Default: 1048576.
    #[schemars(range(min = 1_024, max = 8_388_608))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u32>,
}

/// The thing that a call changes. A confirmation is bound to its path and version.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct TargetMapping {
    /// Path below the upstream's base URL, read with `GET`.
    #[schemars(required, length(min = 1, max = 1_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Text for people. `{x}` is a parameter, `{/x}` a JSON pointer into the response.
    #[schemars(required, length(min = 1, max = 320))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// JSON pointer to the version in the response.
    #[schemars(length(min = 1, max = 300))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

fn query_schema(_: &mut SchemaGenerator) -> Schema {
    let values = ["string", "integer", "number", "boolean"];
    json_schema!({
        "type": "object", "maxProperties": 50,
        "additionalProperties": { "type": values, "maxLength": 1000 }
    })
}

fn header_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object", "maxProperties": 20,
        "additionalProperties": { "type": "string", "minLength": 1, "maxLength": 1024 }
    })
}

fn default_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "integer", "number", "boolean", "array", "object"] })
}

fn fields_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object", "maxProperties": 100,
        "additionalProperties": { "type": "string", "maxLength": 300 }
    })
}

fn body_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["object", "array", "string"], "maxLength": 8192, "maxItems": 100 })
}
