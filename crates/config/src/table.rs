//! The table of settings. Flags, environment variables, the file's keys, the help and the schema are
//! generated from it.

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

impl SettingKind {
    /// Returns the JSON type of the value in the file.
    pub(crate) const fn json_type(self) -> &'static str {
        match self {
            Self::Number => "integer",
            Self::List => "array",
            Self::Text | Self::Url | Self::Secret | Self::Word(_) => "string",
        }
    }
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
    const fn or(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    const fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

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

const fn setting(key: &'static str, value: &'static str, kind: SettingKind) -> Setting {
    Setting { key, value, kind, default: None, help: "" }
}

const fn text(key: &'static str, value: &'static str) -> Setting {
    setting(key, value, SettingKind::Text)
}

const fn url(key: &'static str, value: &'static str) -> Setting {
    setting(key, value, SettingKind::Url)
}

const fn secret(key: &'static str, value: &'static str) -> Setting {
    setting(key, value, SettingKind::Secret)
}

const fn number(key: &'static str, default: &'static str) -> Setting {
    setting(key, "N", SettingKind::Number).or(default)
}

const fn list(key: &'static str, value: &'static str) -> Setting {
    setting(key, value, SettingKind::List)
}

const fn word(key: &'static str, value: &'static str, words: &'static [&'static str]) -> Setting {
    setting(key, value, SettingKind::Word(words))
}

/// Every setting, in the order of the help.
pub const TABLE: [Setting; 77] = [
    // The data directory and the databases.
    text("data_dir", "DIR")
        .or("./.toolcrib")
        .help("Directory of the database, the signing key of local tokens and demo.json"),
    text("database", "URL")
        .help("Address: sqlite:PATH or postgres://USER@HOST/NAME [default: toolcrib.db in the data directory]"),
    url("audit_database", "URL").help(
        "PostgreSQL: the login for the audit rows of reads; with this and --worker-database, the one of \
         --database is for requests alone, and `migrate` makes all three",
    ),
    url("worker_database", "URL")
        .help("PostgreSQL: the login for what runs beside the requests; goes with --audit-database"),
    url("owner_database", "URL").help(
        "PostgreSQL: the login that owns the tables, for `migrate` and other commands; `serve` never \
         needs it",
    ),
    word("pg_pooler", "WORD", &["none", "transaction"]).or("none").help(
        "transaction if --database, --audit-database and --worker-database name a pooler in transaction \
         mode, such as PgBouncer; --owner-database names the server itself",
    ),
    // Clients: addresses, trusted proxies, and limits of time and connections.
    text("bind", "ADDRESS").or("127.0.0.1:8787").help("Address to listen on; port 0 picks a free port"),
    text("metrics_bind", "ADDRESS").help(
        "Address that serves metrics without a token [default: /metrics of the main address, to loopback \
         only]",
    ),
    list("trusted_proxies", "CIDR,…").help(
        "Addresses of reverse proxies that are trusted to report the client's address, such as \
         10.0.0.0/8",
    ),
    word("proxy_header", "NAME", &["x-forwarded-for", "forwarded"])
        .or("x-forwarded-for")
        .help("The header in which trusted proxies report the client's address; the other one is ignored"),
    secret("metrics_token", "TOKEN")
        .help("The bearer token that clients on other machines need to read metrics"),
    number("max_connections", "4000")
        .help("Maximum number of open connections; 16 more get 503 except for /healthz and /readyz"),
    number("header_seconds", "10").help(
        "Seconds that the head of a request may take to arrive, from its first byte or the start of the \
         connection",
    ),
    number("body_seconds", "60").help("Seconds that a body may take to arrive"),
    number("idle_seconds", "75").help(
        "Seconds that a connection may wait for its next request; longer than a proxy in front of it \
         does",
    ),
    number("write_seconds", "30")
        .help("Seconds in which a client reads nothing of a response before its connection is closed"),
    number("streams_per_principal", "8").help(
        "Maximum number of open event streams of a principal, and of its requests that wait; all principals of a service key together \
         have ten times as many",
    ),
    number("streams_per_workspace", "200").help("Maximum number of open event streams of a workspace, and of its requests that wait"),
    text("public_url", "URL").help("URL of this service in links for people [default: http://ADDRESS]"),
    list("embed_origins", "ORIGIN,…").help(
        "Sites whose pages may show confirmations with the element of the console, such as \
         https://app.example",
    ),
    // User tokens: the identity provider, and which claims are read.
    url("jwks_url", "URL").help("The public keys of your identity provider"),
    text("issuer", "TEXT").help("Required `iss` of user tokens; required with --jwks-url"),
    text("audience", "TEXT").help("Required `aud` of user tokens"),
    text("mcp_audience", "TEXT")
        .help("`aud` of user tokens that are valid at `/mcp` only [default: every token is valid there]"),
    list("authorized_parties", "TEXT,…")
        .help("Accepted `azp` of user tokens, for providers that set no `aud`"),
    text("console_client_id", "TEXT").help(
        "The console's client ID at your provider, for signing in with OpenID Connect; its redirect URI \
         is PUBLIC_URL/console/login/done",
    ),
    secret("console_client_secret", "TEXT").help("The secret of that client; a public client has none"),
    text("workspace_claim", "PATH").or("workspace").help("The claim that names the workspace"),
    text("system_role_claim", "PATH")
        .or("system_role")
        .help("The claim whose value `admin` makes a system admin"),
    number("token_leeway_seconds", "60")
        .help("Seconds by which the clock of the issuer of user tokens may differ, at most 300"),
    // Calls, confirmations and MCP.
    list("caller_types", "NAME,…")
        .or("chat,knowledge_qa,mission,playbook,channel,heartbeat,console,api")
        .help("Accepted caller types"),
    number("confirmation_minutes", "15").help("Minutes that a confirmation waits for a decision"),
    list("approve_hosts", "HOST,…").help("Hosts that the `approve_url_template` of a workspace may name"),
    list("mcp_hosts", "HOST,…")
        .help("Accepted `Host` of requests to /mcp, besides localhost and the host of the public URL"),
    list("mcp_origins", "ORIGIN,…").help(
        "Accepted `Origin` of requests to /mcp, such as https://app.example:443; other origins are \
         refused",
    ),
    number("lists_per_minute", "1200")
        .help("Tool lists and searches that one principal may request per minute"),
    number("toolset_cache_mib", "128").help("Most memory for the tools that workspaces declare, in MiB"),
    // The keys of this service, and the signed heads of the audit log.
    secret("secret_key", "BASE64").help(
        "32 bytes that encrypt stored secrets, the same for every replica; better as a variable than as \
         a flag [default: secret.key in the data directory, made when it is first needed]",
    ),
    secret("audit_key", "BASE64").help(
        "32 bytes that sign how far the audit log reached, the same for every replica; better as a \
         variable than as a flag [default: audit.pem in the data directory, made when it is first \
         needed]",
    ),
    list("audit_public_keys", "BASE64,…").help(
        "More public keys whose signatures of the audit log are accepted, such as that of an earlier \
         audit key",
    ),
    url("audit_anchor", "FILE|URL").help(
        "Where the signed heads of audit logs that grew are kept every minute: a file they are appended \
         to, or an https:// address they are posted to; best one that this machine can't change later",
    ),
    // Hosts that may be reached, Redis, retention, the pool, shutdown and logs.
    list("datasource_hosts", "HOST,…")
        .help("The PostgreSQL servers that datasources may name: HOST or HOST:PORT"),
    text("datasource_dir", "DIR").help(
        "Holds the SQLite files that datasources may name; a folder in it that is named after a \
         workspace's id is that workspace's alone [default: datasources in the data directory]",
    ),
    secret("redis", "URL").help(
        "The Redis that several processes share for limits and session grants: redis://… or rediss://…",
    ),
    list("webhook_hosts", "HOST,…").help(
        "The private hosts that webhooks may name, HOST or HOST:PORT, also over http; all others must be \
         public and https",
    ),
    list("upstream_hosts", "HOST,…").help(
        "The private hosts that upstreams of declared tools may name, HOST or HOST:PORT, also over http; \
         all others must be public and https",
    ),
    word("upstreams", "WORD", &["on", "off"]).or("on").help(
        "Whether workspaces may have upstreams of their own, on or off, beside those of the operator's \
         toolsets",
    ),
    list("toolset", "FILE,…").help(
        "Toolset documents that every workspace may switch on, in TOML, or in JSON where the name ends \
         in .json",
    ),
    list("packs", "SLUG,…").help(
        "The compiled packs that workspaces may switch on, or `none` [default: all]",
    ),
    number("event_retention_days", "30")
        .help("Days that events, notifications and webhook deliveries are kept"),
    number("pg_pool_size", "24").help(
        "Connections to PostgreSQL for requests, a third of them for reads: twelve for each core, more \
         where it is far away",
    ),
    number("drain_seconds", "10").help("Seconds that running requests may take after SIGTERM"),
    word("log_format", "FORMAT", &["text", "json"]).or("text").help("Format of log lines on standard error"),
    text("log_filter", "FILTER")
        .or("info,toolcrib::calls=info,sqlx=warn")
        .help("Filter of log lines, such as `info,sqlx=warn`"),
    // Connectors: external services and their tokens.
    url("connector_proxy", "URL").help(
        "The HTTP proxy for requests to external services; HTTP_PROXY and similar variables are ignored",
    ),
    text("workspace_label", "NAME")
        .or("workspace")
        .help("The label that holds the workspace ID in metrics, log lines and alerts"),
    url("prometheus_url", "URL").help("URL of the Prometheus that has the metrics"),
    secret("prometheus_token", "TOKEN").help("The bearer token that it wants"),
    url("loki_url", "URL").help("URL of the Loki that has the log lines"),
    secret("loki_token", "TOKEN").help("The bearer token that it wants"),
    text("loki_service_label", "NAME")
        .or("service_name")
        .help("The label that names the service that wrote a log line"),
    url("alertmanager_url", "URL").help("URL of the Alertmanager that has the alerts"),
    secret("alertmanager_token", "TOKEN").help("The bearer token that it wants"),
    secret("alertmanager_webhook_token", "TOKEN").help(
        "The bearer token with which an Alertmanager posts to /v1/hooks/alertmanager; without it nobody \
         can",
    ),
    url("railway_url", "URL")
        .or("https://backboard.railway.com/graphql/v2")
        .help("Where Railway's GraphQL API answers"),
    secret("railway_token", "TOKEN")
        .help("An account's or a workspace's token for it; needed with a project"),
    text("railway_project", "ID").help("The project whose services and logs are shown"),
    text("railway_environment", "NAME").or("production").help("The environment of the project"),
    // Assistant: the operator's model provider.
    url("assistant_provider", "URL").help(
        "Where the assistant of every workspace may ask for models, such as http://127.0.0.1:11434/v1; may be \
         a private address",
    ),
    secret("assistant_key", "TOKEN").help("The key that it wants; better as a variable than as a flag"),
    list("assistant_models", "NAME,…").help(
        "The models of it that people may choose, the first by default [default: those that it lists]",
    ),
    word("assistant_format", "WORD", &["openai", "openai_responses", "anthropic"]).help(
        "The format in which it is asked: Chat Completions, Responses or Messages [default: \
         openai_responses for api.openai.com, anthropic for api.anthropic.com, otherwise openai]",
    ),
    setting("assistant_context", "N", SettingKind::Number)
        .help("Tokens that fit into a request to its models and the answer, at least 1000"),
    number("assistant_run_cents", "100")
        .help("US cents that a run may cost at most; a workspace may set less. Models without a price cost 0"),
    number("assistant_day_cents", "2000")
        .help("US cents that the runs of a workspace in 24 hours may cost together; it may set less"),
    number("assistant_background_cents", "500")
        .help("US cents of these that runs with no person beside them may cost; it may set less"),
    number("assistant_lease_seconds", "15").help(
        "Seconds after which another process goes on with the runs of one that has ended, at most 300",
    ),
];
