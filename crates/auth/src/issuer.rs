//! The local issuer: an Ed25519 key in the data directory. For a single machine without an identity provider.

use std::{io, path::Path, sync::Arc};

use futures_util::future::BoxFuture;
use jsonwebtoken::{Algorithm, EncodingKey, Header, jwk::Jwk};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use toolcrib_model::{Id, IdGen, Ts};

use crate::{
    key_file,
    key_set::{JwksSource, KeySet},
    settings::TokenSettings,
};

/// The name of the key file in the data directory.
pub const FILE: &str = "issuer.pem";
/// The `iss` of its tokens.
pub const ISSUER: &str = "toolcrib-local";
/// The `aud` of its tokens.
pub const AUDIENCE: &str = "toolcrib";
/// The `aud` of its one-time codes. No API accepts it: a code only signs in to the console.
pub const LOGIN_AUDIENCE: &str = "toolcrib-login";
/// The validity of a one-time code, in seconds.
const CODE_SECONDS: u32 = 600;
/// Why the local issuer can't be used.
#[derive(Debug, thiserror::Error)]
pub enum IssuerError {
    /// The file can't be read or created.
    #[error("`issuer.pem` in the data directory can't be read or written: {0}")]
    File(#[from] io::Error),
    /// The file is not such a key.
    #[error(
        "`issuer.pem` is no Ed25519 key in PKCS#8 version 1; put the right one back, or remove it and make a new one with `toolcrib token mint`"
    )]
    Key,
    /// The token could not be signed.
    #[error("the token can't be signed")]
    Sign,
}

/// The content of a token to mint.
#[derive(Clone, Debug, Default)]
pub struct MintRequest {
    /// The `sub` claim.
    pub subject: String,
    /// The workspace claim.
    pub workspace: Option<String>,
    /// The system role claim; `admin` makes a system admin.
    pub system_role: Option<String>,
    pub ttl_seconds: u32,
}

/// Signs tokens, and is the source of the one key that verifies them.
pub struct LocalIssuer {
    key: EncodingKey,
    kid: String,
    keys: Arc<KeySet>,
}

impl LocalIssuer {
    /// Reads `issuer.pem`, or creates it with mode 0600. If several processes start at once, all use the key
    /// of the first.
    pub fn load_or_create(dir: &Path, ids: &dyn IdGen, now: Ts) -> Result<Self, IssuerError> {
        Self::from_pem(key_file::read_or_create(dir, FILE, ids, now)?.as_bytes())
    }

    fn from_pem(pem: &[u8]) -> Result<Self, IssuerError> {
        let key = EncodingKey::from_ed_pem(pem).map_err(|_| IssuerError::Key)?;
        let jwk = Jwk::from_encoding_key(&key, Algorithm::EdDSA).map_err(|_| IssuerError::Key)?;
        let mut jwk = serde_json::to_value(jwk).map_err(|_| IssuerError::Key)?;
        let public = jwk.get("x").and_then(Value::as_str).ok_or(IssuerError::Key)?;
        let kid = hex::encode(&Sha256::digest(public)[..8]);
        jwk["kid"] = Value::from(kid.as_str());
        let set = json!({ "keys": [jwk] }).to_string();
        let keys = Arc::new(KeySet::parse(set.as_bytes()).map_err(|_| IssuerError::Key)?);
        Ok(Self { key, kid, keys })
    }

    /// Mints a token. `jti` is its id.
    pub fn mint(&self, request: &MintRequest, now: Ts, jti: Id) -> Result<String, IssuerError> {
        self.sign(AUDIENCE, request, now, jti)
    }

    /// Mints a code that signs this user in to the console once, within ten minutes.
    pub fn mint_login_code(&self, subject: &str, now: Ts, jti: Id) -> Result<String, IssuerError> {
        let subject = subject.to_owned();
        let request = MintRequest { subject, ttl_seconds: CODE_SECONDS, ..MintRequest::default() };
        self.sign(LOGIN_AUDIENCE, &request, now, jti)
    }

    fn sign(&self, audience: &str, request: &MintRequest, now: Ts, jti: Id) -> Result<String, IssuerError> {
        let issued = now.as_seconds();
        let mut claims = Map::new();
        claims.insert("iss".into(), ISSUER.into());
        claims.insert("aud".into(), audience.into());
        claims.insert("sub".into(), request.subject.as_str().into());
        claims.insert("iat".into(), issued.into());
        claims.insert("exp".into(), (issued + i64::from(request.ttl_seconds)).into());
        claims.insert("jti".into(), jti.to_string().into());
        for (name, value) in [("workspace", &request.workspace), ("system_role", &request.system_role)] {
            if let Some(value) = value {
                claims.insert(name.into(), value.as_str().into());
            }
        }
        self.sign_claims(&claims)
    }

    pub fn sign_claims(&self, claims: &Map<String, Value>) -> Result<String, IssuerError> {
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(self.kid.clone());
        jsonwebtoken::encode(&header, claims, &self.key).map_err(|_| IssuerError::Sign)
    }

    /// Returns the settings under which only the tokens of this issuer are accepted.
    pub fn settings() -> TokenSettings {
        TokenSettings {
            audience: Some(AUDIENCE.into()),
            login_audience: Some(LOGIN_AUDIENCE.into()),
            // The issuer is this service, whose processes have the same time.
            leeway_seconds: 5,
            ..TokenSettings::new(ISSUER)
        }
    }
}

impl JwksSource for LocalIssuer {
    fn current(&self) -> Arc<KeySet> {
        Arc::clone(&self.keys)
    }

    fn renew(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use toolcrib_testkit::{NOW, TestIds};

    use super::*;

    #[test]
    fn a_key_that_is_there_and_cannot_be_read_is_not_made_anew() {
        let (folder, ids) = (tempfile::tempdir().unwrap(), TestIds::default());
        fs::write(folder.path().join(FILE), b"\xff\xfe").unwrap();
        assert!(matches!(LocalIssuer::load_or_create(folder.path(), &ids, NOW), Err(IssuerError::File(_))));
        assert_eq!(ids.secret(), TestIds::default().secret(), "no secret was spent on it");
    }
}
