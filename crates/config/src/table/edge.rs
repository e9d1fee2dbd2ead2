//! Settings for clients: trusted proxies, and limits of time and connections.

use super::{Setting, SettingKind, setting};

pub(super) const TRUSTED_PROXIES: Setting = setting(
    "trusted_proxies",
    "CIDR,…",
    SettingKind::List,
    None,
    "Addresses of reverse proxies that are trusted to report the client's address, such as 10.0.0.0/8",
);
pub(super) const PROXY_HEADER: Setting = setting(
    "proxy_header",
    "NAME",
    SettingKind::Word(&["x-forwarded-for", "forwarded"]),
    Some("x-forwarded-for"),
    "The header in which trusted proxies report the client's address; the other one is ignored",
);
pub(super) const METRICS_TOKEN: Setting = setting(
    "metrics_token",
    "TOKEN",
    SettingKind::Secret,
    None,
    "The bearer token that clients on other machines need to read metrics",
);
pub(super) const MAX_CONNECTIONS: Setting = setting(
    "max_connections",
    "N",
    SettingKind::Number,
    Some("4000"),
    "Maximum number of open connections; 16 more get /healthz and /readyz, and 503 elsewhere",
);
pub(super) const HEADER_SECONDS: Setting = setting(
    "header_seconds",
    "N",
    SettingKind::Number,
    Some("10"),
    "Seconds that the head of a request may take to arrive, from its first byte or the start of the connection",
);
pub(super) const BODY_SECONDS: Setting =
    setting("body_seconds", "N", SettingKind::Number, Some("60"), "Seconds that a body may take to arrive");
pub(super) const IDLE_SECONDS: Setting = setting(
    "idle_seconds",
    "N",
    SettingKind::Number,
    Some("75"),
    "Seconds that a connection may wait for its next request; longer than a proxy in front of it does",
);
pub(super) const WRITE_SECONDS: Setting = setting(
    "write_seconds",
    "N",
    SettingKind::Number,
    Some("30"),
    "Seconds in which a client reads nothing of a response before its connection is closed",
);
pub(super) const STREAMS_PER_PRINCIPAL: Setting = setting(
    "streams_per_principal",
    "N",
    SettingKind::Number,
    Some("8"),
    "Maximum number of open event streams of a principal; all principals of a service key together have ten times as many",
);
pub(super) const STREAMS_PER_WORKSPACE: Setting = setting(
    "streams_per_workspace",
    "N",
    SettingKind::Number,
    Some("200"),
    "Maximum number of open event streams of a workspace",
);
pub(super) const CONNECTOR_PROXY: Setting = setting(
    "connector_proxy",
    "URL",
    SettingKind::Url,
    None,
    "The HTTP proxy for requests to external services; HTTP_PROXY and similar variables are ignored",
);
