//! The metadata of a request, and the outermost layer, which sets it and the headers of every response.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    panic::AssertUnwindSafe,
    sync::Arc,
    time::Instant,
};

use axum::{
    extract::{ConnectInfo, MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header, request::Parts as Head},
    middleware::Next,
    response::{IntoResponse, Redirect, Response},
};
use futures_util::FutureExt;
use toolcrib_auth::Authenticated;
use toolcrib_engine::{ActionError, DecisionMeta};

use crate::{
    cors, headers,
    problem::{ProblemResponse, malformed, no_such_path, refuse},
    proxies::{asks_loopback, passed_on},
    state::HttpState,
    unread_body::UnreadBody,
};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The maximum length of a client's `X-Request-Id`.
const MAX_REQUEST_ID_LEN: usize = 128;

/// The label `status` of requests whose client went away before the answer, as nginx names it.
const CLIENT_GONE: u16 = 499;
/// The label `route` of requests to addresses where nothing is.
const NO_ROUTE: &str = "-";
/// One year. No `includeSubDomains`, because subdomains may belong to other services.
const HSTS: &str = "max-age=31536000";
/// Headers that isolate HTML pages from other sites: no window that opened a page can access it, no site can
/// embed it, and no page can use a device.
const ON_PAGES: [(HeaderName, &str); 3] = [
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), publickey-credentials-get=(), usb=()",
    ),
];

#[derive(Clone, Debug)]
pub(crate) struct RequestMeta {
    pub request_id: String,
    pub trace_id: Option<String>,
    /// The client's address: the other end of the connection, or the address that trusted proxies report.
    /// `0.0.0.0` if the server did not provide it.
    pub peer: IpAddr,
    /// The request came from this machine, names this machine, and no proxy forwarded it.
    pub local: bool,
    /// Users reach the service by HTTPS.
    pub https: bool,
}

impl RequestMeta {
    fn of(state: &Arc<HttpState>, request: &Request) -> Self {
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ip| ip.to_canonical());
        let client = state.app.edge.proxies.client(peer, request.headers());
        Self {
            request_id: client_request_id(request.headers())
                .unwrap_or_else(|| state.engine().new_id().to_string()),
            trace_id: headers::trace_id(request.headers()),
            peer: client,
            local: peer.is_loopback()
                && asks_loopback(request.uri(), request.headers())
                && !passed_on(request.headers()),
            https: state.app.edge.https,
        }
    }

    /// Reads the metadata from the head of a request, which the outermost layer has seen.
    pub fn of_head(head: &Head) -> Result<&Self, ActionError> {
        let known = head.extensions.get::<Self>();
        known.ok_or_else(|| ActionError::internal("a handler runs outside of the outermost layer"))
    }

    /// Returns the metadata of a decision without a token in its body.
    pub fn decision(&self, authenticated: &Authenticated) -> DecisionMeta {
        let (request_id, trace_id) = (self.request_id.clone(), self.trace_id.clone());
        DecisionMeta { surface: authenticated.surface(), request_id, trace_id, user_token: None }
    }
}

/// Returns the client's `X-Request-Id` if it is short enough and has only letters, digits and `-_.:`.
fn client_request_id(headers: &HeaderMap) -> Option<String> {
    let text = headers::one(headers, "X-Request-Id").ok()??;
    let fits = text.len() <= MAX_REQUEST_ID_LEN
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte));
    fits.then(|| text.to_owned())
}

/// The outermost layer: sets the request's metadata, writes the problem document of every error, and sets the
/// common headers of every response.
pub(crate) async fn request_layer(
    State(state): State<Arc<HttpState>>,
    request: Request,
    next: Next,
) -> Response {
    let mut measured = Measured::begin(&request);
    let meta = RequestMeta::of(&state, &request);
    let (mut request, unread) = UnreadBody::watch(request, state.app.edge.body_time);
    request.extensions_mut().insert(meta.clone());
    let response = if ambiguous(request.uri().path()) {
        let (head, _) = request.into_parts();
        no_such_page(State(Arc::clone(&state)), head.method, head.uri, head.headers).await
    } else if holds_nul(request.uri()) {
        ProblemResponse(malformed("the path or query contains a NUL character").hint("remove `%00`"))
            .into_response()
    } else {
        let ran = AssertUnwindSafe(next.run(request)).catch_unwind().await;
        ran.unwrap_or_else(|_| refuse(&ActionError::internal("a handler panicked"), &meta.request_id))
    };
    let mut response = set_headers(written(response, &meta), &meta, state.app.edge.https);
    unread.close_if_unread(&mut response);
    measured.status = response.status().as_u16();
    response
}

/// Like [`no_such_path`]. A browser gets a page, or is sent to the path without a slash at its end.
pub(crate) async fn no_such_page(
    State(state): State<Arc<HttpState>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let accepted = headers.get(header::ACCEPT).map_or(&[][..], HeaderValue::as_bytes);
    if method != Method::GET || !accepted.starts_with(b"text/html") {
        return no_such_path().await.into_response();
    }
    match uri.path().strip_suffix('/') {
        // Two slashes at the beginning would name another host.
        Some(path) if path.len() > 1 && !path.contains("//") && !path.contains('\\') => {
            let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
            Redirect::permanent(&format!("{path}{query}")).into_response()
        }
        _ => state.pages.no_such_page(),
    }
}

/// Counts a request and its duration when it is dropped, which also happens when the client goes away.
struct Measured {
    begun: Instant,
    route: Option<MatchedPath>,
    status: u16,
}

impl Measured {
    fn begin(request: &Request) -> Self {
        let route = request.extensions().get::<MatchedPath>().cloned();
        Self { begun: Instant::now(), route, status: CLIENT_GONE }
    }
}

impl Drop for Measured {
    fn drop(&mut self) {
        let route = self.route.as_ref().map_or(NO_ROUTE, MatchedPath::as_str).to_owned();
        metrics::histogram!("toolcrib_http_request_seconds", "route" => route, "status" => self.status.to_string())
            .record(self.begun.elapsed());
    }
}

/// Whether a path has an empty segment. Some parsers skip such a segment and others read it as a name. The
/// root of the console is a page, and MCP has one path with nothing below it.
fn ambiguous(path: &str) -> bool {
    path.contains("//") || (path.len() > 1 && path.ends_with('/') && !matches!(path, "/console/" | "/mcp/"))
}

/// Whether the URI contains a NUL, which PostgreSQL cannot store in text. The strict JSON parser refuses NUL
/// in bodies, and headers cannot contain it.
fn holds_nul(uri: &Uri) -> bool {
    uri.path_and_query().is_some_and(|all| all.as_str().contains("%00"))
}

/// Writes the problem document of an error. Keeps `Allow` and `WWW-Authenticate` of the original response.
fn written(mut response: Response, meta: &RequestMeta) -> Response {
    let Some(ProblemResponse(error)) = response.extensions_mut().remove::<ProblemResponse>() else {
        return response;
    };
    let mut problem = refuse(&error, &meta.request_id);
    for name in [header::ALLOW, header::WWW_AUTHENTICATE].iter().chain(&cors::KEPT) {
        if let Some(value) = response.headers_mut().remove(name) {
            problem.headers_mut().insert(name, value);
        }
    }
    problem
}

fn set_headers(mut response: Response, meta: &RequestMeta, https: bool) -> Response {
    let headers = response.headers_mut();
    if https {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HSTS));
    }
    if headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html")) {
        for (name, value) in ON_PAGES {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    if let Ok(id) = HeaderValue::from_str(&meta.request_id) {
        headers.insert(REQUEST_ID, id);
    }
    let always = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in always {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let unless_said = [
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    ];
    for (name, value) in unless_said {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
