//! Edits under the four-eyes rule. The editor may not approve the edited call, so it becomes a new
//! confirmation that another person decides. The old confirmation is superseded in the same commit.

use serde_json::Value;
use toolcrib_model::{AuditDecision, ConfirmationStatus, ErrorCode, Via};
use toolcrib_registry::ConfirmationLevel;
use toolcrib_store::{
    WriteTx, confirmations,
    confirmations::{ConfirmationRow, Transition},
};

use super::{
    approval::{ApprovalStep, Approved, DecisionOutcome, requester_context},
    edit::Edit,
};
use crate::{
    audit::{self, AuditOutcome},
    base::{CallContext, CallFacts, Stage},
    caller::{CallerClaims, people},
    confirm::DecisionAudit,
    engine::Engine,
    events::emit,
    gates::{confirmation::ConfirmationRequest, early_exit::EarlyExit},
};

impl Engine {
    pub(super) async fn replace_confirmation(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        edit: Edit,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let policy = &approval.decider.policy;
        let Edit { mut request, mut claims, before, .. } = edit;
        claims.people = people::behind(tx, &claims, approval.context.now).await?;
        let spec = request.call().spec();
        if let Err(error) = people::someone_may_approve(tx, spec, policy, &claims.people).await {
            return if error.code.status() >= 500 {
                Err(error.into())
            } else {
                Ok(self.refuse_step(tx, approval, "modify", error))
            };
        }
        request.level = request.level.max(ConfirmationLevel::of_waiting(&approval.row.level));
        let context = requester_context(approval, Stage::Edit)?;
        let new = self.insert_edited(tx, approval, &context, &claims, &request).await?;
        self.supersede_original(tx, approval, &request, &before, &new).await?;

        let mut facts = request.facts().clone();
        facts.caller.provenance = claims.provenance;
        let template = policy.approve_url_template.as_deref();
        self.announce_edited(tx, &context, &request, &facts, &new, template).await?;
        let answer = self.records(approval.catalog).waiting(&context, &facts, &new, Vec::new(), policy);
        Ok(DecisionOutcome::Approved(Approved::NewConfirmation(Box::new(answer)), None))
    }

    async fn insert_edited(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        context: &CallContext,
        claims: &CallerClaims,
        request: &ConfirmationRequest,
    ) -> Result<ConfirmationRow, EarlyExit> {
        let mut new = self.records(approval.catalog).row(context, claims, request);
        new.idempotency_key.clone_from(&approval.row.idempotency_key);
        (new.via, new.surface) = (approval.row.via, approval.row.surface);
        confirmations::insert(tx, &new).await?;
        Ok(new)
    }

    /// Ends the original confirmation, and audits the editor's decision. `before` are its arguments.
    async fn supersede_original(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        request: &ConfirmationRequest,
        before: &Value,
        new: &ConfirmationRow,
    ) -> Result<(), EarlyExit> {
        let ApprovalStep { context, approver, row: old, .. } = approval;
        let why = format!("the arguments were changed: the confirmation `{}` replaces this one", new.id);
        let step = approval.step(ConfirmationStatus::Superseded, Some(before));
        let step = Transition { reason: Some(&why), superseded_by: Some(new.id), ..step };
        let audit = DecisionAudit {
            modified: Some(request.facts().arguments.clone()),
            ..DecisionAudit::new(AuditDecision::Denied, "modify", Some(ErrorCode::Void))
        };
        let records = self.records(approval.catalog);
        records.end_without_run(tx, context, approver, old, &step, audit).await.map(drop)
    }

    /// Writes the audit row and the events of the edited call, which waits for another person's decision.
    async fn announce_edited(
        &self,
        tx: &mut WriteTx,
        context: &CallContext,
        request: &ConfirmationRequest,
        facts: &CallFacts,
        new: &ConfirmationRow,
        template: Option<&str>,
    ) -> Result<(), EarlyExit> {
        let audit_outcome = AuditOutcome {
            confirmation_id: Some(new.id),
            ..AuditOutcome::not_run(context, AuditDecision::ConfirmationRequired, "modified", None)
        };
        let mut entry = audit::row(context, facts, audit_outcome);
        entry.via = Via::Confirmation;
        tx.audit(entry);
        let url = self.records(request.call().catalog()).approve_url(new.id, template);
        let awaiting = request.for_events(&url);
        emit::awaiting_permission(self.stamp(context.now), context, tx, &awaiting, new).await?;
        Ok(())
    }
}
