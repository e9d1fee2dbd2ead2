//! The token: from a variable or a file, never from an argument, which every user of the machine can see.

use std::path::Path;

use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret as _, SecretString};

use crate::{failure::Failure, private};

const VARIABLE: &str = "TOOLCRIB_TOKEN";

/// Returns the header `Authorization`. Debug output does not contain it.
pub fn authorization(file: Option<&Path>) -> Result<HeaderValue, Failure> {
    let token = read(file)?;
    let token = token.expose_secret();
    let is_fit = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    let header = HeaderValue::try_from(format!("Bearer {token}")).ok().filter(|_| is_fit);
    let mut header =
        header.ok_or_else(|| Failure::Usage("the token must be visible ASCII without spaces".into()))?;
    header.set_sensitive(true);
    Ok(header)
}

fn read(file: Option<&Path>) -> Result<SecretString, Failure> {
    match (variable(), file) {
        (Some(_), Some(_)) => Err(Failure::Usage(format!(
            "`{VARIABLE}` and `--token-file` (`TOOLCRIB_TOKEN_FILE`) both name a token: leave one out"
        ))),
        (Some(token), None) => Ok(token),
        (None, Some(file)) => private::read_token(file),
        (None, None) => Err(Failure::Usage(format!(
            "no token: set the variable `{VARIABLE}`, or name a file with `--token-file`"
        ))),
    }
}

#[expect(clippy::disallowed_methods, reason = "a setting would be a flag too, which `ps` shows")]
fn variable() -> Option<SecretString> {
    std::env::var(VARIABLE).ok().map(SecretString::from)
}
