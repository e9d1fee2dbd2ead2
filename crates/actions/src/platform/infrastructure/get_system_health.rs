//! Gets the health of the platform's components.

use std::sync::Arc;

use toolcrib_connectors::embedded::{ComponentKind, Platform, Process};
use toolcrib_engine::prelude::*;
use toolcrib_store::health;

use super::view::{ComponentView, reach};
use crate::shared::NoArguments;

pub struct GetSystemHealth(pub Arc<Platform>);

/// Resources of this process.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ProcessView {
    /// Seconds since the start.
    pub uptime_seconds: i64,
    /// Time of the start.
    pub started_at: Ts,
    /// Memory in use in bytes; null if unknown.
    pub memory_bytes: Option<u64>,
    /// Maximum of the memory in use in bytes; null if unknown.
    pub memory_peak_bytes: Option<u64>,
    /// Number of threads; null if unknown.
    pub threads: Option<u64>,
}

/// Result of `platform_get_system_health`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// `healthy`, `degraded` if a component is down, or `unknown` if a component was not checked yet.
    #[schemars(extend("x-ours" = true))]
    pub status: &'static str,
    /// Components. The database is checked by this call, the others were checked at `checked_at`.
    pub components: Vec<ComponentView>,
    /// Resources of this process.
    pub process: ProcessView,
}

impl ReadAction for GetSystemHealth {
    type Input = NoArguments;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_system_health", Category::Infrastructure, Permission::INFRASTRUCTURE_READ)
            .promoted()
            .admin_only()
            .describe(
                "Check the health of database, limiter, connectors and workers: state, latency, start; memory and uptime.",
            )
            .tags(&["health", "status", "uptime", "latency", "outage", "memory"])
            .examples(&["Is the platform healthy?", "Why is everything so slow?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &NoArguments) -> Result<Output, ActionError> {
        let reach = reach(cx.caller);
        let took = health::answer(cx.tx).await?;
        let mut components = vec![self.database(took.as_secs_f64() * 1_000.0)];
        let others = self.0.components().into_iter();
        let others =
            others.filter(|one| !matches!(one.kind, ComponentKind::Service | ComponentKind::Database));
        components.extend(others.map(|component| ComponentView::of(component, reach)));
        Ok(Output { status: status(&components), components, process: self.process() })
    }

    fn describe(_: &NoArguments, output: &Output) -> String {
        let down: Vec<String> = output
            .components
            .iter()
            .filter(|component| component.state == "down")
            .map(|component| format!("`{}`", component.name))
            .collect();
        if down.is_empty() {
            format!("The platform is {}", output.status)
        } else {
            format!("The platform is {}: {} down", output.status, down.join(", "))
        }
    }
}

impl GetSystemHealth {
    /// Returns the database as up, because it responded in this transaction.
    fn database(&self, latency_ms: f64) -> ComponentView {
        let now = self.0.now();
        let seen = self.0.components().into_iter().find(|one| one.kind == ComponentKind::Database);
        let since = match seen {
            Some(seen) if seen.ok != Some(false) => seen.since,
            Some(_) => now,
            None => self.0.started(),
        };
        ComponentView {
            name: "database".to_owned(),
            kind: ComponentKind::Database.as_str(),
            state: "up",
            latency_ms: Some(latency_ms),
            since: Some(since),
            checked_at: Some(now),
            error: None,
        }
    }

    fn process(&self) -> ProcessView {
        let process = Process::now();
        ProcessView {
            uptime_seconds: self.0.now().micros_since(self.0.started()).max(0) / 1_000_000,
            started_at: self.0.started(),
            memory_bytes: process.resident_bytes,
            memory_peak_bytes: process.peak_bytes,
            threads: process.threads,
        }
    }
}

fn status(components: &[ComponentView]) -> &'static str {
    let any = |state| components.iter().any(|component| component.state == state);
    if any("down") {
        "degraded"
    } else if any("unknown") {
        "unknown"
    } else {
        "healthy"
    }
}
