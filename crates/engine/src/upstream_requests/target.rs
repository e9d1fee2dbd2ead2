//! The target of a call as its upstream knows it. A confirmation is bound to its path and version.

use std::time::Duration;

use toolcrib_model::ErrorCode;
use toolcrib_toolset::{build_target_request, max_response_bytes};

use super::{
    RunnerCx,
    prepare::{HttpMessage, PreparedRequest, UpstreamMessage, defect},
};
use crate::base::{ActionError, UpstreamTarget};

/// The time limit of the request for a target.
const TARGET_TIMEOUT: Duration = Duration::from_secs(10);

impl PreparedRequest {
    /// Asks the upstream for the target of the call.
    pub(super) async fn read_target(&self, cx: RunnerCx<'_>) -> Result<UpstreamTarget, ActionError> {
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
}
