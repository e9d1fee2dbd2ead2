//! The secrets with which upstreams are called. A stored secret is encrypted for one workspace, upstream, owner and
//! origin, so that it opens for no other one, whatever is changed in the database.

use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use toolcrib_access::Caller;
use toolcrib_auth::secret_cipher::{CipherError, SecretCipher};
use toolcrib_model::{ErrorCode, Id, IdGen};
use toolcrib_store::{Tx, upstreams};
use toolcrib_toolset::{AuthKind, SecretOwner, ToolsetSource, wrong_secret};

use super::CatalogUpstream;
use crate::{base::ActionError, catalog::OperatorRules};

impl CatalogUpstream {
    /// Encrypts a secret for this upstream: that of `user`, or that of the workspace.
    pub fn seal(
        &self,
        secret_cipher: &SecretCipher,
        ids: &dyn IdGen,
        workspace: Id,
        user: Option<Id>,
        secret: &SecretString,
    ) -> Result<String, CipherError> {
        secret_cipher.seal(ids, &self.associated_data(workspace, user), secret)
    }

    /// Returns the associated data of a secret. Each part has its length before it, so that no two places are equal.
    fn associated_data(&self, workspace: Id, user: Option<Id>) -> Vec<u8> {
        let origin = self.base_url.origin().ascii_serialization();
        let owner: &[u8] = user.as_ref().map_or(b"workspace", |user| user.as_bytes());
        let parts: [&[u8]; 5] =
            [b"upstream-secret/1", workspace.as_bytes(), self.reference.as_bytes(), owner, origin.as_bytes()];
        let mut place = Vec::new();
        for part in parts {
            place.extend_from_slice(&(part.len() as u64).to_be_bytes());
            place.extend_from_slice(part);
        }
        place
    }

    /// Returns how the secret is set, and by whom.
    fn how_to_set(&self) -> String {
        let reference = &self.reference;
        match (self.owner, self.source) {
            (SecretOwner::User, _) => {
                format!(
                    "the user sets it with their own credential: `PUT /v1/upstreams/{reference}/secret/mine`"
                )
            }
            (SecretOwner::Workspace, ToolsetSource::Workspace) => {
                format!("a workspace admin sets it: `PUT /v1/upstreams/{reference}/secret`")
            }
            (SecretOwner::Workspace, ToolsetSource::Operator) => {
                "ask the operator to set it: the toolset's file names its place".to_owned()
            }
        }
    }
}

/// A secret that a call is sent with.
pub struct OpenedSecret {
    pub secret: SecretString,
    /// Another text whenever the secret is stored, which says nothing of it; `None` for the operator's, which is stored
    /// nowhere.
    pub version: Option<String>,
}

/// The bytes of a version.
const VERSION_LEN: usize = 8;

/// Returns the secret with which the caller's call is sent; `None` if requests have no credential. The owner `user`
/// means the user for whom the caller acts, and never a shared secret. 501 `connector_not_configured` without a usable
/// secret says how to set it.
pub async fn upstream_secret(
    tx: &mut Tx,
    rules: &OperatorRules,
    caller: &Caller,
    upstream: &CatalogUpstream,
) -> Result<Option<SecretString>, ActionError> {
    Ok(opened_secret(tx, rules, caller, upstream).await?.map(|opened| opened.secret))
}

/// As [`upstream_secret`], with the version of the secret.
pub async fn opened_secret(
    tx: &mut Tx,
    rules: &OperatorRules,
    caller: &Caller,
    upstream: &CatalogUpstream,
) -> Result<Option<OpenedSecret>, ActionError> {
    let reference = &upstream.reference;
    if upstream.source == ToolsetSource::Workspace && !rules.workspace_upstreams {
        let detail =
            format!("`{reference}` is not called: the operator forbids workspaces upstreams of their own");
        return Err(not_configured(detail, "ask the operator for a toolset that uses it".into()));
    }
    let user = match (upstream.auth, upstream.owner) {
        (AuthKind::None, _) => return Ok(None),
        (_, SecretOwner::User) => Some(caller.principal.user().ok_or_else(|| {
            let detail = format!(
                "`{reference}` is called with the acting user's secret, and this credential acts for nobody"
            );
            not_configured(detail, "call it as a user, or on behalf of one".into())
        })?),
        (_, SecretOwner::Workspace) if upstream.source == ToolsetSource::Operator => {
            return match &upstream.operator_secret {
                Some(secret) => Ok(Some(OpenedSecret { secret: secret.clone(), version: None })),
                None => Err(missing(upstream)),
            };
        }
        (_, SecretOwner::Workspace) => None,
    };
    let Some(sealed) = upstreams::secret(tx, reference, user).await? else { return Err(missing(upstream)) };
    let opened =
        rules.datasources.secret_cipher.open(&upstream.associated_data(tx.workspace(), user), &sealed);
    let unusable = || {
        let detail = format!(
            "the secret of `{reference}` can't be used: it is too short, or was stored for another address, kind or key"
        );
        not_configured(detail, upstream.how_to_set())
    };
    match opened {
        Ok(secret) if wrong_secret(upstream.auth, secret.expose_secret()).is_none() => {
            // The encrypted text begins with a new nonce whenever it is stored.
            let digest = Sha256::digest(&sealed);
            let version = digest.get(..VERSION_LEN).map(hex::encode);
            Ok(Some(OpenedSecret { secret, version }))
        }
        Ok(_) | Err(CipherError::Decrypt) => Err(unusable()),
        Err(error) => Err(error.into()),
    }
}

/// Returns the 501 for a call without a usable secret.
fn not_configured(detail: String, hint: String) -> ActionError {
    ActionError::new(ErrorCode::ConnectorNotConfigured, detail).hint(hint)
}

fn missing(upstream: &CatalogUpstream) -> ActionError {
    let reference = &upstream.reference;
    let detail = match upstream.owner {
        SecretOwner::User => format!("the acting user has no secret for `{reference}`"),
        SecretOwner::Workspace => format!("`{reference}` has no secret"),
    };
    not_configured(detail, upstream.how_to_set())
}
