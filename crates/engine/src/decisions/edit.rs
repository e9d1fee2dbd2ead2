//! Other arguments than those that were asked for, given by whoever approves. They pass the same gates as the requester's
//! call, and are what is shown and run from then on.

use serde_json::Value;
use toolcrib_model::{AuditDecision, ErrorCode};
use toolcrib_registry::ConfirmationLevel;
use toolcrib_store::{
    WriteTx,
    confirmations::{ConfirmationRow, RequestedCall},
};

use super::approve::{ApprovalStep, DecisionOutcome};
use crate::{
    base::{ActionError, Stage},
    caller::CallerClaims,
    confirmations::{DecisionAudit, requested_call},
    gates::{confirmation::ConfirmationRequest, early_exit::EarlyExit},
    pipeline::Engine,
};

/// Arguments that differ from those of the record, after all gates up to the confirmation.
pub(super) struct Edit {
    /// The call as it would be asked now.
    pub question: ConfirmationRequest,
    /// Who asked and who changed it.
    pub claims: CallerClaims,
    /// The same as it is stored.
    pub edited: RequestedCall,
    /// The arguments of before.
    pub before: Value,
}

impl Engine {
    /// Reads the arguments that an approver gave. Nothing where they are those of the record; the inner error, written
    /// down, where they are refused: the record stays as it was.
    pub(super) async fn read_edit(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        arguments: &Value,
    ) -> Result<Result<Option<Edit>, DecisionOutcome>, EarlyExit> {
        let context = super::execute::requester_info(approval, Stage::Edit);
        match self.requester_clears(tx, approval, &context, Some(arguments)).await {
            // The edit's stage ends in a question, or before it.
            Ok(_) => Err(ActionError::internal("an edit passed its confirmation").into()),
            Err(EarlyExit::Confirm(question)) => {
                let row = approval.row;
                if question.arguments().1 == row.call.arguments_digest {
                    return Ok(Ok(None));
                }
                let edit = Edit::of(approval, *question)?;
                match edit.needs_more(row) {
                    None => Ok(Ok(Some(edit))),
                    Some(error) => Ok(Err(self.refuse_edit(tx, approval, error))),
                }
            }
            Err(EarlyExit::Unaudited(error)) if error.code.status() >= 500 => {
                Err(EarlyExit::Unaudited(error))
            }
            Err(EarlyExit::Refused(refusal)) => Ok(Err(self.refuse_edit(tx, approval, refusal.error))),
            Err(EarlyExit::Unaudited(error)) => Ok(Err(self.refuse_edit(tx, approval, error))),
            Err(other) => Err(other),
        }
    }

    /// Writes down that arguments were refused.
    pub(super) fn refuse_edit(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        error: ActionError,
    ) -> DecisionOutcome {
        let ApprovalStep { context, approver, row, .. } = approval;
        let note = DecisionAudit::new(AuditDecision::Invalid, "modify", Some(error.code));
        self.records().write_decision(tx, context, approver, row, note);
        DecisionOutcome::Refused(error)
    }
}

impl Edit {
    fn of(approval: &ApprovalStep<'_>, question: ConfirmationRequest) -> Result<Self, ActionError> {
        let row = approval.row;
        let mut claims = crate::confirmations::requester_of(row)?;
        if let Some(editor) = approval.approver.principal.user() {
            let editors = claims.provenance.editors.iter().copied().chain([editor]);
            claims.provenance.editors = editors.collect();
        }
        let edited = requested_call(&question, &claims);
        let before = serde_json::from_str(&row.call.arguments).unwrap_or_default();
        Ok(Self { question, claims, edited, before })
    }

    /// 422 where the new arguments need more agreement than the record asks for.
    fn needs_more(&self, row: &ConfirmationRow) -> Option<ActionError> {
        let (needed, asked) = (self.question.level, ConfirmationLevel::of_waiting(&row.level));
        if needed <= asked {
            return None;
        }
        let message =
            format!("need a `{}` confirmation, but this one is `{}`", needed.as_str(), asked.as_str());
        Some(
            ActionError::invalid("/arguments", "level", message)
                .hint("deny this confirmation and make the call with these arguments"),
        )
    }

    /// The arguments as they will run.
    pub fn arguments(&self) -> &Value {
        &self.question.subject().arguments
    }

    /// The record as it is from now on.
    pub fn applied(&self, row: &ConfirmationRow) -> ConfirmationRow {
        ConfirmationRow { call: self.edited.clone(), ..row.clone() }
    }
}

/// What a second step may not do.
pub(super) fn too_late() -> ActionError {
    let message = "can't change after the phrase was requested; this step may only repeat them";
    let mut error = ActionError::invalid("/arguments", "changed", message);
    error.code = ErrorCode::InvalidArguments;
    error.hint("omit `arguments` to run what was shown, or deny this confirmation and make the call again")
}
