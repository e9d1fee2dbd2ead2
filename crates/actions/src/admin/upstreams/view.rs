//! Upstreams as admins see them, without their secrets.

use std::collections::BTreeMap;

use toolcrib_engine::{prelude::*, upstreams::CatalogUpstream};
use toolcrib_store::{
    Tx, upstreams,
    upstreams::{SecretStamp, UpstreamRow},
};
use toolcrib_toolset::{AuthKind, SecretOwner, ToolsetSource};

/// How requests are authenticated.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct AuthInput {
    /// Where the credential stands in a request.
    pub kind: AuthKind,
    /// Name of the header, for the kind `header`.
    #[schemars(length(min = 1, max = 64))]
    pub name: Option<String>,
    /// Whose secret is sent. Default: `workspace`.
    pub owner: Option<SecretOwner>,
}

/// How requests are authenticated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct AuthView {
    /// Where the credential stands in a request: `none`, `bearer`, `header` or `basic`.
    pub kind: String,
    /// Name of the header, for the kind `header`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whose secret is sent: `workspace`, one secret for all callers, or `user`, that of the acting user.
    pub owner: String,
}

/// An upstream. Its secrets are never shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UpstreamView {
    /// Name by which tools refer to it. For an upstream of an operator's toolset: `<slug>.<name>`.
    pub name: String,
    /// Protocol: `http` or `mcp`; or the format of a service with language models: `openai`, `openai_responses` or
    /// `anthropic`.
    pub kind: String,
    /// Address that every path starts from.
    pub base_url: String,
    /// How requests are authenticated.
    pub auth: AuthView,
    /// Models that people may choose, of a service with language models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<Vec<String>>,
    /// Tokens that fit into a request to one of the models and its answer, if they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<i64>,
    /// Where the upstream comes from.
    pub source: ToolsetSource,
    /// Version: the value of `ETag` and of `If-Match`. 0 for an upstream of the operator.
    pub version: i64,
    /// Whether there is a secret for all callers.
    pub has_secret: bool,
    /// When that secret was set; null if it is the operator's or there is none.
    pub set_at: Option<Ts>,
    /// User who set that secret.
    pub set_by: Option<Id>,
    /// Number of users who have set a secret of their own.
    pub user_secrets: i64,
    /// When the upstream was last changed; null for an upstream of the operator.
    pub updated_at: Option<Ts>,
    /// User who last changed the upstream.
    pub updated_by: Option<Id>,
}

pub struct SecretFacts {
    stamps: BTreeMap<String, SecretStamp>,
    counts: BTreeMap<String, i64>,
}

impl SecretFacts {
    /// Reads them for all upstreams of the workspace.
    pub async fn read(tx: &mut Tx) -> Result<Self, ActionError> {
        let stamps = upstreams::workspace_secrets(tx).await?;
        let counts = upstreams::user_secret_counts(tx).await?;
        Ok(Self {
            stamps: stamps.into_iter().map(|stamp| (stamp.upstream.clone(), stamp)).collect(),
            counts: counts.into_iter().collect(),
        })
    }
}

impl UpstreamView {
    /// Describes an upstream of the workspace.
    pub fn of(row: UpstreamRow, facts: &SecretFacts) -> Self {
        let stamp = facts.stamps.get(&row.name);
        Self {
            has_secret: stamp.is_some(),
            set_at: stamp.map(|stamp| stamp.set_at),
            set_by: stamp.and_then(|stamp| stamp.set_by),
            user_secrets: facts.counts.get(&row.name).copied().unwrap_or_default(),
            models: row.models.is_some().then(|| row.model_names()),
            context_tokens: row.context_tokens,
            name: row.name,
            kind: row.kind,
            base_url: row.base_url,
            auth: AuthView { kind: row.auth_kind, name: row.auth_name, owner: row.auth_owner },
            source: ToolsetSource::Workspace,
            version: row.version,
            updated_at: Some(row.updated_at),
            updated_by: row.updated_by,
        }
    }

    /// Describes an upstream of an operator's toolset.
    pub fn of_operator(upstream: &CatalogUpstream, facts: &SecretFacts) -> Self {
        let name = upstream.auth_header.clone();
        let (kind, owner) = (upstream.auth.as_str().to_owned(), upstream.owner.as_str().to_owned());
        Self {
            name: upstream.reference.clone(),
            kind: upstream.kind.as_str().to_owned(),
            base_url: upstream.base_url.to_string(),
            auth: AuthView { kind, name, owner },
            models: None,
            context_tokens: None,
            source: ToolsetSource::Operator,
            version: 0,
            has_secret: upstream.operator_secret.is_some(),
            set_at: None,
            set_by: None,
            user_secrets: facts.counts.get(&upstream.reference).copied().unwrap_or_default(),
            updated_at: None,
            updated_by: None,
        }
    }

    /// Reads the upstream of the workspace with this name as it is now.
    pub async fn read(tx: &mut Tx, name: &str) -> Result<Self, ActionError> {
        let row = upstreams::get(tx, name).await?;
        let row = row.ok_or_else(|| ActionError::not_found("upstream", name))?;
        Ok(Self::of(row, &SecretFacts::read(tx).await?))
    }
}

/// Whether the acting user has a secret of an upstream.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OwnSecretView {
    /// Name of the upstream.
    pub name: String,
    /// Whether you have a secret for it now.
    pub has_secret: bool,
    /// Whether you had one before.
    pub replaced: bool,
}
