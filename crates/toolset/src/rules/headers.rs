//! Rules for the names of headers.

/// Headers that a mapping may not set: they are ours, or they decide how the request is read.
const RESERVED: [&str; 20] = [
    "host",
    "authorization",
    "cookie",
    "cookie2",
    "set-cookie",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "upgrade",
    "expect",
    "forwarded",
    "user-agent",
    "accept",
    "accept-encoding",
    "traceparent",
    "tracestate",
    "via",
    "x-real-ip",
];

/// Beginnings of headers that a mapping may not set.
const RESERVED_PREFIXES: [&str; 4] = ["content-", "x-forwarded-", "proxy-", "mcp-"];

/// Returns what is wrong with the name of a header that a mapping sets.
pub fn wrong_header(name: &str) -> Option<&'static str> {
    if !is_token(name) {
        return Some("must be the name of a header: letters, digits and `-`, without parameters");
    }
    is_reserved(name).then_some("is a reserved header; remove it")
}

/// Returns what is wrong with the name of the header for a credential.
pub fn wrong_auth_header(name: &str) -> Option<&'static str> {
    if name.eq_ignore_ascii_case("authorization") { None } else { wrong_header(name) }
}

fn is_reserved(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    RESERVED.contains(&name.as_str()) || RESERVED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 64
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}
