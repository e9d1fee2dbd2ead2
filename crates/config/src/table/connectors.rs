//! Settings for connectors: external services and their tokens.

use super::{Setting, SettingKind, setting};

pub(super) const SETTINGS: [Setting; 14] = [
    setting(
        "connector_proxy",
        "URL",
        SettingKind::Url,
        None,
        "The HTTP proxy for requests to external services; HTTP_PROXY and similar variables are ignored",
    ),
    setting(
        "workspace_label",
        "NAME",
        SettingKind::Text,
        Some("workspace"),
        "The label that holds the workspace ID in metrics, log lines and alerts",
    ),
    setting("prometheus_url", "URL", SettingKind::Url, None, "URL of the Prometheus that has the metrics"),
    setting("prometheus_token", "TOKEN", SettingKind::Secret, None, "The bearer token that it wants"),
    setting("loki_url", "URL", SettingKind::Url, None, "URL of the Loki that has the log lines"),
    setting("loki_token", "TOKEN", SettingKind::Secret, None, "The bearer token that it wants"),
    setting(
        "loki_service_label",
        "NAME",
        SettingKind::Text,
        Some("service_name"),
        "The label that names the service that wrote a log line",
    ),
    setting("alertmanager_url", "URL", SettingKind::Url, None, "URL of the Alertmanager that has the alerts"),
    setting("alertmanager_token", "TOKEN", SettingKind::Secret, None, "The bearer token that it wants"),
    setting(
        "alertmanager_webhook_token",
        "TOKEN",
        SettingKind::Secret,
        None,
        "The bearer token with which an Alertmanager posts to /v1/hooks/alertmanager; without it nobody can",
    ),
    setting(
        "railway_url",
        "URL",
        SettingKind::Url,
        Some("https://backboard.railway.com/graphql/v2"),
        "Where Railway's GraphQL API answers",
    ),
    setting(
        "railway_token",
        "TOKEN",
        SettingKind::Secret,
        None,
        "An account's or a workspace's token for it; needed with a project",
    ),
    setting(
        "railway_project",
        "ID",
        SettingKind::Text,
        None,
        "The project whose services and logs are shown",
    ),
    setting(
        "railway_environment",
        "NAME",
        SettingKind::Text,
        Some("production"),
        "The environment of the project",
    ),
];
