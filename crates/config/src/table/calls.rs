//! Settings for calls, confirmations and MCP.

use super::{Setting, SettingKind, setting};

pub(super) const SETTINGS: [Setting; 7] = [
    setting(
        "caller_types",
        "NAME,…",
        SettingKind::List,
        Some("chat,knowledge_qa,mission,playbook,channel,heartbeat,console,api"),
        "Accepted caller types",
    ),
    setting(
        "confirmation_minutes",
        "N",
        SettingKind::Number,
        Some("15"),
        "Minutes that a confirmation waits for a decision",
    ),
    setting(
        "approve_hosts",
        "HOST,…",
        SettingKind::List,
        None,
        "Hosts that the `approve_url_template` of a workspace may name",
    ),
    setting(
        "mcp_hosts",
        "HOST,…",
        SettingKind::List,
        None,
        "Accepted `Host` of requests to /mcp, besides localhost and the host of the public URL",
    ),
    setting(
        "mcp_origins",
        "ORIGIN,…",
        SettingKind::List,
        None,
        "Accepted `Origin` of requests to /mcp, such as https://app.example:443; other origins are refused",
    ),
    setting(
        "lists_per_minute",
        "N",
        SettingKind::Number,
        Some("1200"),
        "Tool lists and searches that one principal may request per minute",
    ),
    setting(
        "toolset_cache_mib",
        "N",
        SettingKind::Number,
        Some("128"),
        "Most memory for the tools that workspaces declare, in MiB",
    ),
];
