//! Components that can be asked whether they work.

use futures_util::future::BoxFuture;
use toolcrib_model::Ts;

/// What a component is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentKind {
    /// This service itself.
    Service,
    /// Keeps the rows.
    Database,
    /// Counts calls.
    Limiter,
    /// Speaks to an outside service.
    Connector,
    /// Does something by itself every so often.
    Worker,
}

impl ComponentKind {
    /// The wire word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Database => "database",
            Self::Limiter => "limiter",
            Self::Connector => "connector",
            Self::Worker => "worker",
        }
    }
}

/// Asks one component whether it works.
pub trait Probe: Send + Sync {
    /// Its name, such as `limiter`; unique.
    fn name(&self) -> &str;

    /// What it is.
    fn kind(&self) -> ComponentKind;

    /// How long an answer is good for: it is asked again after so many seconds, at the next look where it is 0.
    fn every_seconds(&self) -> i64 {
        0
    }

    /// Whether it works; the text is for system admins alone.
    fn check(&self) -> BoxFuture<'_, Result<(), String>>;
}

/// What was last seen of a component.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ComponentKind,
    /// Whether it worked; absent before the first look.
    pub ok: Option<bool>,
    /// How long its answer took, in milliseconds; absent where there was none.
    pub latency_ms: Option<f64>,
    /// Since when it has been so.
    pub since: Ts,
    /// When it was last asked.
    pub checked_at: Option<Ts>,
    /// What it said instead of working. For system admins alone.
    pub fault: Option<String>,
}
