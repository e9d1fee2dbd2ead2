//! The target of a call as its upstream knows it. A confirmation is bound to its path and version.

use toolcrib_connectors::upstream::UpstreamClient;
use toolcrib_model::ErrorCode;

use super::{CallOfUpstream, PreparedRequest, RequestOfCall, prepare::UpstreamMessage};
use crate::base::{ActionError, UpstreamTarget};

/// Asks the upstream for the target of a call.
pub(crate) async fn read_target(
    client: &UpstreamClient,
    prepared: &PreparedRequest,
    of_call: RequestOfCall<'_>,
    call: CallOfUpstream<'_>,
) -> Result<UpstreamTarget, ActionError> {
    let shaped = prepared.send(client, of_call).await.of_read()?;
    if let Some(unreadable) = shaped.unreadable {
        let name = &prepared.upstream.name;
        let detail = format!("the target of the call can't be read: `{name}` answered with {unreadable}");
        return Err(ActionError::new(ErrorCode::UpstreamError, detail));
    }
    let data = shaped.response;
    let tool = call.catalog.declared(&call.meta.spec.name);
    let target = tool.and_then(|tool| tool.target_mapping().map(|target| (tool, target)));
    let Some((tool, target)) = target else {
        return Err(ActionError::internal("a tool without a target was asked for it"));
    };
    let version = match &target.version {
        None => None,
        Some(pointer) => {
            Some(data.pointer(pointer).filter(|version| !version.is_null()).ok_or_else(|| {
                let detail =
                    format!("the response of `{}` has no version at `{pointer}`", prepared.upstream.name);
                ActionError::new(ErrorCode::UpstreamError, detail)
            })?)
        }
    };
    let UpstreamMessage::Http(message) = &prepared.message else {
        return Err(ActionError::internal("the target of a call is not read by HTTP"));
    };
    let path = message.request.url.path();
    let binding = version.map_or_else(|| path.to_owned(), |version| format!("{path}\n{version}"));
    Ok(UpstreamTarget { label: tool.target_label(call.meta, call.arguments, &data), binding })
}
