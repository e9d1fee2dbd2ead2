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
        transition::{history, take},
    },
    events::emit,
    gates::early_exit::EarlyExit,
    pipeline::Engine,
};

impl Engine {
    pub(super) async fn ask_anew(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        policy: &WorkspacePolicy,
        edit: Edit,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let ApprovalStep { context, approver, row: old, .. } = approval;
        let Edit { mut question, mut claims, before, .. } = edit;
        claims.people = people::behind(tx, &claims, context.now).await?;
        let spec = question.action().spec();
        if let Err(error) = people::someone_may_approve(tx, spec, policy, &claims.people).await {
            return if error.code.status() >= 500 {
                Err(error.into())
            } else {
                Ok(self.refuse_edit(tx, approval, error))
            };
        }
        question.level = question.level.max(toolcrib_registry::ConfirmationLevel::of_waiting(&old.level));
        let asking = super::execute::requester_info(approval, crate::base::Stage::Edit);
        let mut row = self.records().row(&asking, &claims, &question);
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
        take(
            tx,
            old.id,
            &Transition { reason: Some(&why), ..approval.step(ConfirmationStatus::Superseded, &steps) },
        )
        .await?;
        let note = DecisionAudit {
            modified: Some(question.subject().arguments.clone()),
            ..DecisionAudit::new(AuditDecision::Denied, "modify", Some(ErrorCode::Void))
        };
        self.records().write_decision(tx, context, approver, old, note);
        emit::denied(self.catalog.registry(), self.stamp(context.now), tx, old, Some(&why)).await?;

        let mut subject = question.subject().clone();
        subject.caller.provenance = claims.provenance.clone();
        let audit_outcome = AuditOutcome {
            confirmation_id: Some(row.id),
            ..AuditOutcome::not_run(&asking, AuditDecision::ConfirmationRequired, "modified", None)
        };
        let mut entry = audit::row(&asking, &subject, audit_outcome);
        entry.via = Via::Confirmation;
        tx.audit(entry);
        let template = policy.approve_url_template.as_deref();
        let url = self.records().approve_url(row.id, template);
        emit::asked(self.stamp(context.now), &asking, tx, &question.for_events(&url), &row).await?;
        let answer = self.records().waiting(&asking, &subject, &row, template);
        Ok(DecisionOutcome::Approved(Approved::AskedAnew(Box::new(answer)), None))
    }
}
