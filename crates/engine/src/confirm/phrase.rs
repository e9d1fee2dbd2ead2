//! The typed phrase: a step of its own, and exact.

use toolcrib_model::ErrorCode;
use toolcrib_store::{WriteTx, confirmations::Step};

use super::{
    approve::{Approval, Approved, Settled},
    decide::{Note, history, take},
};
use crate::{ActionError, Engine, notify, stop::Stop};

/// Wrong phrases after which a confirmation is void.
const ATTEMPTS: i64 = 5;

impl Engine {
    /// The first step: the phrase is shown, whatever was sent. It is written down like every step.
    pub(super) async fn ask_phrase(
        &self,
        tx: &mut WriteTx,
        approval: &Approval<'_>,
    ) -> Result<Settled, Stop> {
        let Approval { info, approver, row, .. } = approval;
        let steps = history(row, info, "awaiting_phrase", Some(approver.principal.id()), None);
        take(tx, row.id, &approval.step("awaiting_phrase", &steps)).await?;
        let note = Note { decision: "confirmation_required", reason: "phrase_required", ..Note::default() };
        self.write_decision(tx, info, approver, row, note);
        Ok(Settled::Approved(Approved::PhraseRequired(row.action.clone()), None))
    }

    /// Another text than the action's exact name: counted. None at all is shown the phrase again.
    pub(super) async fn wrong_phrase(
        &self,
        tx: &mut WriteTx,
        approval: &Approval<'_>,
        typed: bool,
    ) -> Result<Settled, Stop> {
        let Approval { info, approver, row, .. } = approval;
        if !typed {
            return Ok(Settled::Approved(Approved::PhraseRequired(row.action.clone()), None));
        }
        let attempts = row.phrase_attempts + 1;
        let to = if attempts >= ATTEMPTS { "void" } else { "awaiting_phrase" };
        let steps = history(row, info, to, Some(approver.principal.id()), None);
        take(tx, row.id, &Step { phrase_attempts: attempts, ..approval.step(to, &steps) }).await?;
        let code = ErrorCode::PhraseMismatch;
        let note = Note { decision: "invalid", reason: "phrase", error: Some(code), ..Note::default() };
        self.write_decision(tx, info, approver, row, note);
        if to == "void" {
            let why = Some("the phrase was typed wrong too often");
            notify::denied(&self.catalog, self.moment(info.now), tx, row, why).await?;
        }
        let error = ActionError::new(code, "the phrase is not the action's exact name");
        let left = ATTEMPTS - attempts;
        Ok(Settled::Refused(if left > 0 {
            error.hint(format!("type `{}`; {left} attempts are left", row.action))
        } else {
            error.hint("the confirmation is void now; make the call again")
        }))
    }
}
