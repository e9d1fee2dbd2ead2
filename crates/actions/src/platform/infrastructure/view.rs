//! What the infrastructure actions share: scope, log lines, components, and errors of external services.

use serde_json::{Map, Value};
use toolcrib_access::Caller;
use toolcrib_connectors::{
    UpstreamError,
    embedded::{Component, DataScope, LogLine},
};
use toolcrib_engine::prelude::*;

/// Source of a result: this service itself.
pub const EMBEDDED: &str = "embedded";

/// Source of a result: a connector.
pub const PROMETHEUS: &str = "prometheus";
/// See [`PROMETHEUS`].
pub const LOKI: &str = "loki";
/// See [`PROMETHEUS`].
pub const ALERTMANAGER: &str = "alertmanager";
/// See [`PROMETHEUS`].
pub const RAILWAY: &str = "railway";

/// Scope of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Scope {
    /// The caller's workspace.
    Workspace,
    /// The whole platform, for system admins only.
    Platform,
}

impl From<DataScope> for Scope {
    fn from(reach: DataScope) -> Self {
        match reach {
            DataScope::Workspace(_) => Self::Workspace,
            DataScope::Platform => Self::Platform,
        }
    }
}

/// Returns the scope of a caller's data: the platform for a system admin, otherwise the caller's workspace.
pub fn reach(caller: &Caller) -> DataScope {
    if caller.system_admin { DataScope::Platform } else { DataScope::Workspace(caller.workspace) }
}

/// A log line.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LineView {
    /// Time of the line.
    pub at: Ts,
    /// Level: `debug`, `info`, `warning` or `error`.
    #[schemars(extend("x-ours" = true))]
    pub level: &'static str,
    /// Part of the service that wrote the line.
    #[schemars(extend("x-untrusted" = "log lines"))]
    pub service: String,
    /// Message.
    #[schemars(extend("x-untrusted" = "log lines"))]
    pub message: String,
    /// Fields of the line.
    #[schemars(extend("x-untrusted" = "log lines"))]
    pub fields: Map<String, Value>,
    /// ID of the workspace that the line belongs to; null if none.
    pub workspace_id: Option<Id>,
}

impl From<LogLine> for LineView {
    fn from(line: LogLine) -> Self {
        Self {
            at: line.at,
            level: line.level.as_str(),
            service: line.service,
            message: line.message,
            fields: line.fields,
            workspace_id: line.workspace,
        }
    }
}

/// A component of the platform.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ComponentView {
    /// Name of the component.
    #[schemars(extend("x-ours" = true))]
    pub name: String,
    /// Kind: `service`, `database`, `limiter`, `connector` or `worker`.
    #[schemars(extend("x-ours" = true))]
    pub kind: &'static str,
    /// State: `up`, `down`, or `unknown` before the first check.
    #[schemars(extend("x-ours" = true))]
    pub state: &'static str,
    /// Latency of the last check in milliseconds; null if there was none.
    pub latency_ms: Option<f64>,
    /// Start of the state; null if unknown.
    pub since: Option<Ts>,
    /// Time of the last check; null before the first check.
    pub checked_at: Option<Ts>,
    /// Error of the last check; null except for system admins.
    #[schemars(extend("x-untrusted" = "answers of services"))]
    pub error: Option<String>,
}

impl ComponentView {
    /// Returns the component as a caller with this scope may see it.
    pub fn of(component: Component, reach: DataScope) -> Self {
        Self {
            name: component.name,
            kind: component.kind.as_str(),
            state: state(component.ok),
            latency_ms: component.latency_ms,
            since: Some(component.since),
            checked_at: component.checked_at,
            error: component.error.filter(|_| reach == DataScope::Platform),
        }
    }
}

pub fn state(ok: Option<bool>) -> &'static str {
    match ok {
        Some(true) => "up",
        Some(false) => "down",
        None => "unknown",
    }
}

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
