//! The Ed25519 key that signs checkpoints. It comes from the settings or from a file in the data directory,
//! never from the database whose rows it protects.

use std::{fmt, io, path::Path};

use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use secrecy::{ExposeSecret as _, SecretString};
use toolcrib_auth::key_file;
use toolcrib_model::{Id, IdGen, Ts};
use toolcrib_store::audit::chain::{Checkpoint, Head};

/// The name of the key file in the data directory.
pub const FILE: &str = "audit.pem";

/// Why the key can't be used.
#[derive(Debug, thiserror::Error)]
pub enum AuditKeyError {
    /// The file can't be read or created.
    #[error("`audit.pem` in the data directory can't be read or written: {0}")]
    File(#[from] io::Error),
    /// The file is not such a key.
    #[error(
        "`audit.pem` is no Ed25519 key in PKCS#8 version 1; put the right one back, its signatures count on it"
    )]
    Pem,
    #[error("the key must be 32 bytes in base64")]
    Text,
}

/// Signs checkpoints.
pub struct AuditKey {
    pair: Ed25519KeyPair,
    public: String,
}

/// Omits the private key.
impl fmt::Debug for AuditKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditKey").field("public", &self.public).finish_non_exhaustive()
    }
}

impl AuditKey {
    /// Makes a key from the settings: the 32 bytes of an Ed25519 private key in base64.
    pub fn from_setting(text: &SecretString) -> Result<Self, AuditKeyError> {
        let seed = STANDARD.decode(text.expose_secret()).map_err(|_| AuditKeyError::Text)?;
        Ed25519KeyPair::from_seed_unchecked(&seed).map(Self::of).map_err(|_| AuditKeyError::Text)
    }

    /// Reads `audit.pem`, or creates it with mode 0600. If several processes start at once, all use the key
    /// of the first.
    pub fn load_or_create(dir: &Path, ids: &dyn IdGen, now: Ts) -> Result<Self, AuditKeyError> {
        let pem = key_file::read_or_create(dir, FILE, ids, now)?;
        let text: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
        let der = STANDARD.decode(text).map_err(|_| AuditKeyError::Pem)?;
        Ed25519KeyPair::from_pkcs8_maybe_unchecked(&der).map(Self::of).map_err(|_| AuditKeyError::Pem)
    }

    fn of(pair: Ed25519KeyPair) -> Self {
        let public = STANDARD.encode(pair.public_key().as_ref());
        Self { pair, public }
    }

    /// Returns the public key: 32 bytes in base64.
    pub fn public(&self) -> &str {
        &self.public
    }

    pub(crate) fn sign(&self, workspace: Id, head: &Head, made_at: Ts) -> Checkpoint {
        let signature = self.pair.sign(statement(workspace, head.seq, &head.hash, made_at).as_bytes());
        Checkpoint {
            workspace_id: workspace,
            seq: head.seq,
            hash: head.hash.clone(),
            made_at,
            public_key: self.public.clone(),
            signature: STANDARD.encode(signature.as_ref()),
        }
    }
}

/// Returns the signed text. Each line ends with a line feed.
fn statement(workspace: Id, seq: i64, hash: &str, made_at: Ts) -> String {
    format!("toolcrib-audit-checkpoint-1\n{workspace}\n{seq}\n{hash}\n{made_at}\n")
}

/// The public keys whose checkpoints are accepted.
#[derive(Clone, Debug, Default)]
pub struct TrustedKeys(Vec<String>);

impl TrustedKeys {
    /// Makes the list from the current key and other keys: former ones and those of other processes. Each is
    /// 32 bytes in base64.
    pub fn new(own: &AuditKey, others: &[String]) -> Result<Self, AuditKeyError> {
        let mut keys = vec![own.public.clone()];
        for other in others {
            let bytes = STANDARD.decode(other).map_err(|_| AuditKeyError::Text)?;
            if bytes.len() != 32 {
                return Err(AuditKeyError::Text);
            }
            keys.push(STANDARD.encode(bytes));
        }
        Ok(Self(keys))
    }

    /// Returns why a checkpoint is not accepted; `None` if it is accepted.
    pub(crate) fn objection(&self, checkpoint: &Checkpoint) -> Option<&'static str> {
        let Some(key) = self.0.iter().find(|key| **key == checkpoint.public_key) else {
            return Some("its checkpoint is signed with a key that is not trusted here");
        };
        let Checkpoint { workspace_id, seq, hash, made_at, .. } = checkpoint;
        let text = statement(*workspace_id, *seq, hash, *made_at);
        let verified =
            STANDARD.decode(key).ok().zip(STANDARD.decode(&checkpoint.signature).ok()).is_some_and(
                |(key, signature)| {
                    UnparsedPublicKey::new(&ED25519, key).verify(text.as_bytes(), &signature).is_ok()
                },
            );
        (!verified).then_some("the signature of its checkpoint is wrong")
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use toolcrib_testkit::{NOW, TestIds};

    use super::*;

    #[test]
    fn the_file_is_made_once_and_for_its_owner_alone() {
        let (folder, ids) = (tempfile::tempdir().unwrap(), TestIds::default());
        let first = AuditKey::load_or_create(folder.path(), &ids, NOW).unwrap();
        let again = AuditKey::load_or_create(folder.path(), &ids, NOW).unwrap();
        assert_eq!(first.public(), again.public());
        let path = folder.path().join(FILE);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::write(&path, "something else").unwrap();
        assert!(matches!(AuditKey::load_or_create(folder.path(), &ids, NOW), Err(AuditKeyError::Pem)));
    }

    #[test]
    fn a_checkpoint_counts_as_it_was_signed_and_by_whom() {
        let key = AuditKey::from_setting(&STANDARD.encode([7; 32]).into()).unwrap();
        let other = AuditKey::from_setting(&STANDARD.encode([8; 32]).into()).unwrap();
        let trusted = TrustedKeys::new(&key, &[]).unwrap();
        let head = Head { seq: 9, ..Head::start() };
        let good = key.sign(Id::from_u128(1), &head, NOW);
        assert_eq!(trusted.objection(&good), None);
        assert_eq!(format!("{key:?}"), format!("AuditKey {{ public: {:?}, .. }}", key.public()));
        for bad in [
            Checkpoint { seq: 8, ..good.clone() },
            Checkpoint { hash: "1".repeat(64), ..good.clone() },
            Checkpoint { workspace_id: Id::from_u128(2), ..good.clone() },
            Checkpoint { made_at: NOW.plus_seconds(1), ..good.clone() },
            Checkpoint { signature: other.sign(Id::from_u128(1), &head, NOW).signature, ..good.clone() },
            Checkpoint { signature: "rubbish".into(), ..good.clone() },
        ] {
            assert_eq!(trusted.objection(&bad), Some("the signature of its checkpoint is wrong"), "{bad:?}");
        }
        let theirs = other.sign(Id::from_u128(1), &head, NOW);
        assert!(trusted.objection(&theirs).unwrap().contains("not trusted"));
        let both = TrustedKeys::new(&key, &[other.public().to_owned()]).unwrap();
        assert_eq!(both.objection(&theirs), None);
        for bad in ["", "x", &STANDARD.encode([1; 31])] {
            assert!(TrustedKeys::new(&key, &[bad.to_owned()]).is_err(), "{bad}");
            assert!(AuditKey::from_setting(&bad.into()).is_err(), "{bad}");
        }
    }
}
