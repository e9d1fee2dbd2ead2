//! Every setting, once: the flags, the variables, the file's keys, the help and the schema are made from it.

mod edge;

/// What a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// The address of another service. A login in it is never shown.
    Url,
    /// A text that is never shown.
    Secret,
    /// A whole number from 1 on.
    Number,
    /// Texts: separated by commas as a flag or variable, a list in the file.
    List,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its key in the file; the flag has `-` for `_`, the variable is in capitals behind `TOOLCRIB_`.
    pub key: &'static str,
    /// What the help calls its value.
    pub value: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What it is where nobody gives one.
    pub default: Option<&'static str>,
    /// What it does.
    pub help: &'static str,
}

impl Setting {
    /// Such as `--data-dir`.
    pub fn flag(&self) -> String {
        format!("--{}", self.key.replace('_', "-"))
    }

    /// Such as `TOOLCRIB_DATA_DIR`.
    pub fn variable(&self) -> String {
        format!("{VARIABLES}{}", self.key.to_uppercase())
    }
}

/// What every variable begins with.
pub const VARIABLES: &str = "TOOLCRIB_";

const fn setting(
    key: &'static str,
    value: &'static str,
    kind: Kind,
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
        Kind::Text,
        Some("./.toolcrib"),
        "Holds the database, the signing key of local tokens and demo.json",
    ),
    setting(
        "database",
        "URL",
        Kind::Text,
        None,
        "sqlite:PATH or postgres://USER@HOST/NAME [default: toolcrib.db in the data directory]",
    ),
    setting(
        "audit_database",
        "URL",
        Kind::Url,
        None,
        "PostgreSQL: the login for the audit rows of reads; with this and --worker-database, the one of --database is for \
         requests alone, and `migrate` makes all three",
    ),
    setting(
        "worker_database",
        "URL",
        Kind::Url,
        None,
        "PostgreSQL: the login for what runs beside the requests; goes with --audit-database",
    ),
    setting(
        "owner_database",
        "URL",
        Kind::Url,
        None,
        "PostgreSQL: the login that owns the tables, for `migrate` and other commands; `serve` never needs it",
    ),
    setting(
        "bind",
        "ADDRESS",
        Kind::Text,
        Some("127.0.0.1:8787"),
        "Where to listen; port 0 picks a free one",
    ),
    setting(
        "metrics_bind",
        "ADDRESS",
        Kind::Text,
        None,
        "Where to give metrics, to anybody who can reach it [default: /metrics of the main address, to loopback only]",
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
        Kind::Text,
        None,
        "Where people reach this service, for links [default: http://ADDRESS]",
    ),
    setting("jwks_url", "URL", Kind::Url, None, "The public keys of your identity provider"),
    setting("issuer", "TEXT", Kind::Text, None, "What `iss` of a user token must be; needed with a JWKS URL"),
    setting("audience", "TEXT", Kind::Text, None, "What `aud` of a user token must hold"),
    setting(
        "mcp_audience",
        "TEXT",
        Kind::Text,
        None,
        "What `aud` of a user token must hold that is good at `/mcp` alone [default: every token is good there]",
    ),
    setting(
        "authorized_parties",
        "TEXT,…",
        Kind::List,
        None,
        "What `azp` of a user token may be, for providers that write no `aud`",
    ),
    setting("workspace_claim", "PATH", Kind::Text, Some("workspace"), "The claim that names the workspace"),
    setting(
        "system_role_claim",
        "PATH",
        Kind::Text,
        Some("system_role"),
        "The claim whose literal `admin` makes a system admin",
    ),
    setting(
        "caller_types",
        "NAME,…",
        Kind::List,
        Some("chat,knowledge_qa,mission,playbook,channel,heartbeat,console,api"),
        "The kinds of applications that may call",
    ),
    setting(
        "confirmation_minutes",
        "N",
        Kind::Number,
        Some("15"),
        "How long a confirmation waits for a human",
    ),
    setting(
        "approve_hosts",
        "HOST,…",
        Kind::List,
        None,
        "The hosts that a workspace's `approve_url_template` may name",
    ),
    setting(
        "mcp_hosts",
        "HOST,…",
        Kind::List,
        None,
        "What `Host` of a request to /mcp may be, beside localhost and the host of the public URL",
    ),
    setting(
        "mcp_origins",
        "ORIGIN,…",
        Kind::List,
        None,
        "What `Origin` of a request to /mcp may be, such as https://app.example:443; browsers of others are refused",
    ),
    setting(
        "lists_per_minute",
        "N",
        Kind::Number,
        Some("1200"),
        "Tool lists and searches that one principal may ask for in a minute",
    ),
    setting(
        "secret_key",
        "BASE64",
        Kind::Secret,
        None,
        "32 bytes that encrypt stored secrets, the same for every replica; better as a variable than as a flag \
         [default: secret.key in the data directory, made when it is first needed]",
    ),
    setting(
        "audit_key",
        "BASE64",
        Kind::Secret,
        None,
        "32 bytes that sign how far the audit log reached, the same for every replica; better as a variable than as a \
         flag [default: audit.pem in the data directory, made when it is first needed]",
    ),
    setting(
        "audit_public_keys",
        "BASE64,…",
        Kind::List,
        None,
        "Public keys whose signatures under the audit log count too, such as those of an earlier audit key",
    ),
    setting(
        "audit_anchor",
        "FILE|URL",
        Kind::Url,
        None,
        "Where the signed heads of audit logs that grew are kept every minute: a file they are appended to, or an https:// \
         address they are posted to; best one that this machine can't change later",
    ),
    setting(
        "datasource_hosts",
        "HOST,…",
        Kind::List,
        None,
        "The PostgreSQL servers that datasources may name: HOST or HOST:PORT",
    ),
    setting(
        "datasource_dir",
        "DIR",
        Kind::Text,
        None,
        "Holds the SQLite files that datasources may name; a folder in it that is named after a workspace's id is \
         that workspace's alone [default: datasources in the data directory]",
    ),
    setting(
        "redis",
        "URL",
        Kind::Secret,
        None,
        "The Redis that several processes share for limits and session grants: redis://… or rediss://…",
    ),
    setting(
        "webhook_hosts",
        "HOST,…",
        Kind::List,
        None,
        "The private hosts that webhooks may name, HOST or HOST:PORT, also over http; all others must be public and \
         https",
    ),
    setting(
        "event_retention_days",
        "N",
        Kind::Number,
        Some("30"),
        "How long events, notifications and what became of webhook deliveries are kept",
    ),
    setting(
        "pg_pool_size",
        "N",
        Kind::Number,
        Some("24"),
        "Connections to PostgreSQL for requests, a third of them for reads: twelve for each core, more where it is far away",
    ),
    setting(
        "drain_seconds",
        "N",
        Kind::Number,
        Some("10"),
        "How long running requests may take to end after SIGTERM",
    ),
    setting(
        "log_format",
        "FORMAT",
        Kind::Word(&["text", "json"]),
        Some("text"),
        "How log lines are written, to standard error",
    ),
    setting(
        "log_filter",
        "FILTER",
        Kind::Text,
        Some("info,toolcrib::calls=info,sqlx=warn"),
        "Which log lines are written",
    ),
    edge::CONNECTOR_PROXY,
    setting(
        "workspace_label",
        "NAME",
        Kind::Text,
        Some("workspace"),
        "The label that holds a workspace's id in metrics, log lines and alerts",
    ),
    setting("prometheus_url", "URL", Kind::Url, None, "Where a Prometheus answers for metrics"),
    setting("prometheus_token", "TOKEN", Kind::Secret, None, "The bearer token that it wants"),
    setting("loki_url", "URL", Kind::Url, None, "Where a Loki answers for log lines"),
    setting("loki_token", "TOKEN", Kind::Secret, None, "The bearer token that it wants"),
    setting(
        "loki_service_label",
        "NAME",
        Kind::Text,
        Some("service_name"),
        "The label that names the service which wrote a line",
    ),
    setting("alertmanager_url", "URL", Kind::Url, None, "Where an Alertmanager answers for alerts"),
    setting("alertmanager_token", "TOKEN", Kind::Secret, None, "The bearer token that it wants"),
    setting(
        "alertmanager_webhook_token",
        "TOKEN",
        Kind::Secret,
        None,
        "The bearer token with which an Alertmanager delivers to /v1/hooks/alertmanager; without it none can",
    ),
    setting(
        "railway_url",
        "URL",
        Kind::Url,
        Some("https://backboard.railway.com/graphql/v2"),
        "Where Railway's GraphQL API answers",
    ),
    setting(
        "railway_token",
        "TOKEN",
        Kind::Secret,
        None,
        "An account's or a workspace's token for it; needed with a project",
    ),
    setting("railway_project", "ID", Kind::Text, None, "The project whose services and logs are shown"),
    setting("railway_environment", "NAME", Kind::Text, Some("production"), "Which of its environments"),
];
