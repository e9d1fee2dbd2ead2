//! Edits of a call's arguments by the approver. The edited arguments pass the same gates as the requester's
//! call, and replace the original ones in the record.

use serde_json::Value;
use toolcrib_registry::ConfirmationLevel;
use toolcrib_store::{
    WriteTx,
    confirmations::{ConfirmationRow, RequestedCall},
};

use super::approval::{ApprovalStep, DecisionOutcome, requester_context};
use crate::{
    base::{ActionError, Stage},
    caller::CallerClaims,
    confirm::{requested_call, requester_of},
    engine::Engine,
    gates::{confirmation::ConfirmationRequest, early_exit::EarlyExit},
};

/// Edited arguments that passed all gates up to the confirmation.
pub(super) struct Edit {
    pub request: ConfirmationRequest,
    /// The claims of the requester, with the editor.
    pub claims: CallerClaims,
    /// The stored form of the edited call.
    pub edited: RequestedCall,
    /// The arguments before the edit.
    pub before: Value,
}

impl Engine {
    /// Parses the arguments from an approver. Returns `None` if they equal those of the record. Audits a
    /// refusal and returns it as the inner error; the record then stays unchanged.
    pub(super) async fn read_edit(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        arguments: &Value,
    ) -> Result<Result<Option<Edit>, DecisionOutcome>, EarlyExit> {
        let context = requester_context(approval, Stage::Edit)?;
        match self.run_requester_gates(tx, approval, &context, Some(arguments)).await {
            // With the stage `Edit`, the gates end with a confirmation request or a refusal.
            Ok(_) => Err(ActionError::internal("an edit passed its confirmation").into()),
            Err(EarlyExit::Confirm(request)) => {
                let row = approval.row;
                if request.arguments().1 == row.call.arguments_digest {
                    return Ok(Ok(None));
                }
                let edit = Edit::of(approval, *request)?;
                match edit.needs_more(row) {
                    None => Ok(Ok(Some(edit))),
                    Some(error) => Ok(Err(self.refuse_step(tx, approval, "modify", error))),
                }
            }
            Err(EarlyExit::Failed(error)) if error.code.status() >= 500 => Err(EarlyExit::Failed(error)),
            Err(EarlyExit::Refused(refusal)) => {
                Ok(Err(self.refuse_step(tx, approval, "modify", in_approval(refusal.error))))
            }
            Err(EarlyExit::Failed(error)) => {
                Ok(Err(self.refuse_step(tx, approval, "modify", in_approval(error))))
            }
            Err(other) => Err(other),
        }
    }
}

impl Edit {
    fn of(approval: &ApprovalStep<'_>, request: ConfirmationRequest) -> Result<Self, ActionError> {
        let row = approval.row;
        let mut claims = requester_of(row)?;
        if let Some(editor) = approval.approver.principal.user() {
            let editors = claims.provenance.editors.iter().copied().chain([editor]);
            claims.provenance.editors = editors.collect();
        }
        let edited = requested_call(&request, &claims);
        let before = serde_json::from_str(&row.call.arguments).unwrap_or_default();
        Ok(Self { request, claims, edited, before })
    }

    /// Returns 422 if the edited arguments need a higher confirmation level than the record has.
    fn needs_more(&self, row: &ConfirmationRow) -> Option<ActionError> {
        let (needed, current) = (self.request.level, ConfirmationLevel::of_waiting(&row.level));
        if needed <= current {
            return None;
        }
        let message =
            format!("need a `{}` confirmation, but this one is `{}`", needed.as_str(), current.as_str());
        Some(
            ActionError::invalid("/arguments", "level", message)
                .hint("deny this confirmation and make the call with these arguments"),
        )
    }

    /// Returns the edited, resolved arguments.
    pub fn arguments(&self) -> &Value {
        &self.request.facts().arguments
    }

    /// Returns the record with the edited call.
    pub fn applied(&self, row: &ConfirmationRow) -> ConfirmationRow {
        ConfirmationRow { call: self.edited.clone(), ..row.clone() }
    }
}

/// Returns the error of edited arguments with pointers into the approval's body, of which they are a field.
fn in_approval(error: ActionError) -> ActionError {
    error.moved(|pointer| format!("/arguments{pointer}"))
}

/// Makes the error for an edit in the second step.
pub(super) fn too_late() -> ActionError {
    let message = "can't change after the phrase was requested; this step may only repeat them";
    ActionError::invalid("/arguments", "changed", message)
        .hint("omit `arguments` to run what was shown, or deny this confirmation and make the call again")
}
