//! Creates, encrypts and decrypts the secrets that sign deliveries, and those by which services take messages.

use secrecy::{ExposeSecret as _, SecretString};
use toolcrib_auth::secret_cipher::{CipherError, SecretCipher};
use toolcrib_connectors::webhooks::secret;
use toolcrib_engine::prelude::*;
use toolcrib_store::webhooks::{EncryptedSecret, WebhookRow};

use super::format::WebhookFormat;

/// What is told of a webhook whose secret can't be decrypted.
pub const NOT_READ: &str = "its secret can't be read with today's key: rotate it, or set another one";

/// Creates a secret. Returns its text, which is shown once, and its encrypted form, which is stored.
pub fn new(cx: &WriteCx<'_>, webhook: &WebhookRow) -> Result<(String, String), ActionError> {
    let secret = secret(&cx.ids.secret());
    let sealed = seal(cx, webhook, &secret)?;
    Ok((secret.expose_secret().to_owned(), sealed))
}

pub fn seal(cx: &WriteCx<'_>, webhook: &WebhookRow, secret: &SecretString) -> Result<String, ActionError> {
    let secret_cipher = &cx.tools.catalog.rules().datasources.secret_cipher;
    Ok(secret_cipher.seal(cx.ids, &associated_data(cx.tx.workspace(), webhook), secret)?)
}

/// Decrypts the secrets of a webhook that are valid now, the newest first.
pub fn open(
    secret_cipher: &SecretCipher,
    workspace: Id,
    webhook: &WebhookRow,
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

/// Returns the associated data of an encrypted secret: it can only be decrypted for the same webhook, and that of a
/// service only for the same base address.
fn associated_data(workspace: Id, webhook: &WebhookRow) -> Vec<u8> {
    let place = [b"webhook".as_slice(), workspace.as_bytes(), webhook.id.as_bytes()].concat();
    match WebhookFormat::of(webhook) {
        WebhookFormat::Standard => place,
        format => [place.as_slice(), format.as_str().as_bytes(), b"/", webhook.url.as_bytes()].concat(),
    }
}
