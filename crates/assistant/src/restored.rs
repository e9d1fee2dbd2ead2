//! Runs in a database that was restored from a backup.

use toolcrib_engine::Stamp;
use toolcrib_model::{ErrorCode, RunState};
use toolcrib_store::{StoreError, WriteTx, assistant_runs};

use crate::background::{RunEnd, follow};

const WHY: &str = "the database was restored from a backup";

/// Ends the open runs of the transaction's workspace as failed, with the executions and missions that they are for, and
/// returns their number. What a run did after the backup was made is not known, so that nothing of it is tried again.
pub async fn fail_restored(tx: &mut WriteTx, stamp: Stamp<'_>) -> Result<u64, StoreError> {
    let code = ErrorCode::Internal.as_str();
    let mut ended = 0;
    loop {
        let open = assistant_runs::all_open(tx).await?;
        if open.is_empty() {
            return Ok(ended);
        }
        // The end of a mission's run starts its other tasks.
        for run in open {
            assistant_runs::fail(tx, run.id, code, WHY, stamp.now).await?;
            // A step is tried again or skipped only if its run failed by itself.
            let end = RunEnd { run: &run, state: RunState::Stopped, error: Some((code, WHY)), text: "" };
            follow(tx, stamp, &end).await?;
            ended += 1;
        }
    }
}
