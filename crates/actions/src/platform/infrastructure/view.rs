//! What the infrastructure actions share: reach, log lines, components.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolcrib_access::Caller;
use toolcrib_connectors::embedded::{Component, DataScope, LogLevel, LogLine};
use toolcrib_model::{Id, Ts};

/// Where the answer is from: this service itself.
pub const EMBEDDED: &str = "embedded";

/// What a connector is called, as the source of an answer.
pub const PROMETHEUS: &str = "prometheus";
/// See [`PROMETHEUS`].
pub const LOKI: &str = "loki";
/// See [`PROMETHEUS`].
pub const ALERTMANAGER: &str = "alertmanager";
/// See [`PROMETHEUS`].
pub const RAILWAY: &str = "railway";

/// How far an answer reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Scope {
    /// What happened in the caller's workspace.
    Workspace,
    /// The whole platform: only for system admins.
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

/// Everything for a system admin, for others their own workspace.
pub fn reach(caller: &Caller) -> DataScope {
    if caller.system_admin { DataScope::Platform } else { DataScope::Workspace(caller.workspace) }
}

/// How bad a log line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Level {
    /// For developers.
    Debug,
    /// As it should be.
    Info,
    /// Odd, and survived.
    Warning,
    /// Something failed.
    Error,
}

impl From<Level> for LogLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Debug => Self::Debug,
            Level::Info => Self::Info,
            Level::Warning => Self::Warning,
            Level::Error => Self::Error,
        }
    }
}

/// One line of a log.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LineView {
    /// When it was written.
    pub at: Ts,
    /// `debug`, `info`, `warning` or `error`.
    #[schemars(extend("x-ours" = true))]
    pub level: &'static str,
    /// The part of the service that wrote it.
    #[schemars(extend("x-untrusted" = "log lines"))]
    pub service: String,
    /// The text.
    #[schemars(extend("x-untrusted" = "log lines"))]
    pub message: String,
    /// What goes with it.
    #[schemars(extend("x-untrusted" = "log lines"))]
    pub fields: Map<String, Value>,
    /// In which workspace it happened; null where in none.
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

/// One component of the service.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ComponentView {
    /// Its name.
    #[schemars(extend("x-ours" = true))]
    pub name: String,
    /// `service`, `database`, `limiter`, `connector` or `worker`.
    #[schemars(extend("x-ours" = true))]
    pub kind: &'static str,
    /// `up`, `down`, or `unknown` before it was first asked.
    #[schemars(extend("x-ours" = true))]
    pub state: &'static str,
    /// How long its last answer took, in milliseconds; null where there was none.
    pub latency_ms: Option<f64>,
    /// Since when it has been in this state; null where that is unknown.
    pub since: Option<Ts>,
    /// When it was last asked; null before.
    pub checked_at: Option<Ts>,
    /// What it said instead of working; null for all but system admins.
    #[schemars(extend("x-untrusted" = "answers of services"))]
    pub error: Option<String>,
}

impl ComponentView {
    /// As a caller of this reach may see it.
    pub fn of(component: Component, reach: DataScope) -> Self {
        Self {
            name: component.name,
            kind: component.kind.as_str(),
            state: state(component.ok),
            latency_ms: component.latency_ms,
            since: Some(component.since),
            checked_at: component.checked_at,
            error: component.fault.filter(|_| reach == DataScope::Platform),
        }
    }
}

/// The word for it.
pub fn state(ok: Option<bool>) -> &'static str {
    match ok {
        Some(true) => "up",
        Some(false) => "down",
        None => "unknown",
    }
}
