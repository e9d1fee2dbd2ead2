//! The cookie of the console's sessions: its name, its attributes, and the requests in which it counts.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderValue, header, request::Parts as Head, uri::Authority};
use toolcrib_engine::ActionError;

use crate::{problem::malformed, request_meta::RequestMeta};

/// The cookie over HTTPS. The prefix makes browsers refuse it from subdomains and over plain HTTP.
const HTTPS_COOKIE: &str = "__Host-toolcrib";

/// What the console reads from the head of a request.
#[derive(Clone, Debug)]
pub struct BrowserRequest {
    /// The client's address.
    pub peer: IpAddr,
    /// The request came from this machine, names this machine, and no proxy forwarded it.
    pub local: bool,
    /// The secret of the session, if the cookie counts.
    pub session: Option<String>,
    /// The cookie of a sign-in through the identity provider, which sends the browser back from another site.
    pub login: Option<String>,
    /// The name of the cookie. `None` if nobody can sign in here: over plain HTTP that is not loopback.
    cookie: Option<String>,
    https: bool,
}

impl BrowserRequest {
    /// Reads the head of a request, which the outermost layer has seen.
    pub fn of(head: &Head) -> Result<Self, ActionError> {
        let meta = RequestMeta::of_head(head)?;
        let cookie = cookie_name(head, meta);
        let session = cookie_value(&head.headers, cookie.as_deref()).filter(|_| same_origin(&head.headers));
        let login = cookie_value(&head.headers, login_cookie_name(cookie.as_deref()).as_deref());
        Ok(Self {
            peer: meta.peer,
            local: meta.local,
            session: session.map(str::to_owned),
            login: login.map(str::to_owned),
            cookie,
            https: meta.https,
        })
    }

    /// Whether the session of a browser is safe here: over HTTPS or on loopback.
    pub fn may_sign_in(&self) -> bool {
        self.cookie.is_some()
    }

    /// Returns `Set-Cookie` that stores a secret, or removes the cookie.
    pub fn set_cookie(&self, secret: Option<&str>) -> Option<HeaderValue> {
        let name = self.cookie.as_deref()?;
        let secure = if self.https { "; Secure" } else { "" };
        let age = if secret.is_none() { "; Max-Age=0" } else { "" };
        let value = secret.unwrap_or_default();
        let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict{secure}{age}");
        HeaderValue::from_str(&text).ok()
    }

    /// Returns `Set-Cookie` that stores a sign-in for a number of seconds, or removes it.
    pub fn login_cookie(&self, value: Option<(&str, i64)>) -> Option<HeaderValue> {
        let name = login_cookie_name(self.cookie.as_deref())?;
        let secure = if self.https { "; Secure" } else { "" };
        let (value, age) = value.unwrap_or_default();
        let text = format!(
            "{name}={value}; Path=/console/login/done; HttpOnly; SameSite=Lax; Max-Age={age}{secure}"
        );
        HeaderValue::from_str(&text).ok()
    }
}

/// Returns the secret of the session if the cookie counts: the browser says that a page of this origin sent
/// the request. 400 if an `Authorization` header is beside the cookie.
pub(crate) fn session_of<'h>(head: &'h Head, meta: &RequestMeta) -> Result<Option<&'h str>, ActionError> {
    if !head.headers.contains_key(header::COOKIE) {
        return Ok(None);
    }
    let name = cookie_name(head, meta);
    let Some(secret) = cookie_value(&head.headers, name.as_deref()) else { return Ok(None) };
    if head.headers.contains_key(header::AUTHORIZATION) {
        let error = malformed("the request has both an `Authorization` header and the cookie of a session");
        return Err(error.hint("send one of them"));
    }
    Ok(same_origin(&head.headers).then_some(secret))
}

/// Whether the browser says that a page of this origin sent the request.
pub fn same_origin(headers: &HeaderMap) -> bool {
    let mut said = headers.get_all("sec-fetch-site").iter();
    said.next().is_some_and(|site| site == "same-origin") && said.next().is_none()
}

/// Returns the name of the cookie. On loopback over plain HTTP it has the port, because browsers share cookies
/// between the ports of a host.
fn cookie_name(head: &Head, meta: &RequestMeta) -> Option<String> {
    if meta.https {
        return Some(HTTPS_COOKIE.to_owned());
    }
    if !meta.local {
        return None;
    }
    let host = head.headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let port = host.parse::<Authority>().ok().and_then(|host| host.port_u16()).unwrap_or(80);
    Some(format!("toolcrib-{port}"))
}

/// Returns the name of the cookie of a sign-in beside that of the session. It has a path, which the prefix
/// `__Host-` does not allow.
fn login_cookie_name(session: Option<&str>) -> Option<String> {
    Some(match session? {
        HTTPS_COOKIE => "__Secure-toolcrib-login".to_owned(),
        local => format!("{local}-login"),
    })
}

/// Returns the value of the cookie. `None` if it was sent twice.
fn cookie_value<'h>(headers: &'h HeaderMap, name: Option<&str>) -> Option<&'h str> {
    let name = name?;
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut found = pairs.filter(|(known, _)| *known == name).map(|(_, value)| value);
    let value = found.next()?;
    found.next().is_none().then_some(value)
}
