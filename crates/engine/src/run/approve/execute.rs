//! Runs an approved call. The call passes all gates again, as the requester with their current role, in the
//! transaction that also decides the record.

use std::sync::OnceLock;

use serde_json::Value;
use toolcrib_access::Rule;
use toolcrib_model::{AuditDecision, ConfirmationStatus, ErrorCode, Id, Role, Via};
use toolcrib_store::{
    StoreError, WriteTx,
    confirmations::{ConfirmationRow, Transition},
    members,
};

use super::approval::{ApprovalStep, Approved, DecisionOutcome, requester_context};
use crate::{
    audit,
    base::{ActionError, CallContext, CallFacts, Stage},
    caller::{ClaimsWithAccess, NO_MEMBER, check_key},
    confirm::{ConfirmationView, DecisionAudit, requester_of, transition::apply},
    declared::{client_calls, started_calls},
    engine::Engine,
    events::emit,
    gates::{self, early_exit::EarlyExit, limit::Cleared, run::Executed},
    grants::{GRANT_SECONDS, Grant, GrantKey},
    response::{CallResponse, StoredOutcome},
    upstream_requests::NoSession,
};

impl Engine {
    /// Runs the call of the approval's record, which includes the changes of its edit.
    pub(super) async fn execute(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let context = requester_context(approval, Stage::Run)?;
        match self.run_requester_gates(tx, approval, &context, None).await {
            Ok(cleared) => self.run_approved(tx, approval, &context, cleared).await,
            // A temporary error (5xx or an empty rate limit) leaves the record unchanged.
            Err(EarlyExit::Failed(error)) if error.code.status() >= 500 => Err(EarlyExit::Failed(error)),
            Err(EarlyExit::Refused(refusal)) if refusal.error.code == ErrorCode::RateLimited => {
                Err(EarlyExit::Failed(refusal.error))
            }
            Err(EarlyExit::Refused(refusal)) => self.void(tx, approval, &refusal.error).await,
            Err(EarlyExit::Failed(error)) => self.void(tx, approval, &error).await,
            Err(other) => Err(other),
        }
    }

    /// Runs gates 2 to 9 for the stored call. Checks first that its credential is still valid. A refusal says what the
    /// requester may not do, because others read it.
    pub(super) async fn run_requester_gates(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        context: &CallContext,
        arguments: Option<&Value>,
    ) -> Result<Cleared, EarlyExit> {
        let row = approval.row;
        let claims = requester_of(row)?;
        check_key(tx, &claims, context.now).await?;
        let text = arguments.map_or_else(|| row.call.arguments.clone(), Value::to_string);
        let parsed = gates::parse::of_confirmation(&row.action, &text)?;
        let claimed = ClaimsWithAccess { claims: &claims, access: approval.requester, is_read: false };
        let (dependencies, kind) = (self.gate_dependencies(), approval.kind());
        gates::run_gates(dependencies, context, kind, tx, parsed, claimed, &OnceLock::new())
            .await
            .map_err(of_requester)
    }

    async fn run_approved(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        context: &CallContext,
        cleared: Cleared,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let facts = cleared.call().facts().clone();
        if let Some(times) = client_calls::client_times(cleared.call()) {
            let answer = client_calls::start(self.ids.as_ref(), context, tx, &cleared, times).await?;
            let grant = self.write_running(tx, approval, context, &facts).await?;
            return Ok(DecisionOutcome::Approved(Approved::Executed(Box::new(answer), None), grant));
        }
        if let Some(already) = cleared.already().cloned() {
            let ran = Executed::new(cleared, Ok(already));
            return self.finish_approved(tx, approval, context, ran).await;
        }
        if cleared.upstream_runner().is_some() {
            return self.start_approved(tx, approval, context, cleared).await;
        }
        let ran = gates::run::write(self.gate_dependencies(), context, tx, cleared).await;
        if let Err(error) = ran.outcome()
            && error.code.status() >= 500
        {
            return Err(EarlyExit::Failed(error.clone()));
        }
        self.finish_approved(tx, approval, context, ran).await
    }

    /// Starts a call that runs elsewhere. Its request is sent after the commit.
    async fn start_approved(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        context: &CallContext,
        mut cleared: Cleared,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let facts = cleared.call().facts().clone();
        match cleared.take_session(self.gate_dependencies().runner_cx(context)) {
            Ok(()) => {}
            Err(NoSession::Drifted(error)) => return self.void(tx, approval, &error).await,
            Err(NoSession::Changed) => return Err(EarlyExit::Failed(session_changed())),
            Err(NoSession::Failed(error)) => return Err(EarlyExit::Failed(error)),
        }
        let started = match started_calls::start(self.ids.as_ref(), context.clone(), tx, cleared).await {
            // The call can't be carried out now, and the record stays open.
            Err(EarlyExit::Refused(refusal)) => {
                let hint = "the confirmation stays open: decide it when that call has ended";
                let approval = &ApprovalStep { row: approval.original, ..*approval };
                return Ok(self.refuse_step(tx, approval, "in_progress", refusal.error.hint(hint)));
            }
            started => started?,
        };
        let grant = self.write_running(tx, approval, context, &facts).await?;
        Ok(DecisionOutcome::Started(Box::new(started), grant))
    }

    /// Ends the record of a call that has its outcome.
    async fn finish_approved(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        context: &CallContext,
        ran: Executed,
    ) -> Result<DecisionOutcome, EarlyExit> {
        self.write_run(tx, approval, context, &ran);
        let facts = ran.call().facts().clone();
        let succeeded = ran.outcome().is_ok();
        let to = if succeeded { ConfirmationStatus::Executed } else { ConfirmationStatus::Failed };
        let answer = gates::run::response_of(context, ran);
        let (row, grant) = self.write_approved(tx, approval, context, &facts, to, Some(&answer)).await?;
        let view = self.show_to_model(tx, approval, row).await?;
        Ok(DecisionOutcome::Approved(Approved::Executed(Box::new(answer), view.map(Box::new)), grant))
    }

    /// Returns the API form of a record that ended; `None` if no model made the call, so that none is told.
    async fn show_to_model(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        row: ConfirmationRow,
    ) -> Result<Option<ConfirmationView>, ActionError> {
        if row.tool_call_id.is_none() {
            return Ok(None);
        }
        let ApprovalStep { decider, catalog, context, .. } = approval;
        self.show_confirmation(tx, decider, catalog, context.now, row).await.map(Some)
    }

    /// Writes the approval of a call that is started here and runs elsewhere. Returns the session grant.
    async fn write_running(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        context: &CallContext,
        facts: &CallFacts,
    ) -> Result<Option<Box<Grant>>, EarlyExit> {
        let (registry, stamp) = (approval.catalog.registry(), self.stamp(context.now));
        emit::granted(registry, stamp, tx, approval.row, facts, context.call_id);
        let to = ConfirmationStatus::Running;
        Ok(self.write_approved(tx, approval, context, facts, to, None).await?.1)
    }

    /// Moves the record to its next status, and writes the approval's audit row. Returns the record and the session
    /// grant.
    async fn write_approved(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        context: &CallContext,
        facts: &CallFacts,
        to: ConfirmationStatus,
        answer: Option<&CallResponse>,
    ) -> Result<(ConfirmationRow, Option<Box<Grant>>), EarlyExit> {
        let row = store_answer(tx, approval, context, to, answer).await?;
        self.write_approval(tx, approval);
        let grant = if approval.remember { self.new_grant(tx, approval, facts).await? } else { None };
        Ok((row, grant.map(Box::new)))
    }

    /// Makes the grant of an approval, and writes its audit row in the approval's transaction. The caller
    /// stores the grant after the commit.
    async fn new_grant(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        facts: &CallFacts,
    ) -> Result<Option<Grant>, StoreError> {
        let definition = &approval.row.call.schema_digest;
        let Some(key) = GrantKey::of(&facts.caller, &facts.action, definition) else { return Ok(None) };
        let membership = match key.principal.user() {
            Some(user) => members::get(tx, user).await?.map(|member| member.updated_at),
            None => None,
        };
        let now = approval.context.now;
        let grant = Grant {
            id: self.ids.new_id(now),
            key,
            role: facts.caller.role,
            membership,
            granted_by: approval.approver.principal.user().unwrap_or_else(Id::nil),
            granted_at: now,
            expires_at: now.plus_seconds(GRANT_SECONDS),
        };
        let row = self.grant_row(
            approval.context,
            approval.catalog,
            approval.approver,
            &grant,
            "given",
            Some(approval.row.id),
        );
        tx.audit(row);
        Ok(Some(grant))
    }

    /// Writes the audit row and the events of the call that ran.
    fn write_run(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        context: &CallContext,
        ran: &Executed,
    ) {
        let facts = ran.call().facts();
        let mut entry = audit::row(context, facts, ran.audit_outcome(context));
        if let Some(executor) = ran.executor() {
            entry = started_calls::of_executor(entry, ran.call(), executor);
        }
        entry.via = Via::Confirmation;
        tx.audit(entry);
        let (registry, stamp) = (approval.catalog.registry(), self.stamp(context.now));
        emit::approved(registry, stamp, tx, approval.row, facts, context.call_id, ran.outcome().is_ok());
    }

    /// Writes the audit row of the approval.
    fn write_approval(&self, tx: &mut WriteTx, approval: &ApprovalStep<'_>) {
        let ApprovalStep { original, edit, remember, .. } = *approval;
        let verb = if edit.is_some() { "modify" } else { "approve" };
        let audit = DecisionAudit {
            modified: edit.map(|edit| edit.arguments().clone()),
            always_allow: remember,
            ..DecisionAudit::new(AuditDecision::Approved, verb, None)
        };
        approval.audit(self.ids.as_ref(), tx, original, audit);
    }

    /// Marks the record as void, because the action, the requester's access, the key or the target has changed.
    pub(super) async fn void(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        cause: &ActionError,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let ApprovalStep { context, approver, row, catalog, .. } = approval;
        let step = approval.step(ConfirmationStatus::Void, None);
        let step = Transition { reason: Some(&cause.detail), ..step };
        let audit = DecisionAudit::new(AuditDecision::Denied, "void", Some(ErrorCode::Void));
        self.records(catalog).end_without_run(tx, context, approver, row, &step, audit).await?;
        let error = ActionError::new(
            ErrorCode::Void,
            format!("the confirmation no longer applies: {}", cause.detail),
        );
        // The same call would be refused.
        let is_hopeless = is_about_access(cause);
        Ok(DecisionOutcome::Refused(if is_hopeless { error } else { error.hint("make the call again") }))
    }
}

fn is_about_access(error: &ActionError) -> bool {
    matches!(error.code, ErrorCode::PermissionDenied | ErrorCode::InsufficientScope)
}

/// Returns a refusal by gates 3 and 5, which speak to the caller, as those read it who decide about the call.
fn of_requester(mut exit: EarlyExit) -> EarlyExit {
    match &mut exit {
        EarlyExit::Refused(refusal) => match refusal.reason.parse::<Rule>() {
            Ok(Rule::Role) => {
                let role = refusal.facts.caller.role.map_or("none", Role::as_str);
                tell_others(&mut refusal.error, Some(&format!("their role is `{role}`")));
            }
            Ok(_) => tell_others(&mut refusal.error, None),
            Err(_) => {}
        },
        EarlyExit::Failed(error) if error.detail == NO_MEMBER => {
            tell_others(error, Some("they are not an active member of this workspace"));
        }
        EarlyExit::Failed(error) if is_about_access(error) => tell_others(error, None),
        _ => {}
    }
    exit
}

/// Says that the requester is refused. `why` replaces a detail that speaks to them, as every hint does.
fn tell_others(error: &mut ActionError, why: Option<&str>) {
    let why = why.unwrap_or(&error.detail);
    error.detail = format!("the requester may not make this call now, because {why}");
    error.hint = None;
}

/// Moves the record to its next status, with the response of the call if it ran here.
async fn store_answer(
    tx: &mut WriteTx,
    approval: &ApprovalStep<'_>,
    context: &CallContext,
    to: ConfirmationStatus,
    answer: Option<&CallResponse>,
) -> Result<ConfirmationRow, EarlyExit> {
    let edit = approval.edit;
    let step = Transition {
        call_id: Some(context.call_id),
        result: answer.map(|answer| StoredOutcome::text(&answer.outcome)),
        edited: edit.map(|edit| &edit.edited),
        ..approval.step(to, edit.map(|edit| &edit.before))
    };
    apply(tx, approval.row, &step).await
}

/// Makes the error for a call whose secret changed since its session was opened.
fn session_changed() -> ActionError {
    ActionError::conflict("the session with the MCP server changed meanwhile; nothing was sent")
        .hint("send the decision again")
}
