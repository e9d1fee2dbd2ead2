//! Parses request headers. A header that two parsers could read differently is refused.

use axum::http::HeaderMap;
use toolcrib_auth::RequestedContext;
use toolcrib_engine::{ActionError, CatalogPack};

use crate::problem::malformed;

/// The maximum length of a header value, in bytes.
const MAX_VALUE_LEN: usize = 200;

/// Returns the value of a header. 400 if the header was sent twice, or is empty, too long or not visible
/// ASCII.
pub(crate) fn one<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, ActionError> {
    let mut values = headers.get_all(name).iter();
    let Some(first) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(malformed(format!("`{name}` was sent more than once")).hint("send it once"));
    }
    let text = first.to_str().ok().map(str::trim).filter(|text| {
        !text.is_empty()
            && text.len() <= MAX_VALUE_LEN
            && text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
    });
    text.map(Some).ok_or_else(|| {
        malformed(format!(
            "`{name}` must be 1 to {MAX_VALUE_LEN} visible ASCII characters, with spaces between them at most"
        ))
        .hint("omit it if it is not needed")
    })
}

/// Returns the context that the `X-…` headers request, with those of packs.
pub(crate) fn requested(headers: &HeaderMap, packs: &[CatalogPack]) -> Result<RequestedContext, ActionError> {
    let wish = |name| one(headers, name).map(|value| value.map(str::to_owned));
    let mut of_packs = Vec::new();
    for pack in packs {
        if let Some(name) = pack.pack.context_header
            && let Some(value) = wish(name)?
        {
            of_packs.push((pack.slug(), value));
        }
    }
    Ok(RequestedContext {
        workspace: wish("X-Workspace-Id")?,
        caller_type: wish("X-Caller-Type")?,
        session: wish("X-Session-Id")?,
        mission: wish("X-Mission-Id")?,
        on_behalf_of: wish("X-On-Behalf-Of")?,
        packs: of_packs,
    })
}

/// Returns `Idempotency-Key`. 400 if it contains spaces.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ActionError> {
    let key = one(headers, "Idempotency-Key")?;
    if key.is_some_and(|key| key.contains(' ')) {
        return Err(malformed("`Idempotency-Key` must not contain spaces"));
    }
    Ok(key.map(str::to_owned))
}

/// Returns the version in `If-Match`, or `*`, with which the operation refuses a resource that does not exist.
pub(crate) fn if_match(headers: &HeaderMap) -> Result<Option<String>, ActionError> {
    let Some(text) = one(headers, "If-Match")? else { return Ok(None) };
    if text == "*" {
        return Ok(Some(text.to_owned()));
    }
    let tag = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let tag = tag.filter(|tag| !tag.is_empty() && !tag.contains('"'));
    tag.map(|tag| Some(tag.to_owned()))
        .ok_or_else(|| malformed("`If-Match` must be one `ETag`, with its quotes"))
}

/// Returns the trace ID in the header `traceparent` if it is well-formed.
pub(crate) fn trace_id(headers: &HeaderMap) -> Option<String> {
    trace_id_of(headers.get("traceparent")?.to_str().ok()?)
}

/// Returns the trace ID in a `traceparent` if it is well-formed.
pub fn trace_id_of(traceparent: &str) -> Option<String> {
    let parts: Vec<&str> = traceparent.split('-').collect();
    let [version, trace, parent, _flags, ..] = parts.as_slice() else { return None };
    let hex = |part: &str, length| {
        part.len() == length
            && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            && part.bytes().any(|byte| byte != b'0')
    };
    (version.len() == 2 && *version != "ff" && hex(trace, 32) && hex(parent, 16)).then(|| (*trace).to_owned())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn with(name: &'static str, values: &[&'static str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn a_header_counts_once_or_not_at_all() {
        assert_eq!(one(&with("x-workspace-id", &["a"]), "X-Workspace-Id").unwrap(), Some("a"));
        assert_eq!(one(&HeaderMap::new(), "X-Workspace-Id").unwrap(), None);
        for bad in [vec!["a", "a"], vec!["a", "b"], vec![""], vec!["  "]] {
            assert!(one(&with("x-workspace-id", &bad), "X-Workspace-Id").is_err(), "{bad:?}");
        }
        assert!(idempotency_key(&with("idempotency-key", &["a b"])).is_err());
    }

    #[test]
    fn versions_come_in_quotes() {
        assert_eq!(if_match(&with("if-match", &["\"7\""])).unwrap().as_deref(), Some("7"));
        assert_eq!(if_match(&with("if-match", &["*"])).unwrap().as_deref(), Some("*"));
        assert!(if_match(&with("if-match", &["7"])).is_err());
        assert!(if_match(&with("if-match", &["\"7\", \"8\""])).is_err());
    }

    #[test]
    fn a_trace_is_taken_only_where_it_is_well_formed() {
        let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        assert_eq!(
            trace_id(&with("traceparent", &[good])).as_deref(),
            Some("0af7651916cd43dd8448eb211c80319c")
        );
        for bad in
            ["", "00-zz-b7ad6b7169203331-01", "00-00000000000000000000000000000000-b7ad6b7169203331-01"]
        {
            assert_eq!(trace_id(&with("traceparent", &[bad])), None);
        }
    }
}
