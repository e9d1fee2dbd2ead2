//! With four eyes, whoever changes the arguments may not approve them: the changed call is asked anew, and somebody else
//! decides it. The question of before is superseded in the same commit.

use toolcrib_access::WorkspacePolicy;
use toolcrib_model::ErrorCode;
use toolcrib_store::{WriteTx, confirmations, confirmations::Step};

use super::{
    approve::{Approval, Approved, Settled},
    decide::{Note, history, take},
    edit::Edit,
    people,
};
use crate::{
    Engine, Via,
    gates::audit::{self, Verdict},
    notify,
    stop::Stop,
};

impl Engine {
    pub(super) async fn ask_anew(
        &self,
        tx: &mut WriteTx,
        approval: &Approval<'_>,
        policy: &WorkspacePolicy,
        edit: Edit,
    ) -> Result<Settled, Stop> {
        let Approval { info, approver, row: old, .. } = approval;
        let Edit { mut question, mut claimant, before, .. } = edit;
        claimant.people = people::behind(tx, &claimant, info.now).await?;
        let spec = question.found().spec();
        if let Err(error) = people::someone_may_approve(tx, spec, policy, &claimant.people).await {
            return if error.code.status() >= 500 {
                Err(error.into())
            } else {
                Ok(self.refuse_edit(tx, approval, error))
            };
        }
        question.level = question.level.max(toolcrib_registry::ConfirmationLevel::of_waiting(&old.level));
        let asking = super::execute::requester_info(approval, crate::call::Stage::Edit);
        let mut row = self.row(&asking, &claimant, &question);
        row.idempotency_key.clone_from(&old.idempotency_key);
        row.via.clone_from(&old.via);
        confirmations::insert(tx, &row).await?;

        let why = format!("its arguments were changed: it is the confirmation `{}` now", row.id);
        let steps = history(old, info, "superseded", Some(approver.principal.id()), Some(&before));
        take(tx, old.id, &Step { reason: Some(&why), ..approval.step("superseded", &steps) }).await?;
        let note = Note {
            decision: "denied",
            reason: "modify",
            error: Some(ErrorCode::Void),
            modified: Some(question.subject().arguments.clone()),
            ..Note::default()
        };
        self.write_decision(tx, info, approver, old, note);
        notify::denied(&self.catalog, self.moment(info.now), tx, old, Some(&why)).await?;

        let mut subject = question.subject().clone();
        subject.caller.provenance = claimant.provenance.clone();
        let verdict = Verdict {
            confirmation_id: Some(row.id),
            ..Verdict::not_run(&asking, "confirmation_required", "modified", None)
        };
        let mut entry = audit::row(&asking, &subject, verdict);
        entry.via = Via::Confirmation.as_str();
        tx.audit(entry);
        let template = policy.approve_url_template.as_deref();
        let url = self.approve_url(row.id, template);
        notify::asked(self.moment(info.now), &asking, tx, &question, &row, &url).await?;
        let answer = self.waiting(&asking, &subject, &row, template);
        Ok(Settled::Approved(Approved::AskedAnew(Box::new(answer)), None))
    }
}
