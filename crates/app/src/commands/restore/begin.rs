//! The first step of a restore, one transaction: what was open is ended, and the database is held.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolcrib_assistant::{background::Stamp, fail_restored};
use toolcrib_engine::{ActionError, EndedWork, Engine};
use toolcrib_model::{Id, ServingState, count};
use toolcrib_store::{Db, StoreError, WriteTx, audit::chain, serving, serving::ServingRow, sessions};

use crate::{
    administration::{Moment, audit_row},
    context::AppContext,
    failure::Failure,
    output,
    services::engine_of_command,
};

/// The head that an audit log had in the backup.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredHead {
    pub seq: i64,
    pub hash: String,
}

/// Ends sessions, confirmations, calls and runs, and holds the database.
pub async fn hold(context: &AppContext, db: &Db) -> Result<(), Failure> {
    let engine = engine_of_command(context, db)?;
    let moment = Moment { now: context.now(), ids: context.ids.as_ref() };
    let homes = chain::homes(db).await?;
    let mut tx = db.begin_write_as_owner().await?;
    let held = hold_in(&mut tx, &engine, moment, &homes).await;
    let (ended, sessions, runs) = tx.end(held).await.map_err(|error: ActionError| {
        Failure::could_not("the database can't be held", error.internal.unwrap_or(error.detail))
    })?;
    output::line(&format!(
        "ended: {}, {} (`void`), {} (`unknown`), {} (`failed`)",
        count(sessions, "session"),
        count(ended.confirmations, "confirmation"),
        count(ended.calls, "call"),
        count(runs, "run"),
    ))
}

async fn hold_in(
    tx: &mut WriteTx,
    engine: &Engine,
    moment: Moment<'_>,
    homes: &[Id],
) -> Result<(EndedWork, u64, u64), ActionError> {
    let sessions = sessions::delete_all(tx).await?;
    let (mut all, mut runs, mut heads) = (EndedWork::default(), 0, BTreeMap::new());
    for home in homes {
        tx.switch_workspace(*home).await?;
        let head = chain::head(tx).await?;
        let head = StoredHead { seq: head.seq, hash: head.hash };
        let ended = engine.end_restored(tx).await?;
        let failed = fail_restored(tx, Stamp { ids: moment.ids, now: moment.now }).await?;
        let arguments = json!({ "backup_head": head, "confirmations": ended.confirmations, "calls": ended.calls,
            "runs": failed, "sessions": home.is_nil().then_some(sessions) });
        tx.audit(audit_row(moment, *home, "backups.restore", &arguments, None));
        tx.insert_collected().await?;
        all.confirmations += ended.confirmations;
        all.calls += ended.calls;
        runs += failed;
        heads.insert(home.to_string(), head);
    }
    let heads = serde_json::to_string(&heads)
        .map_err(|error| StoreError::Inconsistent(format!("the heads: {error}")))?;
    let row = ServingRow { state: ServingState::Restored, changed_at: moment.now, heads: Some(heads) };
    serving::set(tx, &row).await?;
    Ok((all, sessions, runs))
}
