//! Sends a request.

use toolcrib_connectors::upstream::{Method, UpstreamClient, UpstreamSend};
use toolcrib_model::Id;
use toolcrib_toolset::HttpMethod;

use super::{
    UpstreamEnd, answer,
    prepare::{HttpMessage, PreparedRequest, UpstreamMessage},
};

/// What a request says about its call.
#[derive(Clone, Copy)]
pub(crate) struct RequestOfCall<'c> {
    pub call_id: Id,
    pub trace_id: Option<&'c str>,
}

impl PreparedRequest {
    /// Sends the request, once.
    pub async fn send(&self, client: &UpstreamClient, of_call: RequestOfCall<'_>) -> UpstreamEnd {
        match &self.message {
            UpstreamMessage::Http(message) => self.send_http(client, message, of_call).await,
            UpstreamMessage::Mcp(message) => {
                message.call(&self.upstream.name, self.timeout, of_call.traceparent().as_deref()).await
            }
        }
    }

    async fn send_http(
        &self,
        client: &UpstreamClient,
        message: &HttpMessage,
        of_call: RequestOfCall<'_>,
    ) -> UpstreamEnd {
        let request = &message.request;
        let mut headers = request.headers.clone();
        if let Some(name) = &message.id_header {
            headers.push((name.clone(), of_call.call_id.to_string()));
        }
        let traceparent = of_call.traceparent();
        let sent = client.send(UpstreamSend {
            upstream: &message.limit_key,
            method: method(request.method),
            url: request.url.clone(),
            has_effect: message.has_effect,
            accept: None,
            headers: &headers,
            body: request.body.as_ref().map(|body| (body.content_type.as_str(), body.bytes.clone())),
            credential: self.upstream.credential(message.secret.clone()),
            roots: self.upstream.roots.as_ref(),
            timeout: self.timeout,
            max_bytes: message.max_bytes,
            traceparent: traceparent.as_deref(),
            watch: None,
        });
        let (name, response) = (&self.upstream.name, message.response.as_ref());
        match sent.await {
            Ok(answer) => answer::read(name, response, &answer),
            Err(error) => answer::unanswered(name, message.has_effect, &error),
        }
    }
}

impl RequestOfCall<'_> {
    /// Returns the `traceparent` header, if the call has a trace.
    fn traceparent(&self) -> Option<String> {
        traceparent(self.trace_id?, self.call_id)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_in_the_trace_of_its_call() {
        let call = Id::from_u128(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        let parent = traceparent("4BF92F3577B34DA6A3CE929D0E0E4736", call);
        assert_eq!(parent.as_deref(), Some("00-4bf92f3577b34da6a3ce929d0e0e4736-0123456789abcdef-01"));
        for other in ["", "trace-7", "4bf92f3577b34da6a3ce929d0e0e473", "4bf92f3577b34da6a3ce929d0e0e473g"] {
            assert_eq!(traceparent(other, call), None, "{other}");
        }
    }
}
