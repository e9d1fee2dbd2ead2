//! Sends a request.

use toolcrib_connectors::upstream::{Method, UpstreamClient, UpstreamCredential, UpstreamSend};
use toolcrib_model::Id;
use toolcrib_toolset::{AuthKind, HttpMethod};

use super::{UpstreamEnd, answer, prepare::PreparedRequest};

/// What a request says about its call.
#[derive(Clone, Copy)]
pub(crate) struct RequestOfCall<'c> {
    pub call_id: Id,
    /// The id of the caller's trace, if there is one.
    pub trace_id: Option<&'c str>,
}

impl PreparedRequest {
    /// Sends the request, once.
    pub async fn send(&self, client: &UpstreamClient, of_call: RequestOfCall<'_>) -> UpstreamEnd {
        let mut headers = self.request.headers.clone();
        if let Some(name) = &self.id_header {
            headers.push((name.clone(), of_call.call_id.to_string()));
        }
        let traceparent = of_call.trace_id.and_then(|trace| traceparent(trace, of_call.call_id));
        let body = self.request.body.as_ref().map(|body| (body.content_type, body.bytes.clone()));
        let sent = client.send(UpstreamSend {
            upstream: &self.limit_key,
            method: method(self.request.method),
            url: self.request.url.clone(),
            accept: None,
            headers: &headers,
            body,
            credential: self.credential(),
            roots: self.upstream.roots.as_ref(),
            timeout: self.timeout,
            max_bytes: self.max_bytes,
            traceparent: traceparent.as_deref(),
            watch: None,
        });
        match sent.await {
            Ok(answer) => answer::read(self, &answer),
            Err(error) => answer::unsent(self, &error),
        }
    }

    fn credential(&self) -> Option<UpstreamCredential> {
        let secret = self.secret.clone()?;
        match self.upstream.auth {
            AuthKind::None => None,
            AuthKind::Bearer => Some(UpstreamCredential::Bearer(secret)),
            AuthKind::Basic => Some(UpstreamCredential::Basic(secret)),
            AuthKind::Header => {
                Some(UpstreamCredential::Header { name: self.upstream.auth_header.clone()?, value: secret })
            }
        }
    }
}

/// Returns the `traceparent` of a request in this trace; `None` for an id that is no W3C trace id.
fn traceparent(trace: &str, call: Id) -> Option<String> {
    let is_trace = trace.len() == 32 && trace.bytes().all(|b| b.is_ascii_hexdigit());
    let hex: String = call.to_string().chars().filter(char::is_ascii_hexdigit).collect();
    let span = hex.get(hex.len().checked_sub(16)?..)?;
    is_trace.then(|| format!("00-{}-{span}-01", trace.to_ascii_lowercase()))
}

fn method(method: HttpMethod) -> Method {
    match method {
        HttpMethod::Get => Method::GET,
        HttpMethod::Head => Method::HEAD,
        HttpMethod::Post => Method::POST,
        HttpMethod::Put => Method::PUT,
        HttpMethod::Patch => Method::PATCH,
        HttpMethod::Delete => Method::DELETE,
    }
}
