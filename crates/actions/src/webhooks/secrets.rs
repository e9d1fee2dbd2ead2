//! The secrets that sign: made here, kept encrypted, opened by whoever sends.

use secrecy::{ExposeSecret as _, SecretString};
use toolcrib_connectors::webhooks::secret;
use toolcrib_engine::{
    ActionError, WriteCx,
    vault::{Vault, VaultError},
};
use toolcrib_model::{Id, Ts};
use toolcrib_store::webhooks::Sealed;

/// A new secret: as it is shown once, and as it is stored.
pub fn new(cx: &WriteCx<'_>, webhook: Id) -> Result<(String, String), ActionError> {
    let secret = secret(&cx.ids.secret());
    let vault = &cx.tools.catalog.rules().datasources.vault;
    let sealed = vault.seal(cx.ids, &place(cx.tx.workspace(), webhook), &secret)?;
    Ok((secret.expose_secret().to_owned(), sealed))
}

/// What signs at this moment, the newest first.
pub fn open(
    vault: &Vault,
    (workspace, webhook): (Id, Id),
    sealed: &Sealed,
    now: Ts,
) -> Result<Vec<SecretString>, VaultError> {
    let place = place(workspace, webhook);
    let mut secrets = vec![vault.open(&place, &sealed.secret_encrypted)?];
    let still = sealed.previous_until.is_some_and(|until| until > now.as_micros());
    if let Some(previous) = sealed.previous_encrypted.as_deref().filter(|_| still) {
        secrets.push(vault.open(&place, previous)?);
    }
    Ok(secrets)
}

/// The row that a sealed secret belongs to: elsewhere it can't be opened.
fn place(workspace: Id, webhook: Id) -> Vec<u8> {
    [b"webhook".as_slice(), workspace.as_bytes(), webhook.as_bytes()].concat()
}
