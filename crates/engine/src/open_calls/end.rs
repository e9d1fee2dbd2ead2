//! Ends an open call: its state, its outcome row, its confirmation and its event are one commit.

use serde_json::{Value, json};
use toolcrib_access::Caller;
use toolcrib_model::{
    AuditDecision, AuditKind, ConfirmationStatus, ErrorCode, ExecutorKind, OpenCallState, Outcome, Via,
};
use toolcrib_store::{
    AuditRow, WriteTx, confirmations,
    open_calls::{self, CallEnd, OpenCallRow},
};

use super::report::ReadReport;
use crate::{
    audit::{self, AuditOutcome, AuditSubject},
    base::{ActionError, CallContext},
    caller::CallerClaims,
    catalog::Catalog,
    confirmations::transition::{apply, history, undecided},
    events::emit,
    gates::early_exit::EarlyExit,
    pipeline::Engine,
};

/// How a call ended.
pub(super) struct CallOutcome<'r> {
    pub outcome: Outcome,
    /// Why it ended without a report, or `late` for a late one.
    pub reason: Option<&'static str>,
    /// The report with its reporter.
    pub report: Option<(&'r ReadReport, &'r Caller)>,
}

impl CallOutcome<'_> {
    /// Makes the outcome of a call that ended without a report.
    pub fn without_report(outcome: Outcome, reason: &'static str) -> Self {
        Self { outcome, reason: Some(reason), report: None }
    }

    fn state(&self) -> OpenCallState {
        match self.outcome {
            Outcome::Succeeded => OpenCallState::Succeeded,
            Outcome::Failed => OpenCallState::Failed,
            Outcome::Unknown => OpenCallState::Unknown,
            Outcome::NotRun | Outcome::Started | Outcome::HandedOut => OpenCallState::NotRun,
        }
    }

    /// Returns the end as clients see it.
    fn result(&self) -> Value {
        let mut result = json!({ "status": self.outcome });
        if let Some(reason) = self.reason {
            result["reason"] = reason.into();
        }
        if let Some((report, _)) = self.report {
            report.add_to(&mut result);
        }
        result
    }
}

impl Engine {
    /// Ends the call. Returns 409 if another end was faster.
    pub(super) async fn end_call(
        &self,
        tx: &mut WriteTx,
        context: &CallContext,
        (catalog, row): (&Catalog, &OpenCallRow),
        outcome: CallOutcome<'_>,
    ) -> Result<(), EarlyExit> {
        let result = outcome.result().to_string();
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
        let (Some(_), Some((report, _)), Outcome::Succeeded) = (meta, outcome.report, outcome.outcome) else {
            return Ok(());
        };
        let subject = subject(catalog, row, None)?;
        Ok(emit::admins(self.stamp(context.now), context, tx, &subject, &report.description).await?)
    }
}

/// Makes the outcome row. Its caller is the reporter, or the caller who made the call.
fn outcome_row(
    context: &CallContext,
    catalog: &Catalog,
    row: &OpenCallRow,
    outcome: &CallOutcome<'_>,
) -> Result<AuditRow, ActionError> {
    let subject = subject(catalog, row, outcome.report.map(|(_, reporter)| reporter))?;
    let asked = row.confirmation_id.is_some();
    let audit_outcome = AuditOutcome {
        decision: if asked { AuditDecision::Approved } else { AuditDecision::AutoAllowed },
        granted_by: None,
        reason: outcome.reason,
        error: None,
        outcome: outcome.outcome,
        confirmation_id: row.confirmation_id,
    };
    let error = outcome.report.and_then(|(report, _)| report.error.as_deref());
    Ok(AuditRow {
        kind: AuditKind::Outcome,
        executor: Some(ExecutorKind::Client),
        definition: Some(row.definition.clone()),
        call_ref: Some(row.call_id),
        reported_by: outcome.report.map(|(_, reporter)| reporter.principal.id()),
        arguments: error.map_or_else(|| "{}".to_owned(), |error| json!({ "error": error }).to_string()),
        duration_ms: 0,
        ..audit::row(context, &subject, audit_outcome)
    })
}

/// Returns the subject of a row about the call. The start row has its arguments.
fn subject(
    catalog: &Catalog,
    row: &OpenCallRow,
    reporter: Option<&Caller>,
) -> Result<AuditSubject, ActionError> {
    let caller = if let Some(reporter) = reporter {
        reporter.clone()
    } else {
        let claims: CallerClaims = serde_json::from_str(&row.requester)
            .map_err(|fault| ActionError::internal(format!("stored caller: {fault}")))?;
        claims.into_caller_without_role()
    };
    Ok(AuditSubject {
        caller,
        action: row.action.clone(),
        meta: catalog.registry().get(&row.action).cloned(),
        via: Via::Direct,
        arguments: json!({}),
        target: None,
        creates: false,
        repaired: Vec::new(),
    })
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
        Outcome::Succeeded => ConfirmationStatus::Executed,
        Outcome::Unknown => ConfirmationStatus::Unknown,
        _ => ConfirmationStatus::Failed,
    };
    let by = outcome.report.map(|(_, reporter)| reporter.principal.id());
    let steps = history(&confirmation, context, to, by, None);
    let (status, body) = super::view::answer(row, outcome.outcome, &outcome.result());
    let result = json!({ "status": status, "body": body }).to_string();
    let step = undecided(&confirmation, context, to, &steps);
    let step = confirmations::Transition {
        by: confirmation.decided_by,
        now: confirmation.decided_at.map_or(context.now, toolcrib_model::Ts::from_micros),
        call_id: Some(row.call_id),
        result: Some(result),
        ..step
    };
    apply(tx, id, &step).await
}
