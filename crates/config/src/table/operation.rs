//! Settings for hosts that may be reached, Redis, retention, the pool, shutdown and logs.

use super::{Setting, SettingKind, setting};

pub(super) const SETTINGS: [Setting; 12] = [
    setting(
        "datasource_hosts",
        "HOST,…",
        SettingKind::List,
        None,
        "The PostgreSQL servers that datasources may name: HOST or HOST:PORT",
    ),
    setting(
        "datasource_dir",
        "DIR",
        SettingKind::Text,
        None,
        "Holds the SQLite files that datasources may name; a folder in it that is named after a workspace's id is \
         that workspace's alone [default: datasources in the data directory]",
    ),
    setting(
        "redis",
        "URL",
        SettingKind::Secret,
        None,
        "The Redis that several processes share for limits and session grants: redis://… or rediss://…",
    ),
    setting(
        "webhook_hosts",
        "HOST,…",
        SettingKind::List,
        None,
        "The private hosts that webhooks may name, HOST or HOST:PORT, also over http; all others must be public and \
         https",
    ),
    setting(
        "upstream_hosts",
        "HOST,…",
        SettingKind::List,
        None,
        "The private hosts that upstreams of declared tools may name, HOST or HOST:PORT, also over http; all others must \
         be public and https",
    ),
    setting(
        "upstreams",
        "WORD",
        SettingKind::Word(&["on", "off"]),
        Some("on"),
        "Whether workspaces may have upstreams of their own, on or off, beside those of the operator's toolsets",
    ),
    setting(
        "toolset",
        "FILE,…",
        SettingKind::List,
        None,
        "Toolset documents that every workspace may switch on, in TOML, or in JSON where the name ends in .json",
    ),
    setting(
        "event_retention_days",
        "N",
        SettingKind::Number,
        Some("30"),
        "Days that events, notifications and webhook deliveries are kept",
    ),
    setting(
        "pg_pool_size",
        "N",
        SettingKind::Number,
        Some("24"),
        "Connections to PostgreSQL for requests, a third of them for reads: twelve for each core, more where it is far away",
    ),
    setting(
        "drain_seconds",
        "N",
        SettingKind::Number,
        Some("10"),
        "Seconds that running requests may take after SIGTERM",
    ),
    setting(
        "log_format",
        "FORMAT",
        SettingKind::Word(&["text", "json"]),
        Some("text"),
        "Format of log lines on standard error",
    ),
    setting(
        "log_filter",
        "FILTER",
        SettingKind::Text,
        Some("info,toolcrib::calls=info,sqlx=warn"),
        "Filter of log lines, such as `info,sqlx=warn`",
    ),
];
