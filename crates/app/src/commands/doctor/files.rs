//! Checks the files of the data directory: their permissions, the keys, and the integrity of the database.

use toolcrib_auth::issuer;
use toolcrib_config::Database;
use toolcrib_engine::chain;
use toolcrib_store::Db;

use super::Finding;
use crate::{context::AppContext, demo, instance, private, serve::damage, services};

/// Runs the checks that need no database. Creates no files.
pub fn check(context: &AppContext) -> Vec<Finding> {
    let settings = &context.settings;
    let mut findings: Vec<Finding> =
        private::tighten(settings).into_iter().map(|open| Finding::new(false, open)).collect();
    if findings.is_empty() {
        findings.push(Finding::new(true, "the files of the data directory are closed to other users"));
    }
    let secret_cipher = services::secret_cipher(settings)
        .map(|_| "the key of stored secrets can be used, or is made when it is needed");
    findings.push(finding(secret_cipher));
    if settings.audit_key.is_some() || settings.data_dir.join(chain::FILE).exists() {
        findings.push(finding(context.audit_key().map(|_| "the audit log's key can be used")));
    }
    findings.extend(local_issuer(context));
    if let Database::Sqlite(path) = &settings.database {
        findings.extend(instance::holder(path).map(|(process, running)| {
            Finding::note(if running {
                format!("process {process} serves the database now")
            } else {
                format!("process {process} served the database last, and did not end in order")
            })
        }));
    }
    findings
}

fn local_issuer(context: &AppContext) -> Option<Finding> {
    let settings = &context.settings;
    if settings.jwks_url.is_some() {
        return None;
    }
    if settings.data_dir.join(issuer::FILE).exists() {
        return Some(finding(context.local_issuer().map(|_| "the local issuer's key can be used")));
    }
    let Database::Sqlite(path) = &settings.database else { return None };
    private::beside(path, ".lock").exists().then(|| {
        Finding::new(
            false,
            "there is no `issuer.pem`, but the database was served before: put it back, or make a new one with `toolcrib \
             token mint`",
        )
    })
}

/// Checks the contents of the database by reading all of it.
pub async fn contents(context: &AppContext, db: &Db) -> Vec<Finding> {
    let mut damaged: Vec<Finding> =
        damage::file(db).await.into_iter().map(|text| Finding::new(false, text)).collect();
    match damage::logs(db).await {
        Ok(cut) => damaged.extend(cut.into_iter().map(|text| Finding::new(false, text))),
        Err(error) => {
            damaged.push(Finding::new(false, format!("the audit logs can't be looked at: {error}")));
        }
    }
    if damaged.is_empty() {
        let whole = if db.kind() == "sqlite" { "the database is whole, and " } else { "" };
        damaged.push(Finding::new(true, format!("{whole}the audit logs reach as far as they were signed")));
    }
    match demo::check_file(&context.settings.data_dir, db).await {
        Ok(true) => damaged.push(Finding::new(true, "`demo.json` is of this database")),
        Ok(false) => {}
        Err(failure) => damaged.push(Finding::new(false, failure.to_string())),
    }
    damaged
}

fn finding<E: std::fmt::Display>(found: Result<&'static str, E>) -> Finding {
    match found {
        Ok(text) => Finding::new(true, text),
        Err(error) => Finding::new(false, error.to_string()),
    }
}
