//! `doctor`: checks the installation and prints one line for each check. Exit code 1 if a check fails.

mod files;
mod identity;

use toolcrib_config::{Database, Settings};
use toolcrib_engine::redis::RedisConnection;
use toolcrib_model::{Id, ServingState};
use toolcrib_store::{Db, health, serving};

use super::invite;
use crate::{
    context::{AppContext, catalog},
    failure::{Failure, Ran},
    output,
    serve::start,
};

/// The minimum versions. Older SQLite versions can lose acknowledged commits, and older `jsonwebtoken`
/// versions have a flaw in the verification of tokens.
const SQLITE: &str = "3.51.3";
const BUILT_WITH: [(&str, &str, &str); 1] = [("jsonwebtoken", env!("VERSION_JSONWEBTOKEN"), "10.3.0")];
const INFORMATION: [(&str, &str); 3] = [
    ("axum", env!("VERSION_AXUM")),
    ("sqlx", env!("VERSION_SQLX")),
    ("libsqlite3-sys", env!("VERSION_LIBSQLITE3_SYS")),
];

/// The result of one check.
pub struct Finding {
    mark: &'static str,
    text: String,
}

const GOOD: &str = "ok  ";
const NOTE: &str = "NOTE";
const BAD: &str = "FAIL";

impl Finding {
    pub fn new(good: bool, text: impl Into<String>) -> Self {
        Self { mark: if good { GOOD } else { BAD }, text: text.into() }
    }

    /// A recommendation. It does not change the exit code.
    pub fn note(text: impl Into<String>) -> Self {
        Self { mark: NOTE, text: text.into() }
    }
}

pub async fn run(context: &AppContext) -> Result<Ran, Failure> {
    let mut findings = libraries();
    findings.extend(settings(&context.settings));
    findings.extend(identity::check(&context.settings).await);
    findings.push(match catalog(&context.packs, &context.settings) {
        Ok(catalog) => {
            Finding::new(true, format!("the catalogue has {} actions", catalog.registry().tools().count()))
        }
        Err(failure) => Finding::new(false, failure.to_string()),
    });
    findings.extend(files::check(context));
    match context.open_existing_to_serve().await {
        Ok(db) => {
            findings.extend(database(&db).await);
            findings.extend(walls(context, &db));
            findings.extend(invitations(context, &db).await);
            findings.extend(files::contents(context, &db).await);
        }
        Err(failure) => findings.push(Finding::new(false, failure.to_string())),
    }
    findings.extend(redis(&context.settings).await);
    for Finding { mark, text } in &findings {
        output::line(&format!("{mark}  {text}"))?;
    }
    Ok(if findings.iter().any(|finding| finding.mark == BAD) { Ran::No } else { Ran::Done })
}

fn libraries() -> Vec<Finding> {
    let watched = BUILT_WITH.map(|(name, versions, least)| {
        let good = !versions.is_empty() && versions.split(' ').all(|version| at_least(version, least));
        Finding::new(good, format!("{name} {versions} (at least {least})"))
    });
    let others = INFORMATION.map(|(name, version)| Finding::new(true, format!("{name} {version}")));
    watched.into_iter().chain(others).collect()
}

fn settings(settings: &Settings) -> Vec<Finding> {
    let mut findings = Vec::new();
    let outside = !settings.bind.ip().is_loopback();
    let https = settings.public_url.as_deref().is_some_and(|url| url.starts_with("https://"));
    if outside {
        findings.push(Finding::new(
            https,
            format!("listens on {} beyond this machine, with a public URL of https", settings.bind),
        ));
    } else {
        findings.push(Finding::new(true, format!("listens on {} only", settings.bind)));
    }
    findings.push(match (&settings.jwks_url, &settings.database) {
        (Some(_), _) => Finding::new(true, "user tokens come from the identity provider"),
        (None, Database::Sqlite(_)) => Finding::new(true, "user tokens come from the local issuer"),
        (None, Database::Postgres(_)) => {
            Finding::new(false, "user tokens: `--jwks-url` is not set, and `serve` starts with `--demo` only")
        }
    });
    findings
}

async fn database(db: &Db) -> Vec<Finding> {
    let version = match health::version(db).await {
        Ok(version) => {
            let good = db.kind() != "sqlite" || at_least(&version, SQLITE);
            let least = if db.kind() == "sqlite" { format!(" (at least {SQLITE})") } else { String::new() };
            Finding::new(good, format!("{} {version}{least} answers", db.kind()))
        }
        Err(error) => Finding::new(false, format!("the database does not answer: {error}")),
    };
    let refuses = match db.read(Id::nil()).await {
        Ok(mut tx) => {
            let refused = health::attempt_write(&mut tx).await.is_err();
            // A transaction with a failed statement is dropped, which closes its connection.
            drop(tx);
            Finding::new(refused, "reads can't write: the database refuses it")
        }
        Err(error) => Finding::new(false, format!("no read can begin: {error}")),
    };
    vec![version, refuses, held(db).await]
}

/// Says what is held in a database that was restored from a backup.
async fn held(db: &Db) -> Finding {
    match serving::state(db).await {
        Ok(Some(ServingState::Open)) => Finding::new(true, "nothing is held"),
        Ok(Some(ServingState::Accepted)) => {
            Finding::new(false, "webhooks and due work are held: `toolcrib restore --resume`")
        }
        Ok(Some(ServingState::Restored)) => {
            Finding::new(false, "restored from a backup and held: `toolcrib restore --accept`")
        }
        Ok(None) => Finding::new(false, "put back from a backup and held: `toolcrib restore`"),
        Err(error) => Finding::new(false, format!("it can't be read whether the database is held: {error}")),
    }
}

/// Checks that the logins of the process have no more rights in PostgreSQL than they need.
fn walls(context: &AppContext, db: &Db) -> Option<Finding> {
    if db.may_become_owner() {
        return Some(Finding::note(start::ONE_LOGIN));
    }
    context.settings.logins.as_ref()?;
    Some(match context.settings.owner_database {
        Some(_) => Finding::note(start::OWNER_NEARBY),
        None => Finding::new(true, "three logins to PostgreSQL that own nothing and are members of nothing"),
    })
}

async fn invitations(context: &AppContext, db: &Db) -> Vec<Finding> {
    match invite::open(db, context.now()).await {
        Ok(open) => open.into_iter().map(Finding::note).collect(),
        Err(error) => vec![Finding::new(false, format!("invitations can't be read: {error}"))],
    }
}

async fn redis(settings: &Settings) -> Option<Finding> {
    Some(match RedisConnection::connect(settings.redis.as_ref()?).await {
        Ok(_) => Finding::new(true, "the Redis of `--redis` answers"),
        Err(error) => Finding::new(false, format!("the Redis of `--redis` does not answer: {error}")),
    })
}

/// Compares versions number by number. A part that is not a number counts as 0.
fn at_least(version: &str, least: &str) -> bool {
    let numbers = |text: &str| -> Vec<u32> {
        text.split(['.', '+', '-', ' ']).take(3).map(|part| part.parse().unwrap_or(0)).collect()
    };
    numbers(version) >= numbers(least)
}

#[cfg(test)]
mod tests {
    use super::at_least;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(
            at_least("3.51.3", "3.51.3") && at_least("3.100.0", "3.51.3") && at_least("11.1.0", "10.3.0")
        );
        assert!(!at_least("3.51.2", "3.51.3") && !at_least("0.4.9", "0.4.16") && !at_least("", "0.4.16"));
    }
}
