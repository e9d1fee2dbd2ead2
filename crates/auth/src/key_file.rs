//! Files of private keys, which are made once.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use toolcrib_model::{IdGen, Ts};

/// The DER prefix of an Ed25519 key in PKCS#8 version 1. The 32 bytes of the key follow.
const PKCS8_HEAD: [u8; 16] = *b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";

/// Reads the Ed25519 key in a file, as PEM. Creates the file if it is missing.
pub fn read_or_create(dir: &Path, file: &str, ids: &dyn IdGen, now: Ts) -> io::Result<String> {
    let path = dir.join(file);
    match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let beside = dir.join(format!(".{file}.{}", ids.new_id(now).simple()));
            create(&path, &beside, &pem(&ids.secret()))?;
            fs::read_to_string(&path)
        }
        read => read,
    }
}

fn pem(secret: &[u8; 32]) -> String {
    let der = STANDARD.encode([PKCS8_HEAD.as_slice(), secret].concat());
    format!("-----BEGIN PRIVATE KEY-----\n{der}\n-----END PRIVATE KEY-----")
}

/// Writes a temporary file and hard-links it to `path`, so that no process reads a partial key. The link
/// fails if another process was faster; its key is then used.
pub(crate) fn create(path: &Path, beside: &Path, text: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(beside)?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    let linked = fs::hard_link(beside, path);
    fs::remove_file(beside)?;
    match linked {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_cannot_be_put_in_its_place_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        create(&at("key.pem"), &at("beside"), &pem(&[1; 32])).unwrap();
        create(&at("key.pem"), &at("beside"), &pem(&[2; 32])).unwrap();
        let first = STANDARD.encode([PKCS8_HEAD.as_slice(), &[1; 32]].concat());
        assert!(fs::read_to_string(at("key.pem")).unwrap().contains(&first), "whoever was faster made it");
        assert!(create(&at("no/such/folder"), &at("beside"), "a key").is_err());
        assert!(!at("beside").exists());
    }
}
