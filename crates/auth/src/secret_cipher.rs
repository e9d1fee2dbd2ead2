//! Encrypts secrets that the service must read later, such as connection strings. The key is not in the
//! database. AES-256-GCM; the ciphertext is bound to its row as associated data.

use std::{
    fmt, fs, io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use secrecy::{ExposeSecret as _, SecretString};
use toolcrib_model::IdGen;

use crate::key_file;

/// The name of the key file in the data directory.
pub const FILE: &str = "secret.key";
/// The prefix of every ciphertext: the version of its format.
const VERSION: &str = "v1.";

/// Why a secret can't be encrypted or decrypted.
#[derive(Debug, thiserror::Error)]
pub enum CipherError {
    #[error("secrets can't be stored: set `secret_key`")]
    NoKey,
    /// The key is not 32 bytes in base64.
    #[error("the key must be 32 bytes in base64")]
    BadKey,
    /// The key file can't be read or created.
    #[error("`secret.key` in the data directory can't be read or written: {0}")]
    File(#[from] io::Error),
    /// The secret was encrypted with another key or for another row, or was changed.
    #[error("a stored secret can't be opened with this key")]
    Decrypt,
}

enum KeySource {
    Nowhere,
    Given,
    File(PathBuf),
}

/// Encrypts and decrypts secrets with one key.
pub struct SecretCipher {
    source: KeySource,
    key: OnceLock<LessSafeKey>,
}

/// Omits the key.
impl fmt::Debug for SecretCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretCipher").finish_non_exhaustive()
    }
}

impl Default for SecretCipher {
    fn default() -> Self {
        Self::new(KeySource::Nowhere)
    }
}

impl SecretCipher {
    fn new(source: KeySource) -> Self {
        Self { source, key: OnceLock::new() }
    }

    /// Makes a cipher with a key from the settings: 32 bytes in base64.
    pub fn from_setting(text: &SecretString) -> Result<Self, CipherError> {
        let secret_cipher = Self::new(KeySource::Given);
        let _ = secret_cipher.key.set(key(text.expose_secret())?);
        Ok(secret_cipher)
    }

    /// Makes a cipher with the key in the file `secret.key` of `folder`. The first encryption creates the
    /// file, with mode 0600.
    pub fn in_folder(folder: &Path) -> Self {
        Self::new(KeySource::File(folder.join(FILE)))
    }

    /// Encrypts a text for one row. [`SecretCipher::open`] needs the same `row`. `ids` generates the nonce,
    /// and the key if it is missing.
    pub fn seal(&self, ids: &dyn IdGen, row: &[u8], text: &SecretString) -> Result<String, CipherError> {
        let key = self.key(Some(ids))?;
        let random = ids.secret();
        let nonce: [u8; NONCE_LEN] = std::array::from_fn(|at| random[at]);
        let mut sealed = text.expose_secret().as_bytes().to_vec();
        let done =
            key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(row), &mut sealed);
        done.map_err(|_| CipherError::Decrypt)?;
        Ok(format!("{VERSION}{}", STANDARD.encode([nonce.as_slice(), &sealed].concat())))
    }

    /// Decrypts a text that was encrypted for `row`.
    pub fn open(&self, row: &[u8], sealed: &str) -> Result<SecretString, CipherError> {
        let key = self.key(None)?;
        let sealed = sealed.strip_prefix(VERSION).ok_or(CipherError::Decrypt)?;
        let bytes = STANDARD.decode(sealed).map_err(|_| CipherError::Decrypt)?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE_LEN).ok_or(CipherError::Decrypt)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| CipherError::Decrypt)?;
        let mut sealed = sealed.to_vec();
        let text = key.open_in_place(nonce, Aad::from(row), &mut sealed).map_err(|_| CipherError::Decrypt)?;
        let text = std::str::from_utf8(text).map_err(|_| CipherError::Decrypt)?;
        Ok(SecretString::from(text))
    }

    /// Checks that the key is usable. A missing key is not an error: the first encryption creates or demands
    /// it.
    pub fn check(&self) -> Result<(), CipherError> {
        match self.key(None) {
            Err(CipherError::File(error)) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(CipherError::NoKey) => Ok(()),
            other => other.map(|_| ()),
        }
    }

    /// Returns the key. Creates a missing key file if `ids` is given.
    fn key(&self, ids: Option<&dyn IdGen>) -> Result<&LessSafeKey, CipherError> {
        if let Some(key) = self.key.get() {
            return Ok(key);
        }
        let KeySource::File(path) = &self.source else { return Err(CipherError::NoKey) };
        let text = match (fs::read_to_string(path), ids) {
            (Err(error), Some(ids)) if error.kind() == io::ErrorKind::NotFound => {
                create(path, ids)?;
                fs::read_to_string(path)?
            }
            (read, _) => read?,
        };
        let key = key(text.trim())?;
        Ok(self.key.get_or_init(|| key))
    }
}

fn key(text: &str) -> Result<LessSafeKey, CipherError> {
    let bytes = STANDARD.decode(text).map_err(|_| CipherError::BadKey)?;
    UnboundKey::new(&AES_256_GCM, &bytes).map(LessSafeKey::new).map_err(|_| CipherError::BadKey)
}

/// Creates the file and its folder.
fn create(path: &Path, ids: &dyn IdGen) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let beside = path.with_extension(format!("key.{}", hex::encode(&ids.secret()[..8])));
    key_file::create(path, &beside, &STANDARD.encode(ids.secret()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use toolcrib_testkit::TestIds;

    const TEXT: &str = "postgres://u:geheim@db.example/shop";

    #[test]
    fn what_is_sealed_opens_for_its_row_and_key_alone() {
        let ids = TestIds::default();
        let secret_cipher = SecretCipher::from_setting(&STANDARD.encode([7; 32]).into()).unwrap();
        let sealed = secret_cipher.seal(&ids, b"row", &TEXT.into()).unwrap();
        assert_ne!(sealed, secret_cipher.seal(&ids, b"row", &TEXT.into()).unwrap(), "no two look alike");
        assert!(!sealed.contains("geheim") && !sealed.contains(&STANDARD.encode(TEXT)));
        assert_eq!(secret_cipher.open(b"row", &sealed).unwrap().expose_secret(), TEXT);
        assert!(matches!(secret_cipher.open(b"other row", &sealed), Err(CipherError::Decrypt)));
        assert_eq!(format!("{secret_cipher:?}"), "SecretCipher { .. }");
        let other = SecretCipher::from_setting(&STANDARD.encode([8; 32]).into()).unwrap();
        assert!(matches!(other.open(b"row", &sealed), Err(CipherError::Decrypt)));
        let mut bytes = STANDARD.decode(&sealed[3..]).unwrap();
        bytes[NONCE_LEN] ^= 1;
        for bad in [
            "",
            "v1.",
            "v1.AAAA",
            "v2.AAAA",
            &format!("v1.{}", STANDARD.encode(bytes)),
            &sealed[..sealed.len() - 4],
        ] {
            assert!(matches!(secret_cipher.open(b"row", bad), Err(CipherError::Decrypt)), "{bad}");
        }
    }

    #[test]
    fn the_file_is_made_once_and_for_its_owner_alone() {
        let (folder, ids) = (tempfile::tempdir().unwrap(), TestIds::default());
        let secret_cipher = SecretCipher::in_folder(folder.path());
        assert!(matches!(secret_cipher.open(b"row", "v1.AAAA"), Err(CipherError::File(_))));
        assert!(!folder.path().join(FILE).exists(), "opening makes nothing");
        let sealed = secret_cipher.seal(&ids, b"row", &TEXT.into()).unwrap();
        assert_eq!(fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let again = SecretCipher::in_folder(folder.path());
        assert_eq!(again.open(b"row", &sealed).unwrap().expose_secret(), TEXT);
        fs::write(folder.path().join(FILE), "short").unwrap();
        assert!(matches!(
            SecretCipher::in_folder(folder.path()).open(b"row", &sealed),
            Err(CipherError::BadKey)
        ));
    }

    #[test]
    fn a_file_that_is_there_is_neither_replaced_nor_made_anew() {
        let (folder, ids) = (tempfile::tempdir().unwrap(), TestIds::default());
        let path = folder.path().join(FILE);
        create(&path, &ids).unwrap();
        let first = fs::read_to_string(&path).unwrap();
        create(&path, &ids).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), first, "whoever was faster made it");
        // The name is too long for the file system. The name of the temporary file has another extension and
        // is not.
        assert!(create(&folder.path().join(format!("k.{}", "x".repeat(300))), &ids).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::write(&path, b"\xff\xfe").unwrap();
        let ids = TestIds::default();
        let sealed = SecretCipher::in_folder(folder.path()).seal(&ids, b"row", &TEXT.into());
        assert!(matches!(sealed, Err(CipherError::File(_))));
        assert_eq!(ids.secret(), TestIds::default().secret(), "no secret was spent on it");
    }

    #[test]
    fn without_a_place_for_a_key_nothing_is_sealed() {
        assert!(matches!(
            SecretCipher::default().seal(&TestIds::default(), b"", &TEXT.into()),
            Err(CipherError::NoKey)
        ));
        for bad in ["", "geheim", &STANDARD.encode([7; 31]), &STANDARD.encode([7; 33])] {
            assert!(matches!(SecretCipher::from_setting(&bad.into()), Err(CipherError::BadKey)), "{bad}");
        }
    }
}
