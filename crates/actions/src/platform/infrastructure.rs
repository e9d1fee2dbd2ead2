//! Monitoring and infrastructure: the service's logs, metrics, alerts and components, for admins.
//!
//! What this service knows about itself answers all of them. A workspace's admin sees what happened in their own
//! workspace, a system admin everything; each answer says which.

mod get_alerts;
mod get_logs;
mod get_system_health;
mod list_services;
mod presets;
mod query_loki_logs;
mod query_prometheus;
mod view;

use std::sync::Arc;

use toolcrib_connectors::embedded::Platform;
use toolcrib_engine::Action;

/// The actions of this category, in order.
pub fn actions(platform: &Arc<Platform>) -> Vec<Action> {
    vec![
        Action::external(query_loki_logs::QueryLokiLogs(platform.clone())),
        Action::external(query_prometheus::QueryPrometheus(platform.clone())),
        Action::external(get_alerts::GetAlerts(platform.clone())),
        Action::external(get_logs::GetLogs(platform.clone())),
        Action::external(list_services::ListServices(platform.clone())),
        Action::read_with(get_system_health::GetSystemHealth(platform.clone())),
    ]
}
