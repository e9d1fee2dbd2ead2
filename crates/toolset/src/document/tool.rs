//! A declared tool.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolcrib_model::Role;
use toolcrib_registry::{ConfirmationLevel, Level};

use crate::{
    document::{DeclaredAccess, HttpMapping},
    grammar::{NAME_PATTERN, PIN_PATTERN, UPSTREAM_PATTERN},
};

/// A declared tool. Exactly one of `http`, `mcp` and `client` says who runs it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct DeclaredTool {
    /// Name without the slug. The full name `<slug>__<name>` has at most 64 characters.
    #[schemars(required, regex(pattern = NAME_PATTERN))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the tool does, when to use it and when not.
    #[schemars(required, length(min = 1, max = 1_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What the tool may do to data.
    #[schemars(required)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_level: Option<Level>,
    /// The lowest role that may call the tool. Default: viewer, member or admin for `read`, `write` or
    /// `destructive`.
    #[schemars(extend("x-plain-words" = true))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_role: Option<Role>,
    /// The callers that may call the tool. Required here or in `defaults`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accessible_by: Option<DeclaredAccess>,
    /// The confirmation that a call needs. Default: `typed` if destructive, otherwise `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<ConfirmationLevel>,
    /// Why `simple` is enough for a destructive tool.
    #[schemars(length(min = 1, max = 320))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simple_because: Option<String>,
    /// What a person reads before confirming.
    #[schemars(length(min = 1, max = 320))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Parameters whose values raise the confirmation level.
    #[schemars(length(max = 20))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalations: Option<Vec<DeclaredEscalation>>,
    /// Sentence for people before the call. `{x}` is a parameter.
    #[schemars(length(min = 1, max = 320))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirm_text: Option<String>,
    /// Sentence for people after the call. `{x}` is a parameter, `{/x}` a JSON pointer into the response.
    #[schemars(length(min = 1, max = 320))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_text: Option<String>,
    /// Parameters that a confirmation always shows.
    #[schemars(length(max = 20), inner(length(min = 1, max = 64)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub always_show: Option<Vec<String>>,
    /// JSON Schema of the parameters. Default: no parameters.
    #[schemars(with = "Option<Map<String, Value>>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
    /// JSON Schema of the result.
    #[schemars(with = "Option<Map<String, Value>>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Has a tool of its own in tool lists. Default: `false`; the tool is called through `tools_execute`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promoted: Option<bool>,
    /// Words by which search finds the tool.
    #[schemars(length(max = 20), inner(length(min = 1, max = 40)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// Sentences that a user may write, for search.
    #[schemars(length(max = 20), inner(length(min = 1, max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examples: Option<Vec<String>>,
    /// Whether a successful call by a caller who is no admin notifies the workspace's admins. Default: `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notifies_admins: Option<bool>,
    /// Time limit of a call, in seconds. Default: 10.
    #[schemars(range(min = 1, max = 60))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u32>,
    /// Stores the tool without listing it; nobody can call it. Default: `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<bool>,
    /// We call a REST service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpMapping>,
    /// We call an MCP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp: Option<McpMapping>,
    /// The caller runs the tool and reports its outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientExecution>,
}

/// A tool of an MCP server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct McpMapping {
    /// Name of the upstream.
    #[schemars(required, regex(pattern = UPSTREAM_PATTERN))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    /// Name of the tool at the server.
    #[schemars(required, length(min = 1, max = 128))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Names of parameters at the server, where these differ.
    #[schemars(schema_with = "keys_schema")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<BTreeMap<String, String>>,
    /// Digest of the accepted definition.
    #[schemars(required, regex(pattern = PIN_PATTERN))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<String>,
}

fn keys_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object", "maxProperties": 200,
        "additionalProperties": { "type": "string", "maxLength": 200 }
    })
}

impl McpMapping {
    /// Returns the name of a parameter at the server.
    pub fn key<'k>(&'k self, parameter: &'k str) -> &'k str {
        self.keys.as_ref().and_then(|keys| keys.get(parameter)).map_or(parameter, String::as_str)
    }
}

/// The times of a call that the caller runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct ClientExecution {
    /// Seconds in which the call must be claimed. Default: 120.
    #[schemars(range(min = 10, max = 3_600))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim_seconds: Option<u32>,
    /// Seconds in which a claimed call must end. Default: 600.
    #[schemars(range(min = 1, max = 86_400))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_seconds: Option<u32>,
}

/// A parameter that raises the confirmation level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct DeclaredEscalation {
    /// Name of the parameter.
    #[schemars(required, length(min = 1, max = 64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// When it counts: `"present"`, `"is_true"` or `{ equals = "word" }`.
    #[schemars(required)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<EscalationCondition>,
    /// The lowest confirmation level if it counts.
    #[schemars(required, extend("x-plain-words" = true))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<ConfirmationLevel>,
}

/// A condition on the value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EscalationCondition {
    /// The parameter is given.
    Present,
    /// The parameter is `true`.
    IsTrue,
    /// The parameter equals this word.
    Equals(#[schemars(length(min = 1, max = 200))] String),
}
