//! Upstreams with language models: what is needed to ask one, and which models a caller may choose.

use std::{collections::BTreeSet, sync::Arc};

use toolcrib_access::Caller;
use toolcrib_connectors::{
    llm::{LlmClient, LlmSettings, ModelFormat, Provider},
    upstream::{RootCertificates, UpstreamClient, UpstreamCredential},
};
use toolcrib_model::ErrorCode;
use toolcrib_store::{Tx, upstreams, upstreams::UpstreamRow};
use toolcrib_toolset::{AuthKind, SecretOwner, UpstreamKind};
use url::Url;

use super::{
    ExternalCx, OperatorRules,
    upstreams::{CatalogUpstream, opened_secret},
};
use crate::base::ActionError;

/// An upstream with language models, with the credential of one caller's requests.
#[derive(Clone, Debug)]
pub struct ModelUpstream {
    pub name: String,
    /// Address that the paths of the format are appended to.
    pub base_url: Url,
    pub format: ModelFormat,
    /// Models that people may choose, by the service's names.
    pub models: Vec<String>,
    /// Tokens that fit into a request and its answer; `None` if they are not known.
    pub context_tokens: Option<u32>,
    /// `None` for an upstream that is asked without one.
    pub credential: Option<UpstreamCredential>,
    /// Certificates of the authorities that may certify it, the system's if absent.
    pub roots: Option<Arc<RootCertificates>>,
    /// Another text after every `PUT` of the secret, also of the same one; says nothing of the secret. `None` without
    /// one.
    pub secret_version: Option<String>,
    /// Key of the limit of requests that are open at once.
    pub limit_key: String,
}

/// An upstream whose models a caller may choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelChoice {
    pub name: String,
    pub format: ModelFormat,
    /// Models by the service's names.
    pub models: Vec<String>,
    /// Tokens that fit into a request and its answer; `None` if they are not known.
    pub context_tokens: Option<u32>,
    /// Whether the secret of the caller's requests is set, or none is needed. If not, [`find`] is 501 and says who sets
    /// it.
    pub is_ready: bool,
}

impl ModelUpstream {
    /// Returns where its models are asked.
    pub fn provider(&self, client: UpstreamClient, settings: LlmSettings) -> Provider {
        Provider {
            client,
            upstream: self.limit_key.clone(),
            base_url: self.base_url.clone(),
            format: self.format,
            credential: self.credential.clone(),
            roots: self.roots.clone(),
            settings,
        }
    }
}

impl ExternalCx<'_> {
    /// Asks the workspace's upstream with this name for its models. Returns their names in its order. 404 and 501 as
    /// [`find`]; 502 `upstream_error` if the service does not list them.
    pub async fn models(&self, name: &str) -> Result<(ModelUpstream, Vec<String>), ActionError> {
        let mut tx = self.db.read(self.caller.workspace).await?;
        let found = find(&mut tx, self.tools.catalog.rules(), self.caller, name).await;
        tx.end().await?;
        let upstream = found?;
        let llm = LlmClient::new(upstream.provider(self.client.clone(), LlmSettings::default()));
        match llm.models().await {
            Ok(models) => Ok((upstream, models)),
            Err(error) => Err(ActionError::new(
                ErrorCode::UpstreamError,
                format!("`{name}` does not list its models: {error}"),
            )),
        }
    }
}

/// Returns the format of an upstream's models; `None` for a kind without models.
pub fn format_of(kind: UpstreamKind) -> Option<ModelFormat> {
    match kind {
        UpstreamKind::OpenAi => Some(ModelFormat::OpenAi),
        UpstreamKind::OpenAiResponses => Some(ModelFormat::OpenAiResponses),
        UpstreamKind::Anthropic => Some(ModelFormat::Anthropic),
        UpstreamKind::Http | UpstreamKind::Mcp => None,
    }
}

/// Returns the workspace's upstream with this name, to ask its models for the caller. 404 if there is no upstream with
/// models of this name; 501 `connector_not_configured` without a usable secret, or if the operator forbids workspaces
/// upstreams of their own.
pub async fn find(
    tx: &mut Tx,
    rules: &OperatorRules,
    caller: &Caller,
    name: &str,
) -> Result<ModelUpstream, ActionError> {
    let row = upstreams::get(tx, name).await?;
    // Whether there is a secret is known when it is opened.
    let found = row.as_ref().and_then(|row| Some((row, CatalogUpstream::of_row(row, false)?)));
    let found = found.and_then(|(row, upstream)| Some((row, format_of(upstream.kind)?, upstream)));
    let (row, format, upstream) =
        found.ok_or_else(|| ActionError::not_found("upstream with models", name))?;
    let (secret, secret_version) = match opened_secret(tx, rules, caller, &upstream).await? {
        Some(opened) => (Some(opened.secret), opened.version),
        None => (None, None),
    };
    Ok(ModelUpstream {
        format,
        models: row.model_names(),
        context_tokens: tokens(row),
        credential: upstream.credential(secret),
        secret_version,
        limit_key: upstream.limit_key(caller.workspace),
        name: upstream.name,
        base_url: upstream.base_url,
        roots: upstream.roots.map(Arc::new),
    })
}

/// Returns the upstreams with models of the caller's workspace, by name; none if the operator forbids workspaces
/// upstreams of their own. Opens no secret.
pub async fn list(
    tx: &mut Tx,
    rules: &OperatorRules,
    caller: &Caller,
) -> Result<Vec<ModelChoice>, ActionError> {
    if !rules.workspace_upstreams {
        return Ok(Vec::new());
    }
    let rows = upstreams::list(tx).await?;
    let with_models: Vec<(UpstreamRow, ModelFormat, CatalogUpstream)> = rows
        .into_iter()
        .filter_map(|row| {
            let upstream = CatalogUpstream::of_row(&row, false)?;
            Some((row, format_of(upstream.kind)?, upstream))
        })
        .collect();
    if with_models.is_empty() {
        return Ok(Vec::new());
    }
    let stamps = upstreams::workspace_secrets(tx).await?;
    let of_workspace: BTreeSet<String> = stamps.into_iter().map(|stamp| stamp.upstream).collect();
    let of_user: BTreeSet<String> = match caller.principal.user() {
        Some(user) => upstreams::with_secret_of(tx, user).await?.into_iter().collect(),
        None => BTreeSet::new(),
    };
    let choices = with_models.into_iter().map(|(row, format, upstream)| {
        let is_ready = match (upstream.auth, upstream.owner) {
            (AuthKind::None, _) => true,
            (_, SecretOwner::Workspace) => of_workspace.contains(&row.name),
            (_, SecretOwner::User) => of_user.contains(&row.name),
        };
        let (models, context_tokens) = (row.model_names(), tokens(&row));
        ModelChoice { name: row.name, format, models, context_tokens, is_ready }
    });
    Ok(choices.collect())
}

fn tokens(row: &UpstreamRow) -> Option<u32> {
    row.context_tokens.and_then(|tokens| u32::try_from(tokens).ok())
}
