//! Health probes of components.

use futures_util::future::BoxFuture;
use toolcrib_model::Ts;

toolcrib_model::closed_set! {
    "a kind of component",
    ComponentKind {
        /// This service itself.
        Service = "service",
        Database = "database",
        /// The store of the rate limiter.
        Limiter = "limiter",
        /// A client of an external service.
        Connector = "connector",
        Worker = "worker",
    }
}

/// A health probe of one component.
pub trait Probe: Send + Sync {
    /// Returns the component's unique name, such as `limiter`.
    fn name(&self) -> &str;

    fn kind(&self) -> ComponentKind;

    /// Returns the minimum time between two checks, in seconds. With 0, every
    /// [`Platform::observe`](super::Platform::observe) checks the component.
    fn every_seconds(&self) -> i64 {
        0
    }

    /// Checks whether the component works. The text of the error is only for system admins.
    fn check(&self) -> BoxFuture<'_, Result<(), String>>;
}

/// A component with the result of its last check.
#[derive(Clone, Debug)]
pub struct Component {
    pub name: String,
    pub kind: ComponentKind,
    /// Whether the component worked. `None` before the first check.
    pub ok: Option<bool>,
    /// The duration of the last check in milliseconds. `None` if the check failed.
    pub latency_ms: Option<f64>,
    /// When `ok` last changed, or when the component was added.
    pub since: Ts,
    /// When the component was last checked.
    pub checked_at: Option<Ts>,
    /// The error of the last check. Only for system admins.
    pub error: Option<String>,
}
