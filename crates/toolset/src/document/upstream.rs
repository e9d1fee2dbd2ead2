//! The services that tools call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::grammar::UPSTREAM_PATTERN;

/// The protocol of an upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum UpstreamKind {
    /// A REST service.
    Http,
    /// A server of the Model Context Protocol.
    Mcp,
}

impl UpstreamKind {
    /// Returns the word in the document.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Mcp => "mcp",
        }
    }

    /// Returns the kind with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Http, Self::Mcp].into_iter().find(|kind| kind.as_str() == word)
    }
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
    #[schemars(required, extend("x-plain-words" = true))]
    #[serde(skip_serializing_if = "Option::is_none")]
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

/// Where the credential of a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum AuthKind {
    /// Requests have no credential.
    None,
    /// `Authorization: Bearer` with the secret.
    Bearer,
    /// The header `name` with the secret.
    Header,
    /// `Authorization: Basic`; the secret is `user:password`.
    Basic,
}

impl AuthKind {
    /// Returns the word in the document.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Bearer => "bearer",
            Self::Header => "header",
            Self::Basic => "basic",
        }
    }

    /// Returns the kind with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        let kinds = [Self::None, Self::Bearer, Self::Header, Self::Basic];
        kinds.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// Whose secret is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SecretOwner {
    /// One secret for all callers.
    Workspace,
    /// The secret of the acting user.
    User,
}

impl SecretOwner {
    /// Returns the word in the document.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Workspace => "workspace",
            Self::User => "user",
        }
    }

    /// Returns the owner with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Workspace, Self::User].into_iter().find(|owner| owner.as_str() == word)
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
