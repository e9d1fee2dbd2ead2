//! Creates the services that `serve` needs.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use secrecy::ExposeSecret as _;
use toolcrib_actions::{Inbox, Infrastructure};
use toolcrib_assistant::{Assistant, OperatorProvider};
use toolcrib_auth::{
    Authenticator, JwksSource, TokenSettings,
    issuer::LocalIssuer,
    jwks::{FETCH_TIMEOUT, JwksKeys},
    secret_cipher::SecretCipher,
};
use toolcrib_config::{Database, Settings};
use toolcrib_connectors::{
    Connectors,
    embedded::Platform,
    jwks::{JwksClient, JwksError},
};
use toolcrib_datasources::AllowedTargets;
use toolcrib_engine::{
    Catalog, DatasourceRules, Engine, EngineSettings, OperatorRules,
    chain::Sealer,
    grants::{Grants, LocalGrants, RedisGrants},
    limits::{Limiter, LocalLimiter, RedisLimiter, redis::Time},
    redis::RedisConnection,
};
use toolcrib_http::AlertHook;
use toolcrib_store::Db;

mod assistant;
pub mod connectors;
pub mod health;
mod upstreams;

use assistant::AssistantModels;

use crate::{
    context::{AppContext, catalog, catalog_over},
    failure::Failure,
    telemetry::Metrics,
    toolset_files,
};

/// The issuer of user tokens.
pub enum Tokens {
    /// The local issuer, whose key is in the data directory.
    Local(Arc<LocalIssuer>),
    /// An identity provider.
    Provider(JwksKeys, TokenSettings),
}

impl Tokens {
    /// Returns what tokens are verified with: the accepted claims, and the issuer's keys.
    fn verification(&self) -> (TokenSettings, Arc<dyn JwksSource>) {
        match self {
            // The local issuer always writes the default claims.
            Self::Local(issuer) => (LocalIssuer::settings(), issuer.clone()),
            Self::Provider(keys, token_settings) => (token_settings.clone(), Arc::new(keys.clone())),
        }
    }
}

pub struct Services {
    pub db: Db,
    /// The catalogue of actions.
    pub catalog: Arc<Catalog>,
    /// Runs every call.
    pub engine: Arc<Engine>,
    /// Verifies credentials.
    pub authenticator: Arc<Authenticator>,
    pub limiter: Arc<dyn Limiter>,
    /// The buckets of this process. `background.rs` sweeps them once a minute.
    pub buckets: Arc<LocalLimiter>,
    /// Observes the service itself. `background.rs` updates it every few seconds.
    pub platform: Arc<Platform>,
    /// Takes the runs of the assistant.
    pub assistant: Arc<Assistant>,
    /// The models of the assistant. `background.rs` has the operator's provider list them.
    pub models: AssistantModels,
    /// The webhook of an Alertmanager, if it is configured.
    pub alerts: Option<AlertHook>,
    /// Encrypts and decrypts stored secrets.
    pub secret_cipher: Arc<SecretCipher>,
    /// Seals the audit log.
    pub sealer: Arc<Sealer>,
}

/// Returns the issuer of user tokens from the settings.
pub fn tokens(context: &AppContext) -> Result<Tokens, Failure> {
    match &context.settings.jwks_url {
        Some(url) => provider(context, url),
        None => Ok(Tokens::Local(Arc::new(context.local_issuer()?))),
    }
}

fn provider(context: &AppContext, url: &str) -> Result<Tokens, Failure> {
    let settings = &context.settings;
    let client = provider_client(settings, "--jwks-url", url)?;
    let keys = JwksKeys::new(Arc::new(client), context.clock.clone(), FETCH_TIMEOUT);
    Ok(Tokens::Provider(keys, token_settings(settings)))
}

/// Returns a client for an address of the identity provider, which the setting `flag` has.
pub fn provider_client(settings: &Settings, flag: &'static str, url: &str) -> Result<JwksClient, Failure> {
    let wrong = |flag: &'static str| move |error: JwksError| Failure::Usage(format!("`{flag}`: {error}"));
    let client = JwksClient::new(url).map_err(wrong(flag))?;
    match &settings.edge.connector_proxy {
        Some(proxy) => client.with_proxy(proxy.expose_secret()).map_err(wrong("--connector-proxy")),
        None => Ok(client),
    }
}

/// Returns the rules for the user tokens of the identity provider.
fn token_settings(settings: &Settings) -> TokenSettings {
    TokenSettings {
        audience: settings.audience.clone(),
        mcp_audience: settings.mcp_audience.clone(),
        authorized_parties: settings.authorized_parties.clone(),
        workspace_claim: settings.workspace_claim.clone(),
        system_role_claim: settings.system_role_claim.clone(),
        leeway_seconds: settings.token_leeway_seconds.into(),
        ..TokenSettings::new(settings.issuer.clone().unwrap_or_default())
    }
}

/// Returns the cipher of stored secrets. Fails if its key file is invalid, so that the error appears at the
/// start and not at the first use.
pub fn secret_cipher(settings: &Settings) -> Result<SecretCipher, Failure> {
    let Some(key) = &settings.secret_key else {
        let secret_cipher = SecretCipher::in_folder(&settings.data_dir);
        secret_cipher.check().map_err(|error| {
            let file = settings.data_dir.join(toolcrib_auth::secret_cipher::FILE);
            let what = format!("`{}` is no key of stored secrets, put the right one back", file.display());
            Failure::could_not(&what, error)
        })?;
        return Ok(secret_cipher);
    };
    SecretCipher::from_setting(key).map_err(|error| Failure::Usage(format!("`--secret-key`: {error}")))
}

/// Returns the targets that datasources may reach, and the cipher of their connection URLs.
fn datasources(settings: &Settings) -> Result<DatasourceRules, Failure> {
    let secret_cipher = secret_cipher(settings)?;
    let own = match &settings.database {
        Database::Sqlite(path) => Some(path.clone()),
        Database::Postgres(_) => None,
    };
    let (hosts, folder) = (settings.datasource_hosts.clone(), Some(settings.datasource_dir.clone()));
    Ok(DatasourceRules {
        allowed: AllowedTargets { hosts, folder, own },
        secret_cipher: Arc::new(secret_cipher),
    })
}

impl Services {
    /// Opens the database and creates all services. `provider` is the assistant's, if the settings name none.
    pub async fn join(
        context: &AppContext,
        tokens: &Tokens,
        metrics: &Metrics,
        address: SocketAddr,
        provider: Option<OperatorProvider>,
    ) -> Result<Self, Failure> {
        let settings = &context.settings;
        let toolsets = toolset_files::of_operator(&settings.toolset, &settings.caller_types, &context.packs)?;
        let caller_types = toolset_files::caller_types(&settings.caller_types, &toolsets);
        let upstreams = upstreams::read(&toolsets)?;
        let db = context.open_to_serve().await?;
        let datasources = Arc::new(datasources(settings)?);
        let secret_cipher = datasources.secret_cipher.clone();
        let Volatile { buckets, limiter, grants } = Volatile::open(context, &secret_cipher).await?;
        let connectors = connectors::connectors(&settings.outside, settings.edge.connector_proxy.as_ref())?;
        let platform = Arc::new(connectors.watched_by(platform(context, metrics, &db, &limiter)));
        let (inbox, alerts) = connectors::inbox(&settings.outside, &db, &context.clock)?;
        let (token_settings, source) = tokens.verification();
        let (audit_key, audit_keys) = context.audit_key()?;
        let sealer = Sealer::new(db.clone(), context.clock.clone(), audit_key, audit_keys.clone());
        let engine_settings = engine_settings(settings, caller_types.clone(), address)?;
        let rules = OperatorRules {
            caller_types,
            provider_sign_in: settings.console_client_id.is_some(),
            issuer: Some(token_settings.issuer.clone()),
            approve_hosts: settings.approve_hosts.clone(),
            datasources,
            audit_keys,
            webhook_hosts: settings.webhook_hosts.clone(),
            toolsets,
            upstreams,
            upstream_hosts: settings.upstream_hosts.clone(),
            workspace_upstreams: settings.workspace_upstreams,
            public_url: Some(engine_settings.public_url.clone()),
        };
        let models = AssistantModels::new(&settings.assistant, &engine_settings.public_url, provider)?;
        let services = infrastructure(&platform, connectors, inbox, &models);
        let catalog = catalog_over(&services, rules, &context.packs, settings)?;
        let engine = Engine::new(
            db.clone(),
            catalog.clone(),
            context.clock.clone(),
            context.ids.clone(),
            limiter.clone(),
            grants,
            engine_settings,
        );
        let assistant = models.assistant(&settings.assistant, engine.clone(), db.clone());
        let (clock, cipher) = (context.clock.clone(), secret_cipher.clone());
        let authenticator = Arc::new(Authenticator::new(db.clone(), clock, token_settings, source, cipher));
        Ok(Self {
            db,
            catalog,
            engine,
            authenticator,
            limiter,
            buckets,
            platform,
            assistant,
            models,
            alerts,
            secret_cipher,
            sealer: Arc::new(sealer),
        })
    }
}

/// Rate limits and session grants: in Redis, shared by several processes, or in the memory of this process.
struct Volatile {
    /// The buckets of this process. With Redis they are only used for reads while Redis is unavailable.
    buckets: Arc<LocalLimiter>,
    limiter: Arc<dyn Limiter>,
    /// Stores session grants.
    grants: Arc<dyn Grants>,
}

impl Volatile {
    /// Connects to the Redis of the settings, or uses the memory of this process. Grants in Redis are
    /// encrypted with `secret_cipher`'s key, so processes with different keys share only the limits.
    async fn open(context: &AppContext, secret_cipher: &Arc<SecretCipher>) -> Result<Self, Failure> {
        let (clock, ids) = (&context.clock, &context.ids);
        let buckets = Arc::new(LocalLimiter::new(clock.clone()));
        let Some(url) = &context.settings.redis else {
            let grants = Arc::new(LocalGrants::new(clock.clone()));
            return Ok(Self { limiter: buckets.clone(), buckets, grants });
        };
        let redis = RedisConnection::connect(url).await;
        let redis = redis.map_err(|error| Failure::could_not("the Redis of `--redis`", error))?;
        let limiter = RedisLimiter::new(redis.clone(), Time::Server, buckets.clone());
        let grants = RedisGrants::new(redis, secret_cipher.clone(), clock.clone(), ids.clone());
        Ok(Self { buckets, limiter: Arc::new(limiter), grants: Arc::new(grants) })
    }
}

/// Returns an engine for a command, which calls no service and knows no toolset of the operator.
pub fn engine_of_command(context: &AppContext, db: &Db) -> Result<Arc<Engine>, Failure> {
    let (settings, clock, ids) = (&context.settings, context.clock.clone(), context.ids.clone());
    let limiter = Arc::new(LocalLimiter::new(clock.clone()));
    let grants = Arc::new(LocalGrants::new(clock.clone()));
    let engine_settings = engine_settings(settings, settings.caller_types.clone(), settings.bind)?;
    let catalog = catalog(&context.packs, settings)?;
    Ok(Engine::new(db.clone(), catalog, clock, ids, limiter, grants, engine_settings))
}

/// Returns the services that actions use.
fn infrastructure(
    platform: &Arc<Platform>,
    connectors: Connectors,
    inbox: Option<Inbox>,
    models: &AssistantModels,
) -> Infrastructure {
    Infrastructure { platform: platform.clone(), connectors, inbox, models: models.providers.clone() }
}

/// Returns what observes the service itself.
fn platform(context: &AppContext, metrics: &Metrics, db: &Db, limiter: &Arc<dyn Limiter>) -> Platform {
    let (metrics, of) = (metrics.clone(), db.clone());
    Platform::new(context.clock.clone(), context.journal.clone())
        .with_metrics(move || metrics.render(&of))
        .watch(health::DatabaseProbe(db.clone()))
        .watch(health::LimiterProbe(limiter.clone()))
}

fn engine_settings(
    settings: &Settings,
    caller_types: Vec<String>,
    address: SocketAddr,
) -> Result<EngineSettings, Failure> {
    let own_url = || format!("http://{}", reachable(address));
    let public_url = settings.public_url.clone().unwrap_or_else(own_url);
    Ok(EngineSettings {
        caller_types,
        upstream_client: upstreams::client(settings, &public_url)?,
        public_url,
        confirmation_seconds: i64::from(settings.confirmation_minutes) * 60,
        lists_per_minute: settings.lists_per_minute,
        toolset_cache_bytes: u64::from(settings.toolset_cache_mib) << 20,
        effect_looks: vec![Duration::from_secs(1), Duration::from_secs(10)],
        sqlite_write_timeout: Duration::from_secs(2),
    })
}

/// Returns a link that signs in a user of the local issuer. It works once, within ten minutes. The code is
/// behind `#`, so that no server, proxy or log gets it with the address.
pub fn login_link(
    context: &AppContext,
    issuer: &LocalIssuer,
    base: &str,
    subject: &str,
) -> Result<String, Failure> {
    let now = context.now();
    let code = issuer.mint_login_code(subject, now, context.ids.new_id(now))?;
    Ok(format!("{base}/console/login#code={code}"))
}

/// Returns an address at which this machine reaches the listener: the loopback address if the listener is
/// bound to all addresses.
pub fn reachable(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    let loopback: std::net::IpAddr =
        if address.is_ipv4() { [127, 0, 0, 1].into() } else { std::net::Ipv6Addr::LOCALHOST.into() };
    SocketAddr::new(loopback, address.port())
}

#[cfg(test)]
mod tests {
    use std::iter;

    use clap::Command;

    use super::*;

    #[test]
    fn tokens_are_accepted_as_the_operator_set_it() {
        let flags = [
            "toolcrib",
            "--jwks-url=https://id.test/keys",
            "--issuer=https://id.test",
            "--audience=us",
            "--mcp-audience=mcp",
            "--authorized-parties=app",
            "--workspace-claim=org",
            "--system-role-claim=meta.role",
            "--token-leeway-seconds=7",
        ];
        let matches = toolcrib_config::with_flags(Command::new("toolcrib")).get_matches_from(flags);
        let loaded = toolcrib_config::load(&matches, iter::empty()).unwrap();
        let rules = token_settings(&loaded.settings);
        assert_eq!((&*rules.issuer, rules.audience.as_deref()), ("https://id.test", Some("us")));
        assert_eq!(
            (rules.mcp_audience.as_deref(), &*rules.authorized_parties),
            (Some("mcp"), &["app".to_owned()][..])
        );
        assert_eq!((&*rules.workspace_claim, &*rules.system_role_claim), ("org", "meta.role"));
        assert_eq!((rules.leeway_seconds, rules.login_audience), (7, None));
    }
}
