//! Settings for clients: addresses, trusted proxies, and limits of time and connections.

use super::{Setting, SettingKind, setting};

pub(super) const SETTINGS: [Setting; 14] = [
    setting(
        "bind",
        "ADDRESS",
        SettingKind::Text,
        Some("127.0.0.1:8787"),
        "Address to listen on; port 0 picks a free port",
    ),
    setting(
        "metrics_bind",
        "ADDRESS",
        SettingKind::Text,
        None,
        "Address that serves metrics without a token [default: /metrics of the main address, to loopback only]",
    ),
    setting(
        "trusted_proxies",
        "CIDR,…",
        SettingKind::List,
        None,
        "Addresses of reverse proxies that are trusted to report the client's address, such as 10.0.0.0/8",
    ),
    setting(
        "proxy_header",
        "NAME",
        SettingKind::Word(&["x-forwarded-for", "forwarded"]),
        Some("x-forwarded-for"),
        "The header in which trusted proxies report the client's address; the other one is ignored",
    ),
    setting(
        "metrics_token",
        "TOKEN",
        SettingKind::Secret,
        None,
        "The bearer token that clients on other machines need to read metrics",
    ),
    setting(
        "max_connections",
        "N",
        SettingKind::Number,
        Some("4000"),
        "Maximum number of open connections; 16 more get 503 except for /healthz and /readyz",
    ),
    setting(
        "header_seconds",
        "N",
        SettingKind::Number,
        Some("10"),
        "Seconds that the head of a request may take to arrive, from its first byte or the start of the connection",
    ),
    setting("body_seconds", "N", SettingKind::Number, Some("60"), "Seconds that a body may take to arrive"),
    setting(
        "idle_seconds",
        "N",
        SettingKind::Number,
        Some("75"),
        "Seconds that a connection may wait for its next request; longer than a proxy in front of it does",
    ),
    setting(
        "write_seconds",
        "N",
        SettingKind::Number,
        Some("30"),
        "Seconds in which a client reads nothing of a response before its connection is closed",
    ),
    setting(
        "streams_per_principal",
        "N",
        SettingKind::Number,
        Some("8"),
        "Maximum number of open event streams of a principal, and of its requests that wait; all principals of a service key together have ten times as many",
    ),
    setting(
        "streams_per_workspace",
        "N",
        SettingKind::Number,
        Some("200"),
        "Maximum number of open event streams of a workspace, and of its requests that wait",
    ),
    setting(
        "public_url",
        "URL",
        SettingKind::Text,
        None,
        "URL of this service in links for people [default: http://ADDRESS]",
    ),
    setting(
        "embed_origins",
        "ORIGIN,…",
        SettingKind::List,
        None,
        "Sites whose pages may show confirmations with the element of the console, such as https://app.example",
    ),
];
