//! The first step of a restore, one transaction: what was open is ended, and the database is held.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolcrib_assistant::fail_restored;
use toolcrib_engine::{ActionError, EndedWork, Engine, Stamp};
use toolcrib_model::{Id, ServingState, count};
use toolcrib_store::{
    Db, StoreError, WriteTx, audit::chain, invitations, serving, serving::ServingRow, sessions,
};

use crate::{
    administration::audit_row, context::AppContext, failure::Failure, output, services::engine_of_command,
};

/// The head that an audit log had in the backup.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredHead {
    pub seq: i64,
    pub hash: String,
}

/// What was ended, by its number.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Ended {
    sessions: u64,
    confirmations: u64,
    calls: u64,
    runs: u64,
    invitations: u64,
}

impl Ended {
    fn add(&mut self, more: Self) {
        self.sessions += more.sessions;
        self.confirmations += more.confirmations;
        self.calls += more.calls;
        self.runs += more.runs;
        self.invitations += more.invitations;
    }
}

/// Ends sessions, confirmations, calls, runs and invitations, and holds the database.
pub async fn hold(context: &AppContext, db: &Db) -> Result<(), Failure> {
    let engine = engine_of_command(context, db)?;
    let stamp = context.stamp();
    let homes = chain::homes(db).await?;
    let mut tx = db.begin_write_as_owner().await?;
    let held = hold_in(&mut tx, &engine, stamp, &homes).await;
    let ended = tx.end(held).await.map_err(|error: ActionError| {
        Failure::could_not("the database can't be held", error.internal.unwrap_or(error.detail))
    })?;
    output::line(&format!(
        "ended: {}, {} (`void`), {} (`unknown`), {} (`failed`), {} (revoked)",
        count(ended.sessions, "session"),
        count(ended.confirmations, "confirmation"),
        count(ended.calls, "call"),
        count(ended.runs, "run"),
        count(ended.invitations, "invitation"),
    ))
}

async fn hold_in(
    tx: &mut WriteTx,
    engine: &Engine,
    stamp: Stamp<'_>,
    homes: &[Id],
) -> Result<Ended, ActionError> {
    let sessions = sessions::delete_all(tx).await?;
    let (mut all, mut heads) = (Ended::default(), BTreeMap::new());
    for home in homes {
        tx.switch_workspace(*home).await?;
        let head = chain::head(tx).await?;
        let head = StoredHead { seq: head.seq, hash: head.hash };
        let mut ended = end(tx, engine, stamp).await?;
        // Sessions belong to no workspace.
        ended.sessions = if home.is_nil() { sessions } else { 0 };
        let arguments = json!({ "backup_head": head, "ended": ended });
        tx.audit(audit_row(stamp, *home, "backups.restore", &arguments, None));
        tx.insert_collected().await?;
        all.add(ended);
        heads.insert(home.to_string(), head);
    }
    let heads = serde_json::to_string(&heads)
        .map_err(|error| StoreError::Inconsistent(format!("the heads: {error}")))?;
    let row = ServingRow { state: ServingState::Restored, changed_at: stamp.now, heads: Some(heads) };
    serving::set(tx, &row).await?;
    Ok(all)
}

/// Ends what is open in the transaction's workspace.
async fn end(tx: &mut WriteTx, engine: &Engine, stamp: Stamp<'_>) -> Result<Ended, ActionError> {
    let EndedWork { confirmations, calls } = engine.end_restored(tx).await?;
    let runs = fail_restored(tx, stamp).await?;
    let invitations = invitations::revoke_open(tx, stamp.now).await?;
    Ok(Ended { sessions: 0, confirmations, calls, runs, invitations })
}
