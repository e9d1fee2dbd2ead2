//! Upstreams: the services that declared tools call, as a workspace sees them.

mod secrets;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use secrecy::SecretString;
pub(super) use secrets::opened_secret;
pub use secrets::upstream_secret;
use toolcrib_connectors::upstream::{RootCertificates, UpstreamCredential};
use toolcrib_model::Id;
use toolcrib_store::{Tx, upstream_tools, upstreams, upstreams::UpstreamRow};
use toolcrib_toolset::{
    AuthKind, DeclaredUpstream, KnownUpstream, SecretOwner, ToolExecutor, ToolsetSource, UpstreamKind,
};
use url::Url;

use super::{OperatorRules, UpstreamPins};
use crate::base::ActionError;

/// An upstream as calls use it.
#[derive(Clone, Debug)]
pub struct CatalogUpstream {
    /// The name by which tools refer to it.
    pub name: String,
    /// The name in requests and in rows of secrets: the name, or `<slug>.<name>` for an upstream that an
    /// operator's toolset declares.
    pub reference: String,
    /// Its protocol.
    pub kind: UpstreamKind,
    /// The address that every path starts from.
    pub base_url: Url,
    /// How requests are authenticated.
    pub auth: AuthKind,
    /// The name of the header, for [`AuthKind::Header`].
    pub auth_header: Option<String>,
    /// Whose secret is sent.
    pub owner: SecretOwner,
    /// Who declared it.
    pub source: ToolsetSource,
    /// The operator's secret, read at the start.
    pub operator_secret: Option<SecretString>,
    /// The certificates of the authorities that may certify it, the system's if absent.
    pub roots: Option<RootCertificates>,
    /// Whether the workspace stored a secret for all callers.
    pub has_workspace_secret: bool,
}

impl CatalogUpstream {
    /// Returns an upstream that the operator's toolset `slug` declares. `None` if a required field is missing,
    /// which the check of the document refuses.
    pub fn of_operator(
        slug: &str,
        declared: &DeclaredUpstream,
        operator_secret: Option<SecretString>,
        roots: Option<RootCertificates>,
    ) -> Option<Self> {
        let auth = declared.auth.as_ref();
        let name = declared.name.clone()?;
        Some(Self {
            reference: operators_reference(slug, &name),
            name,
            kind: declared.kind?,
            base_url: declared.base_url.as_deref()?.parse().ok()?,
            auth: auth.and_then(|auth| auth.kind).unwrap_or(AuthKind::None),
            auth_header: auth.and_then(|auth| auth.name.clone()),
            owner: auth.and_then(|auth| auth.owner).unwrap_or(SecretOwner::Workspace),
            source: ToolsetSource::Operator,
            operator_secret,
            roots,
            has_workspace_secret: false,
        })
    }

    /// Returns an upstream of a workspace. `None` if the row can't be read: such an upstream is not called.
    pub fn of_row(row: &UpstreamRow, has_workspace_secret: bool) -> Option<Self> {
        Some(Self {
            name: row.name.clone(),
            reference: row.name.clone(),
            kind: row.kind.parse().ok()?,
            base_url: row.base_url.parse().ok()?,
            auth: row.auth_kind.parse().ok()?,
            auth_header: row.auth_name.clone(),
            owner: row.auth_owner.parse().ok()?,
            source: ToolsetSource::Workspace,
            operator_secret: None,
            roots: None,
            has_workspace_secret,
        })
    }

    /// Returns the host that people are told: with its port if it is not the usual one.
    pub fn host(&self) -> String {
        let host = self.base_url.host_str().unwrap_or_default();
        self.base_url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Returns the key of the limit of requests that are open at once.
    pub fn limit_key(&self, workspace: Id) -> String {
        format!("{workspace}/{}", self.reference)
    }

    /// Returns the credential that requests have with this secret.
    pub fn credential(&self, secret: Option<SecretString>) -> Option<UpstreamCredential> {
        let secret = secret?;
        match self.auth {
            AuthKind::None => None,
            AuthKind::Bearer => Some(UpstreamCredential::Bearer(secret)),
            AuthKind::Basic => Some(UpstreamCredential::Basic(secret)),
            AuthKind::Header => {
                Some(UpstreamCredential::Header { name: self.auth_header.clone()?, value: secret })
            }
        }
    }

    /// Returns whether calls can be sent as far as is known before a call: the acting user's own secret is not.
    pub fn is_configured(&self) -> bool {
        match (self.auth, self.owner) {
            (AuthKind::None, _) | (_, SecretOwner::User) => true,
            (_, SecretOwner::Workspace) => self.operator_secret.is_some() || self.has_workspace_secret,
        }
    }
}

/// Returns the name in requests and rows of an upstream that an operator's toolset declares. No name and no slug
/// contains a dot.
pub(super) fn operators_reference(slug: &str, name: &str) -> String {
    format!("{slug}.{name}")
}

#[derive(Clone, Debug, Default)]
pub struct WorkspaceUpstreams {
    rows: Vec<UpstreamRow>,
    /// The names of those with a secret of the workspace.
    with_secret: BTreeSet<String>,
    /// What their servers and those of the operator's upstreams listed.
    pins: UpstreamPins,
}

impl WorkspaceUpstreams {
    /// Reads the upstreams of the transaction's workspace.
    pub async fn read(tx: &mut Tx, rules: &OperatorRules) -> Result<Self, ActionError> {
        let rows = upstreams::list(tx).await?;
        let is_mcp = |upstream: &Arc<CatalogUpstream>| upstream.kind == UpstreamKind::Mcp;
        let has_mcp = rows.iter().any(|row| row.kind == UpstreamKind::Mcp.as_str());
        let mut read = Self { rows, ..Self::default() };
        if has_mcp || rules.upstreams.iter().any(is_mcp) {
            read.pins = UpstreamPins::of_rows(upstream_tools::of_workspace(tx).await?);
        }
        if !read.rows.is_empty() {
            let secrets = upstreams::workspace_secrets(tx).await?;
            read.with_secret = secrets.into_iter().map(|secret| secret.upstream).collect();
        }
        Ok(read)
    }

    /// Returns what the servers listed.
    pub fn pins(&self) -> &UpstreamPins {
        &self.pins
    }

    /// Returns what the check of a document and the definitions of tools know of them, by name.
    pub fn known(&self) -> BTreeMap<String, KnownUpstream> {
        let known = |row: &UpstreamRow| {
            let known = KnownUpstream {
                kind: row.kind.parse().ok()?,
                base_url: row.base_url.clone(),
                auth_header: row.auth_name.clone(),
            };
            Some((row.name.clone(), known))
        };
        self.rows.iter().filter_map(known).collect()
    }

    /// Returns the names of those that actions of packs can ask, as far as is known before a call.
    pub fn services(&self, rules: &OperatorRules) -> BTreeSet<String> {
        let can_ask =
            |upstream: &Arc<CatalogUpstream>| upstream.kind == UpstreamKind::Http && upstream.is_configured();
        self.callable(rules).into_values().filter(can_ask).map(|upstream| upstream.name.clone()).collect()
    }

    /// Returns them as calls use them, by name. None if the operator's settings forbid workspaces their own.
    fn callable(&self, rules: &OperatorRules) -> BTreeMap<&str, Arc<CatalogUpstream>> {
        let rows = self.rows.iter().filter(|_| rules.workspace_upstreams);
        let callable = rows.filter_map(|row| {
            let upstream = CatalogUpstream::of_row(row, self.with_secret.contains(&row.name))?;
            Some((row.name.as_str(), Arc::new(upstream)))
        });
        callable.collect()
    }
}

/// Returns the name and the kind of the upstream that a tool calls; `None` for a tool that the caller runs.
pub fn named_upstream(executor: &ToolExecutor) -> Option<(&str, UpstreamKind)> {
    match executor {
        ToolExecutor::Http(mapping) => Some((mapping.upstream.as_deref()?, UpstreamKind::Http)),
        ToolExecutor::Mcp(mapping) => Some((mapping.upstream.as_deref()?, UpstreamKind::Mcp)),
        ToolExecutor::Client { .. } => None,
    }
}

/// Finds the upstreams of the tools of a workspace: an operator's tool has one of its own document, a tool of the
/// workspace one of the workspace's.
pub(super) struct UpstreamResolver<'r> {
    rules: &'r OperatorRules,
    own: BTreeMap<&'r str, Arc<CatalogUpstream>>,
}

impl<'r> UpstreamResolver<'r> {
    pub(super) fn new(rules: &'r OperatorRules, upstreams: &'r WorkspaceUpstreams) -> Self {
        Self { rules, own: upstreams.callable(rules) }
    }

    /// Returns the upstream of a tool of the toolset `slug`. `None` if the tool has none, or if there is none of its
    /// kind.
    pub(super) fn resolve(
        &self,
        source: ToolsetSource,
        slug: &str,
        executor: &ToolExecutor,
    ) -> Option<Arc<CatalogUpstream>> {
        let (name, kind) = named_upstream(executor)?;
        let found = match source {
            ToolsetSource::Operator => self.rules.upstream(&operators_reference(slug, name)),
            ToolsetSource::Workspace => self.own.get(name),
        };
        found.filter(|upstream| upstream.kind == kind).cloned()
    }
}

impl OperatorRules {
    /// Returns whether a URL names this service. A host with a dot at its end is the same host.
    pub fn is_own_address(&self, url: &Url) -> bool {
        let place = |url: &Url| {
            let host = url.host_str().unwrap_or_default().trim_end_matches('.').to_owned();
            (host, url.port_or_known_default())
        };
        let own = self.public_url.as_deref().and_then(|text| text.parse::<Url>().ok());
        own.is_some_and(|own| place(&own) == place(url))
    }

    /// Returns the upstream of an operator's toolset with this reference, `<slug>.<name>`.
    pub fn upstream(&self, reference: &str) -> Option<&Arc<CatalogUpstream>> {
        self.upstreams.iter().find(|upstream| upstream.reference == reference)
    }
}

/// Returns the upstream that a request names: one of the workspace, or one that an operator's toolset declares. Or 404.
pub async fn find_upstream(
    tx: &mut Tx,
    rules: &OperatorRules,
    reference: &str,
) -> Result<Arc<CatalogUpstream>, ActionError> {
    if let Some(operators) = rules.upstream(reference) {
        return Ok(operators.clone());
    }
    let row = upstreams::get(tx, reference).await?;
    let found = match row {
        Some(row) => {
            let has_secret = upstreams::secret(tx, reference, None).await?.is_some();
            CatalogUpstream::of_row(&row, has_secret)
        }
        None => None,
    };
    found.map(Arc::new).ok_or_else(|| ActionError::not_found("upstream", reference))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_each_workspace_and_upstream_have_a_limit_of_their_own() {
        let upstream = |reference: &str| CatalogUpstream {
            name: "desk".into(),
            reference: reference.into(),
            kind: UpstreamKind::Http,
            base_url: "https://desk.example".parse().unwrap(),
            auth: AuthKind::None,
            auth_header: None,
            owner: SecretOwner::Workspace,
            source: ToolsetSource::Workspace,
            operator_secret: None,
            roots: None,
            has_workspace_secret: false,
        };
        let workspaces = [1, 2].map(Id::from_u128);
        let keys = workspaces.into_iter().flat_map(|workspace| {
            ["desk", "acme.desk"].map(|reference| upstream(reference).limit_key(workspace))
        });
        assert_eq!(keys.collect::<BTreeSet<_>>().len(), 4);
    }
}
