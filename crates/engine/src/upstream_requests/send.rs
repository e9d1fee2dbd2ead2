//! The runner of declared tools: sends the request of a mapping, and asks for the target of a call as its upstream
//! knows it. A confirmation is bound to its path and version.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt as _, future::BoxFuture};
use serde_json::value::to_raw_value;
use toolcrib_connectors::upstream::{Method, UpstreamSend};
use toolcrib_model::{ErrorCode, ExecutorKind, Id};
use toolcrib_toolset::{HttpMethod, ShapedResponse, build_target_request, max_response_bytes};

use super::{
    NoSession, Runner, RunnerCx, UpstreamEnd, answer,
    prepare::{HttpMessage, PreparedRequest, UpstreamMessage, defect},
};
use crate::base::{ActionError, Done, UpstreamTarget};

/// The time limit of the request for a target.
const TARGET_TIMEOUT: Duration = Duration::from_secs(10);

impl Runner for PreparedRequest {
    fn executor(&self) -> ExecutorKind {
        match &self.message {
            UpstreamMessage::Http(_) => ExecutorKind::Http,
            UpstreamMessage::Mcp(_) => ExecutorKind::Mcp,
        }
    }

    fn timeout(&self) -> Duration {
        self.timeout
    }

    fn has_target(&self) -> bool {
        self.tool().is_some_and(|tool| tool.target_mapping().is_some())
    }

    fn target<'a>(&'a self, cx: RunnerCx<'a>) -> BoxFuture<'a, Result<UpstreamTarget, ActionError>> {
        self.read_target(cx).boxed()
    }

    fn open_session(self: Arc<Self>, cx: RunnerCx<'_>) -> BoxFuture<'_, Result<Arc<dyn Runner>, NoSession>> {
        async move {
            let UpstreamMessage::Mcp(message) = &self.message else { return Ok(self as Arc<dyn Runner>) };
            Ok(self.in_session(message, self.session(message, cx).await?))
        }
        .boxed()
    }

    fn in_open_session(self: Arc<Self>, cx: RunnerCx<'_>) -> Result<Arc<dyn Runner>, NoSession> {
        let UpstreamMessage::Mcp(message) = &self.message else { return Ok(self) };
        Ok(self.in_session(message, message.open_session(cx)?))
    }

    fn with_target(self: Arc<Self>, _: &UpstreamTarget) -> Arc<dyn Runner> {
        self
    }

    fn send<'a>(&'a self, cx: RunnerCx<'a>) -> BoxFuture<'a, UpstreamEnd> {
        async move {
            let end = match &self.message {
                UpstreamMessage::Http(message) => self.send_http(cx, message, self.timeout).await,
                UpstreamMessage::Mcp(message) => message.call(self, cx).await,
            };
            end.map(|shaped| self.done(shaped))
        }
        .boxed()
    }
}

impl PreparedRequest {
    async fn send_http(
        &self,
        cx: RunnerCx<'_>,
        message: &HttpMessage,
        timeout: Duration,
    ) -> UpstreamEnd<ShapedResponse> {
        let request = &message.request;
        let mut headers = request.headers.clone();
        if let Some(name) = &message.id_header {
            headers.push((name.clone(), cx.call_id.to_string()));
        }
        let traceparent = cx.traceparent();
        let sent = cx.client.send(UpstreamSend {
            upstream: &message.limit_key,
            method: method(request.method),
            url: request.url.clone(),
            has_effect: message.has_effect,
            accept: None,
            headers: &headers,
            body: request.body.as_ref().map(|body| (body.content_type.as_str(), body.bytes.clone())),
            credential: self.upstream.credential(message.secret.clone()),
            roots: self.upstream.roots.as_ref(),
            timeout,
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

    /// Asks the upstream for the target of the call.
    async fn read_target(&self, cx: RunnerCx<'_>) -> Result<UpstreamTarget, ActionError> {
        let target = self.tool().and_then(|tool| tool.target_mapping().map(|target| (tool, target)));
        let (Some((tool, target)), UpstreamMessage::Http(call)) = (target, &self.message) else {
            return Err(ActionError::internal("a tool without a target was asked for it"));
        };
        let request =
            build_target_request(target, &self.upstream.base_url, &self.arguments).map_err(defect)?;
        let message = HttpMessage {
            limit_key: call.limit_key.clone(),
            request,
            has_effect: false,
            secret: call.secret.clone(),
            id_header: None,
            response: None,
            max_bytes: max_response_bytes(None),
        };
        let shaped = self.send_http(cx, &message, TARGET_TIMEOUT).await.of_read()?;
        let name = &self.upstream.name;
        if let Some(unreadable) = shaped.unreadable {
            let detail = format!("the target of the call can't be read: `{name}` answered with {unreadable}");
            return Err(ActionError::new(ErrorCode::UpstreamError, detail));
        }
        let data = shaped.response;
        let path = message.request.url.path();
        let no_version = |pointer: &String| {
            let detail = format!("the response of `{name}` has no version at `{pointer}`");
            ActionError::new(ErrorCode::UpstreamError, detail)
        };
        let binding = match &target.version {
            None => path.to_owned(),
            Some(pointer) => {
                let version = data.pointer(pointer).filter(|version| !version.is_null());
                format!("{path}\n{}", version.ok_or_else(|| no_version(pointer))?)
            }
        };
        let label = tool.target_label(&self.meta, &self.arguments, &data);
        Ok(UpstreamTarget { label, binding, effect: None })
    }

    /// Makes the result of the call.
    fn done(&self, shaped: ShapedResponse) -> Done {
        let ShapedResponse { data, response, truncated, unreadable } = shaped;
        let sentence = self.tool().map(|tool| tool.result_sentence(&self.meta, &self.arguments, &response));
        // All keys are strings, so serialization can't fail.
        let data = to_raw_value(&data).unwrap_or_default();
        Done { data, description: sentence.unwrap_or_default(), ends: Vec::new(), truncated, unreadable }
    }
}

impl RunnerCx<'_> {
    /// Returns the `traceparent` header, if the call has a trace.
    pub(super) fn traceparent(&self) -> Option<String> {
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
