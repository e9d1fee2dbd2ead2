//! Where a session leads, and whose it is.

use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use toolcrib_access::Caller;
use toolcrib_connectors::{mcp_client::McpEndpoint, upstream::UpstreamClient};
use toolcrib_model::Id;
use toolcrib_store::Tx;
use toolcrib_toolset::{AuthKind, SecretOwner};
use url::Url;

use crate::{
    base::ActionError,
    catalog::{
        OperatorRules,
        upstreams::{CatalogUpstream, upstream_secret},
    },
};

/// Where a session leads, and with which secret.
#[derive(Clone, Debug)]
pub(crate) struct SessionAddress {
    workspace: Id,
    /// The user whose secret it is; `None` for the workspace's, and without one.
    owner: Option<Id>,
    upstream: Arc<CatalogUpstream>,
    secret: Option<SecretString>,
    limit_key: String,
}

/// What makes two sessions the same. Of the secret it has the digest alone.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct SessionKey {
    workspace: Id,
    owner: Option<Id>,
    reference: String,
    base_url: Url,
    auth: &'static str,
    auth_header: Option<String>,
    secret: Option<[u8; 32]>,
}

impl SessionAddress {
    /// Reads the secret of the caller's calls. 501 if there is none.
    pub async fn read(
        tx: &mut Tx,
        rules: &OperatorRules,
        caller: &Caller,
        upstream: &Arc<CatalogUpstream>,
    ) -> Result<Self, ActionError> {
        let is_users = upstream.auth != AuthKind::None && upstream.owner == SecretOwner::User;
        Ok(Self {
            workspace: caller.workspace,
            owner: caller.principal.user().filter(|_| is_users),
            limit_key: upstream.limit_key(caller.workspace),
            upstream: upstream.clone(),
            secret: upstream_secret(tx, rules, caller, upstream).await?,
        })
    }

    pub(super) fn key(&self) -> SessionKey {
        let digest = |secret: &SecretString| Sha256::digest(secret.expose_secret()).into();
        SessionKey {
            workspace: self.workspace,
            owner: self.owner,
            reference: self.upstream.reference.clone(),
            base_url: self.upstream.base_url.clone(),
            auth: self.upstream.auth.as_str(),
            auth_header: self.upstream.auth_header.clone(),
            secret: self.secret.as_ref().map(digest),
        }
    }

    pub fn endpoint<'e>(&'e self, client: &'e UpstreamClient) -> McpEndpoint<'e> {
        McpEndpoint {
            client,
            upstream: &self.limit_key,
            url: &self.upstream.base_url,
            credential: self.upstream.credential(self.secret.clone()),
            roots: self.upstream.roots.as_ref(),
        }
    }

    pub fn workspace(&self) -> Id {
        self.workspace
    }

    pub fn upstream(&self) -> &Arc<CatalogUpstream> {
        &self.upstream
    }

    /// Returns whether the server shows every caller the same tools, as far as is known.
    pub(super) fn is_shared(&self) -> bool {
        self.owner.is_none()
    }
}
