//! Rules for upstreams: those of an operator's file, and those that a workspace stores.

use toolcrib_model::visible;
use url::Url;

use crate::{
    defect::{below, quoted},
    document::{AuthKind, DeclaredUpstream, SecretOwner, UpstreamAuth, UpstreamKind},
    limits::MAX_SECRET,
    note::CheckReport,
    rules::headers,
};

/// The shortest secret, in bytes: the masks of `toolcrib_connectors::upstream` find none that is shorter.
const SHORTEST_SECRET: usize = 4;
/// The shortest user of a login that these masks take for a key, in bytes.
const SHORTEST_KEY: usize = 8;

pub fn check(upstreams: &[DeclaredUpstream], report: &mut CheckReport) {
    for (position, upstream) in upstreams.iter().enumerate() {
        let at = below("/upstreams", position);
        let before = upstreams.iter().take(position);
        if let Some(name) = &upstream.name
            && before.into_iter().any(|other| other.name.as_ref() == Some(name))
        {
            report.defect(below(&at, "name"), format!("{} is declared twice", quoted(name)));
        }
        if let Some(base_url) = &upstream.base_url
            && let Some(message) = wrong_base_url(base_url, upstream.kind)
        {
            report.defect(below(&at, "base_url"), message);
        }
        if let Some(auth) = &upstream.auth {
            check_auth(auth, &below(&at, "auth"), report);
        }
    }
}

/// Returns what is wrong with the base URL of an upstream. Whether its host may be called is not decided here.
pub fn wrong_base_url(text: &str, kind: Option<UpstreamKind>) -> Option<String> {
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => return Some(format!("must be a URL such as `https://api.example/v2/`: {error}")),
    };
    let plain = text.chars().all(|c| c.is_ascii_graphic() && c != '\\');
    let message = if !plain {
        "must be written in visible ASCII without `\\`"
    } else if !matches!(url.scheme(), "https" | "http") || url.host_str().is_none_or(str::is_empty) {
        "must begin with `https://` and a host; `http://` is possible for hosts that the operator lists"
    } else if !url.username().is_empty() || url.password().is_some() || text.contains('@') {
        "must not contain a credential; use `auth`"
    } else if url.query().is_some() || url.fragment().is_some() {
        "must not have a query or a fragment"
    } else if kind == Some(UpstreamKind::Http) && !text.ends_with('/') {
        "must end with `/`, because paths are appended to it"
    } else if text != url.as_str() && text != url.as_str().trim_end_matches('/') {
        return Some(format!("must be written in its normal form `{}`", visible(url.as_str())));
    } else {
        return None;
    };
    Some(message.into())
}

/// Returns what is wrong with the name of the header in which the credential is sent.
pub fn wrong_auth_name(kind: AuthKind, name: Option<&str>) -> Option<&'static str> {
    match (name, kind) {
        (None, AuthKind::Header) => Some("is required for the kind `header`: the name of the header"),
        (Some(name), AuthKind::Header) => headers::wrong_auth_header(name),
        (Some(_), _) => Some("is only possible for the kind `header`; remove it"),
        (None, _) => None,
    }
}

/// Returns what is wrong with a secret: it could not be sent as the value of a header, or not be masked. Does not quote
/// it.
pub fn wrong_secret(kind: AuthKind, secret: &str) -> Option<&'static str> {
    let has_spaces = matches!(kind, AuthKind::Header | AuthKind::Basic);
    let is_visible = secret.bytes().all(|b| b.is_ascii_graphic() || (b == b' ' && has_spaces));
    if kind == AuthKind::None {
        Some("is not possible: requests to this upstream have no credential")
    } else if secret.is_empty() {
        Some("must not be empty")
    } else if secret.len() > MAX_SECRET {
        Some("must have at most 4,096 bytes")
    } else if secret.trim() != secret {
        Some("must not begin or end with a space or a line break")
    } else if !is_visible && kind == AuthKind::Bearer {
        Some("must be visible ASCII without spaces: the token alone, without `Bearer`")
    } else if !is_visible {
        Some("must be visible ASCII on one line")
    } else if kind == AuthKind::Basic && !secret.contains(':') {
        Some("must be `user:password`")
    } else if is_short(kind, secret) {
        Some("must have at least 4 bytes, and so must a password: shorter ones can't be masked in answers")
    } else {
        None
    }
}

/// Returns whether a secret is too short to be masked. Of a login, the password is the secret; where the user is a key,
/// the password may only fill its place.
fn is_short(kind: AuthKind, secret: &str) -> bool {
    match secret.split_once(':').filter(|_| kind == AuthKind::Basic) {
        Some((user, password)) => matches!(password.len(), 1..SHORTEST_SECRET) && user.len() < SHORTEST_KEY,
        None => secret.len() < SHORTEST_SECRET,
    }
}

fn check_auth(auth: &UpstreamAuth, at: &str, report: &mut CheckReport) {
    let Some(kind) = auth.kind else { return };
    if let Some(message) = wrong_auth_name(kind, auth.name.as_deref()) {
        report.defect(below(at, "name"), message);
    }
    let sources = [("env", auth.env.is_some()), ("file", auth.file.is_some())];
    let given: Vec<&str> = sources.into_iter().filter(|(_, given)| *given).map(|(key, _)| key).collect();
    let needs_secret = kind != AuthKind::None && auth.owner != Some(SecretOwner::User);
    match (needs_secret, given.as_slice()) {
        (true, []) => report.defect(at, "names no secret; add `env` or `file`"),
        (true, [_, _]) => report.defect(at, "names two secrets; remove `env` or `file`"),
        (false, [key, ..]) => {
            let message = "not possible here, because requests have no secret of the operator; remove it";
            report.defect(below(at, key), message);
        }
        _ => {}
    }
    let is_variable = |name: &str| {
        let first = name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
        first && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    if auth.env.as_deref().is_some_and(|name| !is_variable(name)) {
        report.defect(below(at, "env"), "must be the name of an environment variable, not the secret itself");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_can_be_sent_in_its_place() {
        let long = "x".repeat(MAX_SECRET + 1);
        for (kind, good, bad) in [
            (AuthKind::Bearer, "s3cr.et-_~", ["", "abc", "a b", "Bearer x", "a\r\nb", "é", &long]),
            (AuthKind::Header, "Token s3cret", ["", "abc", " a", "a\n", "a\u{0}b", "é", &long]),
            (AuthKind::Basic, "me:pass word", ["", "me:abc", "me", "me:x ", "me:\tx", "me:é", &long]),
        ] {
            assert_eq!(wrong_secret(kind, good), None, "{kind:?}");
            for secret in bad {
                assert!(wrong_secret(kind, secret).is_some(), "{kind:?} {secret:?}");
            }
        }
        assert_eq!(wrong_secret(AuthKind::Bearer, &long[1..]), None);
        for key_as_user in ["sk_live_4711:x", "me:"] {
            assert_eq!(wrong_secret(AuthKind::Basic, key_as_user), None, "{key_as_user}");
        }
        assert!(wrong_secret(AuthKind::None, "x").is_some());
    }
}
