//! The two steps of a typed confirmation. The phrase must match exactly.

use toolcrib_model::{AuditDecision, ConfirmationStatus, ErrorCode};
use toolcrib_store::{
    WriteTx,
    confirmations::{ConfirmationRow, Transition},
};

use super::approval::{ApprovalStep, Approved, DecisionOutcome, PhraseRequired};
use crate::{
    base::ActionError,
    confirm::{DecisionAudit, phrase, requester_of, transition::apply, view::masked},
    engine::Engine,
    events::emit,
    gates::early_exit::EarlyExit,
};

/// Number of wrong phrases after which a confirmation is void.
const ATTEMPTS: i64 = 5;

impl Engine {
    /// Runs the first step: returns the phrase, even if the request already contained one. Audits the step
    /// and stores edited arguments.
    pub(super) async fn require_phrase(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let ApprovalStep { row, original, edit, .. } = approval;
        let before = edit.map(|edit| &edit.before);
        let step = Transition {
            edited: edit.map(|edit| &edit.edited),
            ..approval.step(ConfirmationStatus::AwaitingPhrase, before)
        };
        apply(tx, row, &step).await?;
        let audit = DecisionAudit {
            modified: edit.map(|edit| edit.arguments().clone()),
            ..DecisionAudit::new(AuditDecision::ConfirmationRequired, "phrase_required", None)
        };
        approval.audit(self.ids.as_ref(), tx, original, audit);
        Self::phrase_required(approval, row)
    }

    /// Returns what the second step needs, with the arguments if they were edited.
    fn phrase_required(
        approval: &ApprovalStep<'_>,
        row: &ConfirmationRow,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let changed = !requester_of(row)?.provenance.editors.is_empty();
        let meta = approval.catalog.registry().get(&row.action).map(AsRef::as_ref);
        let arguments = || masked(meta, serde_json::from_str(&row.call.arguments).unwrap_or_default());
        let required = PhraseRequired {
            status: "phrase_required".to_owned(),
            phrase: phrase::of(row).to_owned(),
            arguments: changed.then(arguments),
            summary: changed.then(|| serde_json::from_str(&row.call.summary).unwrap_or_default()),
        };
        Ok(DecisionOutcome::Approved(Approved::PhraseRequired(Box::new(required)), None))
    }

    /// Counts a phrase that differs from what must be typed. A request without a phrase gets the phrase again.
    pub(super) async fn wrong_phrase(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        typed: bool,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let ApprovalStep { context, row, .. } = approval;
        if !typed {
            return Self::phrase_required(approval, row);
        }
        let attempts = row.phrase_attempts + 1;
        let to =
            if attempts >= ATTEMPTS { ConfirmationStatus::Void } else { ConfirmationStatus::AwaitingPhrase };
        let why = (to == ConfirmationStatus::Void).then_some("the phrase was wrong too many times");
        let step = approval.step(to, None);
        apply(tx, row, &Transition { phrase_attempts: attempts, reason: why, ..step }).await?;
        let code = ErrorCode::PhraseMismatch;
        let (decision, reason) = match to {
            ConfirmationStatus::Void => (AuditDecision::Denied, "void"),
            _ => (AuditDecision::Invalid, "phrase"),
        };
        approval.audit(self.ids.as_ref(), tx, row, DecisionAudit::new(decision, reason, Some(code)));
        if why.is_some() {
            emit::denied(approval.catalog.registry(), self.stamp(context.now), tx, row, why).await?;
        }
        let error = ActionError::new(code, "the phrase must be exactly the one that the first step returned");
        let left = ATTEMPTS - attempts;
        Ok(DecisionOutcome::Refused(if left > 0 {
            error.hint(format!("type `{}`; attempts left: {left}", phrase::of(row)))
        } else {
            error.hint("the confirmation is now void; make the call again")
        }))
    }
}
