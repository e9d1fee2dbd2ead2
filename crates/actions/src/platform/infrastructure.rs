//! Monitoring and infrastructure: logs, metrics, alerts, services and components, for admins.
//!
//! Each action queries the external service that is configured for it, or else the data that this service collects
//! about itself. A workspace's admin sees data of their own workspace, a system admin all data; each result names its
//! scope. Only system admins may query a service that can't be limited to a workspace.

mod figures;
mod get_alerts;
mod get_logs;
mod get_system_health;
mod inbox;
mod list_services;
mod presets;
mod query_loki_logs;
mod query_prometheus;
mod view;

use toolcrib_engine::Action;

use super::Infrastructure;

pub use inbox::Inbox;

pub fn actions(services: &Infrastructure) -> Vec<Action> {
    vec![
        Action::external(query_loki_logs::QueryLokiLogs(services.clone())),
        Action::external(query_prometheus::QueryPrometheus(services.clone())),
        Action::external(get_alerts::GetAlerts(services.clone())),
        Action::external(get_logs::GetLogs(services.clone())),
        Action::external(list_services::ListServices(services.clone())),
        Action::read(get_system_health::GetSystemHealth(services.platform.clone())),
    ]
}
