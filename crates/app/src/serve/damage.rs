//! Checks the integrity of the database and of the audit logs when `serve` starts.
//!
//! The whole SQLite file is read only after a process that did not shut down cleanly. Each start checks that
//! the logs reach as far as they were signed, which takes two look-ups per workspace.

use toolcrib_store::{Db, StoreError, audit::chain, health};

use crate::services::Services;
use crate::{failure::Failure, instance::Instance};

/// Logs what is damaged. Fails on damage if `strict`.
pub async fn check(
    services: &Services,
    mut instance: Option<&mut Instance>,
    strict: bool,
) -> Result<(), Failure> {
    let mut damage = Vec::new();
    if instance.as_ref().is_some_and(|instance| instance.unchecked) {
        tracing::info!("the last process did not end in order: the database is read through");
        damage.extend(file(&services.db).await);
    }
    damage.extend(logs(&services.db).await?);
    for text in &damage {
        tracing::error!("{text}");
    }
    match (damage.first(), &mut instance) {
        (Some(first), _) if strict => {
            let more =
                if damage.len() > 1 { format!(", and {} more", damage.len() - 1) } else { String::new() };
            Err(Failure::CouldNotRun(format!("{first}{more}; `--strict-start` serves no damaged data")))
        }
        (None, Some(instance)) if instance.unchecked => instance
            .whole()
            .map_err(|error| Failure::could_not("the database's lock can't be written", error)),
        _ => Ok(()),
    }
}

/// Returns the defects of the database's file.
pub async fn file(db: &Db) -> Vec<String> {
    match health::quick_check(db).await {
        Ok(found) => found.first().map(|first| damaged(first)).into_iter().collect(),
        // Some damage makes the file unreadable.
        Err(error) => vec![damaged(&error.to_string())],
    }
}

fn damaged(what: &str) -> String {
    format!("the database is damaged ({what}): restore it from a backup (`toolcrib restore`)")
}

/// Returns a line for each audit log that lacks rows that were signed.
pub async fn logs(db: &Db) -> Result<Vec<String>, StoreError> {
    let cut = chain::cut(db).await?;
    Ok(cut
        .into_iter()
        .map(|workspace| {
            format!("the audit log of the workspace {workspace} lacks what was signed: `toolcrib audit verify` says where")
        })
        .collect())
}
