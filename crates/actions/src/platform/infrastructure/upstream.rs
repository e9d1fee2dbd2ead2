//! What outside services do wrong, as callers are told; and who may ask those that know no workspaces.

use toolcrib_access::Caller;
use toolcrib_connectors::UpstreamError;
use toolcrib_engine::ActionError;
use toolcrib_model::ErrorCode;

/// What a caller is told of a fault of `service`: nothing that the service itself wrote.
pub fn upstream(service: &str, fault: &UpstreamError) -> ActionError {
    let code = match fault {
        UpstreamError::Timeout => ErrorCode::Timeout,
        _ => ErrorCode::UpstreamError,
    };
    let mut error = ActionError::new(code, format!("{service} {}; nothing was done", fault.told()))
        .hint("`platform_get_system_health` shows which connectors answer");
    error.internal = Some(format!("{service} {}", fault.told()));
    log(service, &fault.logged());
    error
}

/// Writes down what an outside service said. Outside of the call's span and for developers: a workspace's admins read
/// the lines of their own calls, and what an operator's service writes is not theirs.
pub fn log(service: &str, said: &str) {
    tracing::debug!(parent: None, service, said, "an outside service failed");
}

/// 403 for all but system admins: `service` can't be limited to a workspace.
pub fn platform_only(caller: &Caller, service: &str) -> Result<(), ActionError> {
    if caller.system_admin {
        return Ok(());
    }
    let detail = format!("{service} knows no workspaces, so that its data is for system admins alone");
    Err(ActionError::new(ErrorCode::PermissionDenied, detail).hint(
        "`platform_get_system_health` and `platform_query_loki_logs` show what concerns your workspace",
    ))
}
