//! Takes the report of a call that the caller ran. The outcome of a read that was handed out is formatted like that of
//! any call, and nothing is recorded.

use std::sync::Arc;

use serde_json::json;
use toolcrib_access::Caller;
use toolcrib_auth::Authenticated;
use toolcrib_model::{ErrorCode, ExecutorKind, Id, OpenCallState, Ts};
use toolcrib_registry::Level;
use toolcrib_store::{
    WriteTx,
    open_calls::{self, OpenCallRow},
    within,
};

use super::{
    caller::{is_own, not_found, run_by_caller},
    end::CallOutcome,
    report::{CallReport, ReadReport, ReportedStatus},
    view::{self, OpenCallView},
};
use crate::{
    base::ActionError, confirm::DecisionMeta, declared::client_calls::times_of, engine::Engine,
    gates::early_exit::EarlyExit, response::Outcome,
};

/// Seconds after an unknown end in which a report is still taken.
const LATE_SECONDS: i64 = 24 * 60 * 60;

impl Engine {
    /// Takes the outcome of a call from the principal that made it or from its user, whatever their role is by then.
    /// The same report again gets the same answer.
    pub async fn report_call(
        self: &Arc<Self>,
        authenticated: &Authenticated,
        id: Id,
        report: CallReport,
        meta: DecisionMeta,
    ) -> Result<OpenCallView, ActionError> {
        report.check()?;
        let (mut tx, caller) = self.begin_as(authenticated).await?;
        let work = self.report_in(&mut tx, &caller, id, &report, &meta);
        let ended = within(self.write_timeout(10), work).await?;
        tx.end(ended).await?;
        self.open_call(authenticated, id).await
    }

    async fn report_in(
        &self,
        tx: &mut WriteTx,
        caller: &Caller,
        id: Id,
        report: &CallReport,
        meta: &DecisionMeta,
    ) -> Result<(), EarlyExit> {
        let row = open_calls::get(tx, id).await?.filter(|row| is_own(caller, row));
        let Some(row) = row else { return Err(not_found(id).into()) };
        run_by_caller(&row)?;
        let context = self.decision_context(meta);
        let catalog = self.catalog_in(tx).await?;
        let arguments = row.arguments.as_deref().and_then(|text| serde_json::from_str(text).ok());
        let read = ReadReport::of(report, &catalog, &row.action, &arguments.unwrap_or_default());
        if row.report_digest.as_deref() == Some(&read.digest) {
            return Ok(());
        }
        if let Some(error) = unreportable(&row, report.status, context.now) {
            return Err(error.into());
        }
        let outcome = report.status.outcome();
        let reason = (row.state == OpenCallState::Unknown).then_some("late");
        let outcome = CallOutcome::reported(outcome, reason, &read, caller);
        self.end_call(tx, &context, &catalog, &row, outcome).await
    }

    /// Returns what a read would have been answered with if it had run here. Nothing is recorded: the audit row was
    /// written when the read was handed out.
    pub async fn handed_out_outcome(
        &self,
        authenticated: &Authenticated,
        action: &str,
        tool_call_id: &str,
        report: &CallReport,
    ) -> Result<Outcome, ActionError> {
        report.check()?;
        let admitted = self.admit_with_catalog(authenticated, authenticated.surface()).await?;
        let catalog = &*admitted.catalog;
        let meta = catalog.registry().get(action).filter(|_| times_of(catalog, action).is_some());
        let Some(meta) = meta else { return Err(ActionError::not_found("tool", action)) };
        if meta.spec.level != Level::Read {
            let message = format!("`{action}` is no read");
            let error = ActionError::invalid("/action", "level", message);
            return Err(error.hint("claim the call, and report its outcome with its `call_id`"));
        }
        let read = ReadReport::of(report, catalog, action, &json!({}));
        let result = read.result(report.status.outcome());
        Ok(view::outcome(ExecutorKind::Client, action, None, Some(tool_call_id), &result))
    }
}

/// Returns why a call takes no report.
fn unreportable(row: &OpenCallRow, status: ReportedStatus, now: Ts) -> Option<ActionError> {
    let conflict = |detail: String| Some(ActionError::new(ErrorCode::Conflict, detail));
    match row.state {
        OpenCallState::Running => None,
        OpenCallState::Ready => {
            conflict("the call was not claimed".to_owned()).map(|error| error.hint("claim it, then run it"))
        }
        OpenCallState::Unknown => {
            let last = row.ended_at.map_or(now, Ts::from_micros).plus_seconds(LATE_SECONDS);
            if now >= last {
                Some(ActionError::new(ErrorCode::Expired, "the time for a report is over"))
            } else if status == ReportedStatus::NotRun {
                conflict(
                    "a call that was claimed and not reported in time can only have succeeded or failed"
                        .to_owned(),
                )
            } else {
                None
            }
        }
        state => conflict(format!("the call has ended with another report: `{state}`")),
    }
}
