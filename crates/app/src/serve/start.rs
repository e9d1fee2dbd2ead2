//! Checks that run before `serve` binds its port and opens the database. Each error is one line that says how
//! to fix it.

use std::sync::Arc;

use toolcrib_auth::issuer;
use toolcrib_config::{Database, Settings};
use toolcrib_connectors::webhooks::{Allowed, WebhookSender};
use toolcrib_store::Db;

use super::anchor::AnchorWriter;
use crate::{
    cli::ServeArgs,
    context::AppContext,
    demo,
    failure::Failure,
    instance::Instance,
    private,
    services::{self, Tokens, connectors},
};

/// Refuses flags and settings that contradict each other.
pub fn check_usage(args: ServeArgs, settings: &Settings) -> Result<(), Failure> {
    if args.demo && !args.demo_on_network && !settings.bind.ip().is_loopback() {
        return Err(Failure::Usage(format!(
            "`--demo` prints credentials that anybody may use who reaches {}: bind to 127.0.0.1, or say \
             `--demo-on-network`",
            settings.bind
        )));
    }
    if args.demo && settings.jwks_url.is_some() {
        return Err(Failure::Usage(
            "`--demo` makes tokens of its own: leave `--jwks-url` out, or `--demo`".into(),
        ));
    }
    if !args.demo && settings.jwks_url.is_none() && matches!(settings.database, Database::Postgres(_)) {
        return Err(Failure::Usage(
            "with PostgreSQL user tokens come from an identity provider: set `--jwks-url`, `--issuer` and \
             `--audience` (or `--authorized-parties`); `--demo` does without"
                .into(),
        ));
    }
    Ok(())
}

/// Creates the data directory, restricts its permissions, and acquires the lock of an SQLite database.
pub fn claim(context: &AppContext) -> Result<Option<Instance>, Failure> {
    let settings = &context.settings;
    private::make_folder(&settings.data_dir)?;
    let instance = match &settings.database {
        Database::Sqlite(path) => {
            private::make_folder_of(path)?;
            Some(Instance::acquire(path)?)
        }
        Database::Postgres(_) => None,
    };
    for open in private::tighten(settings) {
        tracing::warn!("{open}");
    }
    Ok(instance)
}

/// Returns the issuer of user tokens. Fails if the local issuer's key was lost: a new key would make all
/// signed tokens invalid without an explanation.
pub fn tokens(context: &AppContext, demo: bool, instance: Option<&Instance>) -> Result<Tokens, Failure> {
    let settings = &context.settings;
    let lost = settings.jwks_url.is_none() && !settings.data_dir.join(issuer::FILE).exists();
    if lost && demo && settings.data_dir.join(demo::FILE).exists() {
        return Err(Failure::CouldNotRun(
            "`issuer.pem` is gone from the data directory, and the tokens in `demo.json` were signed with it: put it back, \
             or name another `--data-dir`"
                .into(),
        ));
    }
    if lost && instance.is_some_and(|instance| instance.served_before) {
        return Err(Failure::CouldNotRun(
            "there is no `issuer.pem` in the data directory, but this database was served before: tokens that were signed \
             with it are refused. Put it back, or make a new one with `toolcrib token mint`"
                .into(),
        ));
    }
    services::tokens(context)
}

/// Validates settings and keys by creating everything that depends on them. Returns the anchor and drops the
/// rest.
pub fn check_settings(context: &AppContext) -> Result<Option<Arc<AnchorWriter>>, Failure> {
    let settings = &context.settings;
    connectors::connectors(&settings.outside, settings.edge.connector_proxy.as_ref())?;
    services::secret_cipher(settings)?;
    context.audit_key()?;
    webhook_sender(settings)?;
    settings.audit_anchor.as_ref().map(|anchor| AnchorWriter::new(anchor).map(Arc::new)).transpose()
}

/// Returns the client that sends to webhooks.
pub fn webhook_sender(settings: &Settings) -> Result<WebhookSender, Failure> {
    WebhookSender::new(Allowed::new(&settings.webhook_hosts))
        .map_err(|error| Failure::could_not("can't send to webhooks", error))
}

/// Warns if this process has a login to the database with more rights than it needs.
pub fn warn_of_rights(context: &AppContext, db: &Db) {
    if db.may_become_owner() {
        tracing::warn!("{}", ONE_LOGIN);
    } else if context.settings.owner_database.is_some() {
        tracing::warn!("{}", OWNER_NEARBY);
    }
}

/// A message for the log and `doctor`.
pub const ONE_LOGIN: &str = "PostgreSQL has one login for requests, audit rows and workers, which could become the tables' \
    owner again: `toolcrib migrate` makes three that can't, with `--audit-database`, `--worker-database` and \
    `--owner-database`";
/// A message for the log and `doctor`.
pub const OWNER_NEARBY: &str = "the owner's login (`--owner-database`) is among the settings of this process, which never \
    needs it: give it to `toolcrib migrate` alone";
