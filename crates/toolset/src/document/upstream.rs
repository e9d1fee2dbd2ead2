//! The services that tools call, and the kinds of upstreams.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::grammar::UPSTREAM_PATTERN;

toolcrib_model::closed_set! {
    "an upstream kind",
    /// The protocol of an upstream. Tools call the first two kinds; the others have language models.
    UpstreamKind {
        /// A REST service.
        Http = "http",
        /// A server of the Model Context Protocol.
        Mcp = "mcp",
        /// Chat Completions of OpenAI, and services that are compatible with it.
        OpenAi = "openai",
        /// Responses of OpenAI.
        OpenAiResponses = "openai_responses",
        /// Messages of Anthropic.
        Anthropic = "anthropic",
    }
}

impl UpstreamKind {
    /// Returns whether it is a service with language models, which no tool calls.
    pub const fn has_models(self) -> bool {
        matches!(self, Self::OpenAi | Self::OpenAiResponses | Self::Anthropic)
    }
}

/// The kinds that a document may declare.
fn kinds_of_tools(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": [UpstreamKind::Http.as_str(), UpstreamKind::Mcp.as_str()] })
}

/// An address with a credential.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct DeclaredUpstream {
    /// Name by which tools refer to the upstream.
    #[schemars(required, regex(pattern = UPSTREAM_PATTERN))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Protocol of the upstream.
    #[schemars(required, schema_with = "kinds_of_tools")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<UpstreamKind>,
    /// Address that every path starts from. Ends with `/` for `http`.
    #[schemars(required, length(min = 1, max = 2_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// How requests are authenticated. Default: not at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<UpstreamAuth>,
    /// File with the certificates of the authorities that may certify the upstream.
    #[schemars(length(min = 1, max = 1_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<String>,
}

toolcrib_model::closed_set! {
    "an auth kind",
    /// Where the credential of a request stands.
    AuthKind {
        /// Requests have no credential.
        None = "none",
        /// `Authorization: Bearer` with the secret.
        Bearer = "bearer",
        /// The header `name` with the secret.
        Header = "header",
        /// `Authorization: Basic`; the secret is `user:password`.
        Basic = "basic",
    }
}

toolcrib_model::closed_set! {
    "a secret owner",
    /// Whose secret is sent.
    SecretOwner {
        /// One secret for all callers.
        Workspace = "workspace",
        /// The secret of the acting user.
        User = "user",
    }
}

/// How requests to an upstream are authenticated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct UpstreamAuth {
    /// Where the credential stands in a request.
    #[schemars(required)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<AuthKind>,
    /// Name of the header, for the kind `header`.
    #[schemars(length(min = 1, max = 64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whose secret is sent. Default: `workspace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<SecretOwner>,
    /// Environment variable with the secret.
    #[schemars(length(min = 1, max = 128))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    /// File with the secret.
    #[schemars(length(min = 1, max = 1_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}
