//! Parses the texts into typed settings.

mod assistant;
mod connectors;
mod edge;
mod logins;
mod values;

use std::{net::SocketAddr, path::PathBuf};

use secrecy::{ExposeSecret as _, SecretString};

pub use assistant::AssistantSettings;
pub use connectors::OutsideSettings;
pub use edge::EdgeSettings;
pub use logins::LoginUrls;

use crate::{ConfigError, raw_value::RawValue};
use values::Values;

/// The database of the service.
#[derive(Clone, Debug)]
pub enum Database {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// The URL of a PostgreSQL server. May contain a password.
    Postgres(SecretString),
}

/// Where the heads of the audit logs' hash chains are written.
#[derive(Clone, Debug)]
pub enum Anchor {
    /// Append to a file.
    File(PathBuf),
    /// POST to a URL, which may contain a secret.
    Url(SecretString),
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs: one JSON object per line.
    Json,
}

/// The effective settings. [`crate::TABLE`] describes each.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "described in the table")]
pub struct Settings {
    pub data_dir: PathBuf,
    pub database: Database,
    pub logins: Option<LoginUrls>,
    pub owner_database: Option<SecretString>,
    pub bind: SocketAddr,
    pub metrics_bind: Option<SocketAddr>,
    pub public_url: Option<String>,
    pub jwks_url: Option<String>,
    pub issuer: Option<String>,
    pub audience: Option<String>,
    /// The value of `aud` in tokens that are valid only for MCP.
    pub mcp_audience: Option<String>,
    pub authorized_parties: Vec<String>,
    pub console_client_id: Option<String>,
    pub console_client_secret: Option<SecretString>,
    pub workspace_claim: String,
    pub system_role_claim: String,
    pub token_leeway_seconds: u32,
    pub caller_types: Vec<String>,
    pub confirmation_minutes: u32,
    pub approve_hosts: Vec<String>,
    pub mcp_hosts: Vec<String>,
    pub mcp_origins: Vec<String>,
    pub lists_per_minute: u32,
    pub toolset_cache_mib: u32,
    pub secret_key: Option<SecretString>,
    pub audit_key: Option<SecretString>,
    pub audit_public_keys: Vec<String>,
    pub audit_anchor: Option<Anchor>,
    pub datasource_hosts: Vec<String>,
    pub datasource_dir: PathBuf,
    pub redis: Option<SecretString>,
    pub webhook_hosts: Vec<String>,
    pub upstream_hosts: Vec<String>,
    /// Whether workspaces may have upstreams of their own.
    pub workspace_upstreams: bool,
    pub toolset: Vec<String>,
    /// The packs that workspaces may switch on; `None` for all.
    pub packs: Option<Vec<String>>,
    pub event_retention_days: u32,
    pub pg_pool_size: u32,
    pub drain_seconds: u32,
    pub log_format: LogFormat,
    pub log_filter: String,
    pub edge: EdgeSettings,
    pub outside: OutsideSettings,
    pub assistant: AssistantSettings,
}

/// Returns the packs that are offered. `none` offers no pack.
fn packs(values: &Values) -> Option<Vec<String>> {
    let named = values.list("packs");
    (!named.is_empty()).then(|| named.into_iter().filter(|slug| slug != "none").collect())
}

/// Parses the settings. Returns the first error.
pub fn resolve(values: &[RawValue]) -> Result<Settings, ConfigError> {
    let values = Values::new(values);
    let data_dir = PathBuf::from(values.text("data_dir")?);
    let database = database(&values, &data_dir)?;
    let settings = Settings {
        logins: logins::logins(&values, &database)?,
        owner_database: logins::login(&values, "owner_database", &database)?,
        database,
        datasource_dir: values
            .option("datasource_dir")
            .map_or_else(|| data_dir.join("datasources"), PathBuf::from),
        data_dir,
        bind: values.parse("bind", ADDRESS)?,
        metrics_bind: values.parse_option("metrics_bind", ADDRESS)?,
        public_url: values.url("public_url")?.map(|url| url.trim_end_matches('/').to_owned()),
        jwks_url: values.url("jwks_url")?,
        issuer: values.option("issuer"),
        audience: values.option("audience"),
        mcp_audience: values.option("mcp_audience"),
        authorized_parties: values.list("authorized_parties"),
        console_client_id: values.option("console_client_id"),
        console_client_secret: values.secret("console_client_secret"),
        workspace_claim: values.text("workspace_claim")?,
        system_role_claim: values.text("system_role_claim")?,
        token_leeway_seconds: values.number("token_leeway_seconds", 300)?,
        caller_types: values.list("caller_types"),
        confirmation_minutes: values.number("confirmation_minutes", 7 * 24 * 60)?,
        approve_hosts: values.list("approve_hosts"),
        mcp_hosts: values.list("mcp_hosts"),
        mcp_origins: values.list("mcp_origins"),
        lists_per_minute: values.number("lists_per_minute", 10_000_000)?,
        toolset_cache_mib: values.number("toolset_cache_mib", 65_536)?,
        secret_key: values.secret("secret_key"),
        audit_key: values.secret("audit_key"),
        audit_public_keys: values.list("audit_public_keys"),
        audit_anchor: anchor(&values)?,
        datasource_hosts: values.list("datasource_hosts"),
        redis: values.secret("redis"),
        webhook_hosts: values.list("webhook_hosts"),
        upstream_hosts: values.list("upstream_hosts"),
        workspace_upstreams: values.switch("upstreams")?,
        toolset: values.list("toolset"),
        packs: packs(&values),
        event_retention_days: values.number("event_retention_days", 3_650)?,
        pg_pool_size: values.number("pg_pool_size", 1_000)?,
        drain_seconds: values.number("drain_seconds", 3_600)?,
        log_format: match values.text("log_format")?.as_str() {
            "text" => LogFormat::Text,
            "json" => LogFormat::Json,
            _ => return Err(values.wrong("log_format", "must be text or json")),
        },
        log_filter: values.text("log_filter")?,
        edge: edge::settings(&values)?,
        outside: connectors::settings(&values)?,
        assistant: assistant::settings(&values)?,
    };
    check(&values, &settings)?;
    Ok(settings)
}

const ADDRESS: &str = "must be an address and a port, such as 127.0.0.1:8787";

/// Checks the caller types, and settings that depend on each other.
fn check(values: &Values<'_>, settings: &Settings) -> Result<(), ConfigError> {
    let long = |name: &String| name.is_empty() || name.len() > 40;
    if settings.caller_types.is_empty() || settings.caller_types.iter().any(long) {
        return Err(values.wrong("caller_types", "must be names of 1 to 40 characters"));
    }
    check_console(settings)?;
    if settings.jwks_url.is_some() {
        if settings.issuer.is_none() {
            return Err(ConfigError::Together(
                "`--jwks-url` needs `--issuer`: the `iss` of your provider's tokens".into(),
            ));
        }
        if settings.audience.is_none() && settings.authorized_parties.is_empty() {
            return Err(ConfigError::Together(
                "`--jwks-url` needs `--audience` or `--authorized-parties`: tokens made for others must not pass"
                    .into(),
            ));
        }
        if settings.mcp_audience.is_some() && settings.mcp_audience == settings.audience {
            return Err(values.wrong("mcp_audience", "must differ from `--audience`: it tells tokens apart"));
        }
    } else if settings.issuer.is_some()
        || settings.audience.is_some()
        || settings.mcp_audience.is_some()
        || !settings.authorized_parties.is_empty()
    {
        return Err(ConfigError::Together(
            "`--issuer`, `--audience`, `--mcp-audience` and `--authorized-parties` go with `--jwks-url`"
                .into(),
        ));
    }
    Ok(())
}

/// Checks the settings of the console's sign-in through a provider.
fn check_console(settings: &Settings) -> Result<(), ConfigError> {
    let lacks = if settings.console_client_id.is_none() {
        settings
            .console_client_secret
            .is_some()
            .then_some("`--console-client-secret` needs `--console-client-id`")
    } else if settings.jwks_url.is_none() {
        Some("`--console-client-id` needs `--jwks-url` and `--issuer`: the provider that people sign in with")
    } else if settings.public_url.is_none() {
        Some("`--console-client-id` needs `--public-url`: the provider sends browsers back there")
    } else {
        None
    };
    lacks.map_or(Ok(()), |text| Err(ConfigError::Together(text.into())))
}

fn database(values: &Values<'_>, data_dir: &std::path::Path) -> Result<Database, ConfigError> {
    let Some(text) = values.option("database") else {
        return Ok(Database::Sqlite(data_dir.join("toolcrib.db")));
    };
    if let Some(path) = text.strip_prefix("sqlite:") {
        let path = path.strip_prefix("//").unwrap_or(path);
        if !path.is_empty() {
            return Ok(Database::Sqlite(path.into()));
        }
    }
    if logins::is_postgres(&text) {
        return Ok(Database::Postgres(text.into()));
    }
    // The message omits the text, which may contain a password.
    Err(values.wrong("database", "must be sqlite:PATH or postgres://USER@HOST/NAME"))
}

fn anchor(values: &Values<'_>) -> Result<Option<Anchor>, ConfigError> {
    let Some(text) = values.option("audit_anchor") else { return Ok(None) };
    if text.starts_with("https://") || text.starts_with("http://") {
        return Ok(Some(Anchor::Url(text.into())));
    }
    if text.contains("://") {
        return Err(values.wrong("audit_anchor", "must be a file or begin with https:// or http://"));
    }
    Ok(Some(Anchor::File(text.into())))
}

impl Database {
    /// Returns the database without its password, for display.
    pub fn shown(&self) -> String {
        match self {
            Self::Sqlite(path) => format!("sqlite:{}", path.display()),
            Self::Postgres(url) => masked(url.expose_secret()),
        }
    }
}

/// Masks the password of a URL, and its query, which may contain one too.
pub(crate) fn masked(url: &str) -> String {
    let url = match url.split_once('?') {
        Some((url, _)) => format!("{url}?***"),
        None => url.to_owned(),
    };
    let Some((scheme, rest)) = url.split_once("://") else { return "***".to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let Some((login, host)) = authority.rsplit_once('@') else { return url };
    match login.split_once(':') {
        Some((user, _)) => format!("{scheme}://{user}:***@{host}{path}"),
        None => url,
    }
}
