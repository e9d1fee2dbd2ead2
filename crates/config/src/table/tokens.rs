//! Settings for user tokens: the identity provider, and which claims are read.

use super::{Setting, SettingKind, setting};

pub(super) const SETTINGS: [Setting; 10] = [
    setting("jwks_url", "URL", SettingKind::Url, None, "The public keys of your identity provider"),
    setting(
        "issuer",
        "TEXT",
        SettingKind::Text,
        None,
        "Required `iss` of user tokens; required with --jwks-url",
    ),
    setting("audience", "TEXT", SettingKind::Text, None, "Required `aud` of user tokens"),
    setting(
        "mcp_audience",
        "TEXT",
        SettingKind::Text,
        None,
        "`aud` of user tokens that are valid at `/mcp` only [default: every token is valid there]",
    ),
    setting(
        "authorized_parties",
        "TEXT,…",
        SettingKind::List,
        None,
        "Accepted `azp` of user tokens, for providers that set no `aud`",
    ),
    setting(
        "console_client_id",
        "TEXT",
        SettingKind::Text,
        None,
        "The console's client ID at your provider, for signing in with OpenID Connect; its redirect URI is \
         PUBLIC_URL/console/login/done",
    ),
    setting(
        "console_client_secret",
        "TEXT",
        SettingKind::Secret,
        None,
        "The secret of that client; a public client has none",
    ),
    setting(
        "workspace_claim",
        "PATH",
        SettingKind::Text,
        Some("workspace"),
        "The claim that names the workspace",
    ),
    setting(
        "system_role_claim",
        "PATH",
        SettingKind::Text,
        Some("system_role"),
        "The claim whose value `admin` makes a system admin",
    ),
    setting(
        "token_leeway_seconds",
        "N",
        SettingKind::Number,
        Some("60"),
        "Seconds by which the clock of the issuer of user tokens may differ, at most 300",
    ),
];
