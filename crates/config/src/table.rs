//! The table of settings. Flags, environment variables, the file's keys, the help and the schema are
//! generated from it.

mod edge;

/// The type of a setting's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// Any text.
    Text,
    /// The URL of another service. A login in it is never shown.
    Url,
    /// A text that is never shown.
    Secret,
    /// An integer from 1.
    Number,
    /// A list of texts: separated by commas in a flag or variable, an array in the file.
    List,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The key in the file. The flag has `-` instead of `_`; the variable is in upper case with the prefix
    /// `TOOLCRIB_`.
    pub key: &'static str,
    /// The placeholder of the value in the help.
    pub value: &'static str,
    /// The type of the value.
    pub kind: SettingKind,
    /// The default, if there is one.
    pub default: Option<&'static str>,
    /// The help text.
    pub help: &'static str,
}

impl Setting {
    /// Returns the flag, such as `--data-dir`.
    pub fn flag(&self) -> String {
        format!("--{}", self.key.replace('_', "-"))
    }

    /// Returns the environment variable, such as `TOOLCRIB_DATA_DIR`.
    pub fn variable(&self) -> String {
        format!("{VARIABLES}{}", self.key.to_uppercase())
    }
}

/// The prefix of every environment variable.
pub const VARIABLES: &str = "TOOLCRIB_";

const fn setting(
    key: &'static str,
    value: &'static str,
    kind: SettingKind,
    default: Option<&'static str>,
    help: &'static str,
) -> Setting {
    Setting { key, value, kind, default, help }
}

/// Every setting, in the order of the help.
pub const TABLE: [Setting; 58] = [
    setting(
        "data_dir",
        "DIR",
        SettingKind::Text,
        Some("./.toolcrib"),
        "Directory of the database, the signing key of local tokens and demo.json",
    ),
    setting(
        "database",
        "URL",
        SettingKind::Text,
        None,
        "sqlite:PATH or postgres://USER@HOST/NAME [default: toolcrib.db in the data directory]",
    ),
    setting(
        "audit_database",
        "URL",
        SettingKind::Url,
        None,
        "PostgreSQL: the login for the audit rows of reads; with this and --worker-database, the one of --database is for \
         requests alone, and `migrate` makes all three",
    ),
    setting(
        "worker_database",
        "URL",
        SettingKind::Url,
        None,
        "PostgreSQL: the login for what runs beside the requests; goes with --audit-database",
    ),
    setting(
        "owner_database",
        "URL",
        SettingKind::Url,
        None,
        "PostgreSQL: the login that owns the tables, for `migrate` and other commands; `serve` never needs it",
    ),
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
    edge::TRUSTED_PROXIES,
    edge::PROXY_HEADER,
    edge::METRICS_TOKEN,
    edge::MAX_CONNECTIONS,
    edge::HEADER_SECONDS,
    edge::BODY_SECONDS,
    edge::IDLE_SECONDS,
    edge::WRITE_SECONDS,
    edge::STREAMS_PER_PRINCIPAL,
    edge::STREAMS_PER_WORKSPACE,
    setting(
        "public_url",
        "URL",
        SettingKind::Text,
        None,
        "URL of this service in links for people [default: http://ADDRESS]",
    ),
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
        "secret_key",
        "BASE64",
        SettingKind::Secret,
        None,
        "32 bytes that encrypt stored secrets, the same for every replica; better as a variable than as a flag \
         [default: secret.key in the data directory, made when it is first needed]",
    ),
    setting(
        "audit_key",
        "BASE64",
        SettingKind::Secret,
        None,
        "32 bytes that sign how far the audit log reached, the same for every replica; better as a variable than as a \
         flag [default: audit.pem in the data directory, made when it is first needed]",
    ),
    setting(
        "audit_public_keys",
        "BASE64,…",
        SettingKind::List,
        None,
        "More public keys whose signatures of the audit log are accepted, such as that of an earlier audit key",
    ),
    setting(
        "audit_anchor",
        "FILE|URL",
        SettingKind::Url,
        None,
        "Where the signed heads of audit logs that grew are kept every minute: a file they are appended to, or an https:// \
         address they are posted to; best one that this machine can't change later",
    ),
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
    edge::CONNECTOR_PROXY,
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
