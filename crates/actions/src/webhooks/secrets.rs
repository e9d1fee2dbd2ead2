//! Creates, encrypts and decrypts the secrets that sign deliveries.

use secrecy::{ExposeSecret as _, SecretString};
use toolcrib_auth::secret_cipher::{CipherError, SecretCipher};
use toolcrib_connectors::webhooks::secret;
use toolcrib_engine::{ActionError, WriteCx};
use toolcrib_model::{Id, Ts};
use toolcrib_store::webhooks::EncryptedSecret;

/// Creates a secret. Returns its text, which is shown once, and its encrypted form, which is stored.
pub fn new(cx: &WriteCx<'_>, webhook: Id) -> Result<(String, String), ActionError> {
    let secret = secret(&cx.ids.secret());
    let secret_cipher = &cx.tools.catalog.rules().datasources.secret_cipher;
    let sealed = secret_cipher.seal(cx.ids, &associated_data(cx.tx.workspace(), webhook), &secret)?;
    Ok((secret.expose_secret().to_owned(), sealed))
}

/// Decrypts the secrets that sign now, the newest first.
pub fn open(
    secret_cipher: &SecretCipher,
    (workspace, webhook): (Id, Id),
    sealed: &EncryptedSecret,
    now: Ts,
) -> Result<Vec<SecretString>, CipherError> {
    let associated_data = associated_data(workspace, webhook);
    let mut secrets = vec![secret_cipher.open(&associated_data, &sealed.secret_encrypted)?];
    let still = sealed.previous_until.is_some_and(|until| until > now.as_micros());
    if let Some(previous) = sealed.previous_encrypted.as_deref().filter(|_| still) {
        secrets.push(secret_cipher.open(&associated_data, previous)?);
    }
    Ok(secrets)
}

/// Returns the associated data of an encrypted secret: it can only be decrypted for the same webhook.
fn associated_data(workspace: Id, webhook: Id) -> Vec<u8> {
    [b"webhook".as_slice(), workspace.as_bytes(), webhook.as_bytes()].concat()
}
