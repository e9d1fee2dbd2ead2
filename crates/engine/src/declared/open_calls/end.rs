//! Ends an open call: its state, its outcome row, its confirmation and its event are one commit.

use serde_json::json;
use toolcrib_access::Caller;
use toolcrib_model::{
    self as model, AuditDecision, AuditKind, ConfirmationStatus, ErrorCode, ExecutorKind, OpenCallState,
};
use toolcrib_store::{
    AuditRow, WriteTx, confirmations, idempotency,
    open_calls::{self, CallEnd, OpenCallRow},
};

use super::{
    report::ReadReport,
    view::{self, CallResult},
};
use crate::{
    audit::{self, AuditOutcome},
    base::{ActionError, CallContext, CallFacts},
    caller::CallerClaims,
    catalog::Catalog,
    confirm::transition::{apply, undecided},
    engine::Engine,
    events::emit,
    gates::{early_exit::EarlyExit, idempotency::stored_key},
    response::{Outcome, StoredOutcome},
};

/// How a call was answered that an upstream ran.
pub(crate) struct CallAnswer {
    /// The outcome, without secrets.
    pub outcome: Outcome,
    /// The end as clients see it with the call.
    pub result: CallResult,
    pub error: Option<ErrorCode>,
    /// Whether a repeated call with the same idempotency key may run, because nothing was sent.
    pub releases_key: bool,
}

pub(crate) struct CallOutcome<'r> {
    outcome: model::Outcome,
    /// Why it ended without a report, or `late` for a late one.
    reason: Option<&'static str>,
    report: Option<(&'r ReadReport, &'r Caller)>,
    /// The answer of a call that an upstream ran.
    answer: Option<&'r CallAnswer>,
}

impl<'r> CallOutcome<'r> {
    /// Makes the outcome of a call that ended without a report.
    pub(crate) fn without_report(outcome: model::Outcome, reason: &'static str) -> Self {
        Self { outcome, reason: Some(reason), report: None, answer: None }
    }

    /// Makes the outcome that the application reported.
    pub(super) fn reported(
        outcome: model::Outcome,
        reason: Option<&'static str>,
        report: &'r ReadReport,
        caller: &'r Caller,
    ) -> Self {
        Self { outcome, reason, report: Some((report, caller)), answer: None }
    }

    /// Makes the outcome of a call that an upstream ran.
    pub fn answered(outcome: model::Outcome, reason: Option<&'static str>, answer: &'r CallAnswer) -> Self {
        Self { outcome, reason, report: None, answer: Some(answer) }
    }

    fn state(&self) -> OpenCallState {
        match self.outcome {
            model::Outcome::Succeeded => OpenCallState::Succeeded,
            model::Outcome::Failed => OpenCallState::Failed,
            model::Outcome::Unknown => OpenCallState::Unknown,
            model::Outcome::NotRun | model::Outcome::Started | model::Outcome::HandedOut => {
                OpenCallState::NotRun
            }
        }
    }

    /// Returns the sentence about a call that was answered or reported.
    fn description(&self) -> Option<&str> {
        match (self.report, self.answer) {
            (Some((report, _)), _) => Some(&report.description),
            (None, Some(answer)) => answer.result.description.as_deref(),
            (None, None) => None,
        }
    }

    fn response(&self, row: &OpenCallRow) -> Outcome {
        if let Some(answer) = self.answer {
            return answer.outcome.clone();
        }
        let tool_call_id = row.tool_call_id.as_deref();
        view::outcome(row.executor, &row.action, Some(row.call_id), tool_call_id, &self.result())
    }

    /// Returns the end as clients see it.
    fn result(&self) -> CallResult {
        let result = match (self.answer, self.report) {
            (Some(answer), _) => answer.result.clone(),
            (None, Some((report, _))) => report.result(self.outcome),
            (None, None) => CallResult::new(self.outcome),
        };
        CallResult { reason: self.reason.map(str::to_owned), ..result }
    }
}

impl Engine {
    /// Ends the call. Returns 409 if another end was faster.
    pub(crate) async fn end_call(
        &self,
        tx: &mut WriteTx,
        context: &CallContext,
        catalog: &Catalog,
        row: &OpenCallRow,
        outcome: CallOutcome<'_>,
    ) -> Result<(), EarlyExit> {
        let result = json!(outcome.result()).to_string();
        let end = CallEnd {
            from: row.state,
            to: outcome.state(),
            at: context.now,
            result: Some(&result),
            report_digest: outcome.report.map(|(report, _)| report.digest.as_str()),
        };
        if !open_calls::finish(tx, row.call_id, &end).await? {
            return Err(ActionError::new(ErrorCode::Conflict, "the call has just ended").into());
        }
        tx.audit(outcome_row(context, catalog, row, &outcome)?);
        if row.confirmation_id.is_some() && row.state != OpenCallState::Unknown {
            end_confirmation(tx, context, row, &outcome).await?;
        }
        end_key(tx, row, &outcome).await?;
        emit::call_ended(catalog.registry(), self.stamp(context.now), tx, row, outcome.outcome);
        self.notify(tx, context, catalog, row, &outcome).await
    }

    /// Notifies the workspace's admins of a success, for a tool whose document says so.
    async fn notify(
        &self,
        tx: &mut WriteTx,
        context: &CallContext,
        catalog: &Catalog,
        row: &OpenCallRow,
        outcome: &CallOutcome<'_>,
    ) -> Result<(), EarlyExit> {
        let meta = catalog.registry().get(&row.action).filter(|meta| meta.spec.notifies_admins);
        let (Some(_), Some(description), model::Outcome::Succeeded) =
            (meta, outcome.description(), outcome.outcome)
        else {
            return Ok(());
        };
        let facts = facts(catalog, row, None)?;
        Ok(emit::notify_of_call(self.stamp(context.now), context, tx, &facts, description).await?)
    }
}

/// Makes the outcome row. Its caller is the reporter, or the caller who made the call.
fn outcome_row(
    context: &CallContext,
    catalog: &Catalog,
    row: &OpenCallRow,
    outcome: &CallOutcome<'_>,
) -> Result<AuditRow, ActionError> {
    let facts = facts(catalog, row, outcome.report.map(|(_, reporter)| reporter))?;
    let asked = row.confirmation_id.is_some();
    let audit_outcome = AuditOutcome {
        decision: if asked { AuditDecision::Approved } else { AuditDecision::AutoAllowed },
        granted_by: None,
        reason: outcome.reason,
        error: outcome.answer.and_then(|answer| answer.error),
        outcome: outcome.outcome,
        confirmation_id: row.confirmation_id,
    };
    let error = outcome.report.and_then(|(report, _)| report.error.as_deref());
    let entry = audit::row(context, &facts, audit_outcome);
    Ok(AuditRow {
        kind: AuditKind::Outcome,
        executor: Some(row.executor),
        definition: Some(row.definition.clone()),
        call_ref: Some(row.call_id),
        reported_by: outcome.report.map(|(_, reporter)| reporter.principal.id()),
        arguments: error.map_or_else(|| "{}".to_owned(), |error| json!({ "error": error }).to_string()),
        duration_ms: if outcome.answer.is_some() { entry.duration_ms } else { 0 },
        ..entry
    })
}

/// Returns the facts of a row about the call. The start row has its arguments.
fn facts(catalog: &Catalog, row: &OpenCallRow, reporter: Option<&Caller>) -> Result<CallFacts, ActionError> {
    let caller = if let Some(reporter) = reporter {
        reporter.clone()
    } else {
        claims_of(row)?.into_caller_without_role()
    };
    Ok(CallFacts::new(caller, &row.action, catalog.registry().get(&row.action)))
}

/// Stores the answer of a call that an upstream ran under its idempotency key, so that a repeated call does not run.
async fn end_key(tx: &mut WriteTx, row: &OpenCallRow, outcome: &CallOutcome<'_>) -> Result<(), EarlyExit> {
    let Some(key) = row.idempotency_key.as_deref().filter(|_| row.executor != ExecutorKind::Client) else {
        return Ok(());
    };
    let slot = stored_key(claims_of(row)?.principal.key(), &row.action, key);
    if outcome.answer.is_some_and(|answer| answer.releases_key) {
        return Ok(idempotency::release(tx, slot).await?);
    }
    let response = outcome.response(row);
    Ok(idempotency::complete(tx, slot, response.status(), &response.to_json()).await?)
}

/// Returns the claims of the caller who made the call.
pub(super) fn claims_of(row: &OpenCallRow) -> Result<CallerClaims, ActionError> {
    serde_json::from_str(&row.requester)
        .map_err(|error| ActionError::internal(format!("stored caller: {error}")))
}

/// Ends the confirmation that let the call run.
async fn end_confirmation(
    tx: &mut WriteTx,
    context: &CallContext,
    row: &OpenCallRow,
    outcome: &CallOutcome<'_>,
) -> Result<(), EarlyExit> {
    let Some(id) = row.confirmation_id else { return Ok(()) };
    let Some(confirmation) = confirmations::lock(tx, id).await? else { return Ok(()) };
    let to = match outcome.outcome {
        model::Outcome::Succeeded => ConfirmationStatus::Executed,
        model::Outcome::Unknown => ConfirmationStatus::Unknown,
        _ => ConfirmationStatus::Failed,
    };
    let by = outcome.report.map(|(_, reporter)| reporter.principal.id());
    let result = StoredOutcome::text(&outcome.response(row));
    let step = confirmations::Transition {
        by: confirmation.decided_by,
        now: confirmation.decided_at.map_or(context.now, toolcrib_model::Ts::from_micros),
        call_id: Some(row.call_id),
        result: Some(result),
        ..undecided(&confirmation, context, to, by, None)
    };
    apply(tx, &confirmation, &step).await.map(drop)
}
