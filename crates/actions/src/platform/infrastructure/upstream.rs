//! Errors of external services as callers see them, and the check of services that can't be limited to a workspace.

use toolcrib_access::Caller;
use toolcrib_connectors::UpstreamError;
use toolcrib_engine::prelude::*;

/// Returns the error for a failure of `service`. It contains no text that the service wrote.
pub fn upstream(service: &str, cause: &UpstreamError) -> ActionError {
    let code = match cause {
        UpstreamError::Timeout => ErrorCode::Timeout,
        _ => ErrorCode::UpstreamError,
    };
    let mut error = ActionError::new(code, format!("{service} {}; nothing was done", cause.public_text()))
        .hint("`platform_get_system_health` shows which connectors answer");
    error.internal = Some(format!("{service} {}", cause.public_text()));
    log(service, &cause.logged());
    error
}

/// Logs the message of an external service, outside of the call's span and at level debug: a workspace's admins read
/// the lines of their own calls, but may not read what an operator's service writes.
pub fn log(service: &str, said: &str) {
    tracing::debug!(parent: None, service, said, "an outside service failed");
}

/// Returns 403 unless the caller is a system admin, because `service` can't be limited to a workspace.
pub fn platform_only(caller: &Caller, service: &str) -> Result<(), ActionError> {
    if caller.system_admin {
        return Ok(());
    }
    let detail =
        format!("only system admins may query {service}, because its data can't be limited to a workspace");
    Err(ActionError::new(ErrorCode::PermissionDenied, detail)
        .hint("use `platform_get_system_health` and `platform_query_loki_logs` for data of your workspace"))
}
