//! Edits under the four-eyes rule. The editor may not approve the edited call, so it becomes a new
//! confirmation that another person decides. The old confirmation is superseded in the same commit.

use toolcrib_access::WorkspacePolicy;
use toolcrib_model::{AuditDecision, ConfirmationStatus, ErrorCode, Via};
use toolcrib_store::{WriteTx, confirmations, confirmations::Transition};

use super::{
    approve::{ApprovalStep, Approved, DecisionOutcome},
    edit::Edit,
};
use crate::{
    audit::{self, AuditOutcome},
    caller::people,
    confirmations::{
        DecisionAudit,
        transition::{apply, history},
    },
    events::emit,
    gates::early_exit::EarlyExit,
    pipeline::Engine,
};

impl Engine {
    pub(super) async fn replace_confirmation(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        policy: &WorkspacePolicy,
        edit: Edit,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let ApprovalStep { context, approver, row: old, .. } = approval;
        let Edit { mut request, mut claims, before, .. } = edit;
        claims.people = people::behind(tx, &claims, context.now).await?;
        let spec = request.action().spec();
        if let Err(error) = people::someone_may_approve(tx, spec, policy, &claims.people).await {
            return if error.code.status() >= 500 {
                Err(error.into())
            } else {
                Ok(self.refuse_edit(tx, approval, error))
            };
        }
        request.level = request.level.max(toolcrib_registry::ConfirmationLevel::of_waiting(&old.level));
        let context_of_edit = super::execute::requester_context(approval, crate::base::Stage::Edit);
        let mut row = self.records().row(&context_of_edit, &claims, &request);
        row.idempotency_key.clone_from(&old.idempotency_key);
        row.via.clone_from(&old.via);
        confirmations::insert(tx, &row).await?;

        let why = format!("the arguments were changed: the confirmation `{}` replaces this one", row.id);
        let steps = history(
            old,
            context,
            ConfirmationStatus::Superseded,
            Some(approver.principal.id()),
            Some(&before),
        );
        apply(
            tx,
            old.id,
            &Transition { reason: Some(&why), ..approval.step(ConfirmationStatus::Superseded, &steps) },
        )
        .await?;
        let decision_audit = DecisionAudit {
            modified: Some(request.subject().arguments.clone()),
            ..DecisionAudit::new(AuditDecision::Denied, "modify", Some(ErrorCode::Void))
        };
        self.records().write_decision(tx, context, approver, old, decision_audit);
        emit::denied(self.catalog.registry(), self.stamp(context.now), tx, old, Some(&why)).await?;

        let mut subject = request.subject().clone();
        subject.caller.provenance = claims.provenance.clone();
        let audit_outcome = AuditOutcome {
            confirmation_id: Some(row.id),
            ..AuditOutcome::not_run(&context_of_edit, AuditDecision::ConfirmationRequired, "modified", None)
        };
        let mut entry = audit::row(&context_of_edit, &subject, audit_outcome);
        entry.via = Via::Confirmation;
        tx.audit(entry);
        let template = policy.approve_url_template.as_deref();
        let url = self.records().approve_url(row.id, template);
        let awaiting = request.for_events(&url);
        emit::awaiting_permission(self.stamp(context.now), &context_of_edit, tx, &awaiting, &row).await?;
        let answer = self.records().waiting(&context_of_edit, &subject, &row, template);
        Ok(DecisionOutcome::Approved(Approved::NewConfirmation(Box::new(answer)), None))
    }
}
