//! What stands before the words of a run's message: the time, what was found out since the last one, and what packs
//! tell.

use toolcrib_auth::StoredCaller;
use toolcrib_engine::{AdmittedCaller, PlannedCall};

use crate::{
    calls,
    run::{Halt, OpenRun},
    texts,
    transcript::StoredRun,
};

impl OpenRun {
    /// Writes what stands before the person's words, once for a run.
    pub async fn write_preface(
        &mut self,
        admitted: &AdmittedCaller,
        earlier: &[StoredRun],
    ) -> Result<(), Halt> {
        if self.row.preface.is_none() {
            let decided = self.decided(earlier).await?;
            let briefs = self.assistant.engine.briefs(admitted).await?;
            self.row.preface = Some(texts::preface(self.row.created_at, &decided, &briefs));
        }
        Ok(())
    }

    /// Returns what became of the calls whose end was not known when they were answered, each once.
    async fn decided(&self, earlier: &[StoredRun]) -> Result<Vec<String>, Halt> {
        let mut decided = Vec::new();
        for run in earlier {
            // The person may have sent its message with another credential.
            let caller = StoredCaller::from_text(run.row.caller.as_str());
            let calls = run.steps.iter().flat_map(|step| &step.calls);
            for call in calls.filter(|call| calls::was_open(call)) {
                let now = self.assistant.engine.planned_call(&caller, call.id).await?;
                let Some(became) = became(&now, call.confirmation_id.is_some()) else { continue };
                let action = calls::action_of(&call.name, &call.arguments);
                let which = match call.confirmation_id {
                    Some(id) => format!("with the confirmation {id}"),
                    None => format!("whose end was not known ({})", call.id),
                };
                decided.push(format!("the call of `{action}` {which} {became}"));
            }
        }
        let was_said = |run: &StoredRun, sentence: &str| {
            run.row.preface.as_ref().is_some_and(|said| said.contains(sentence))
        };
        decided.retain(|sentence| !earlier.iter().any(|run| was_said(run, sentence)));
        Ok(decided)
    }
}

/// Returns what became of a call, in words; `None` if nothing new is known. `confirmed` says whether it had to be confirmed.
fn became(now: &PlannedCall, confirmed: bool) -> Option<&'static str> {
    match (now, confirmed) {
        (PlannedCall::Ended(end), true) if calls::is_unknown(end) => {
            Some("was approved, and nobody knows its end")
        }
        (PlannedCall::Ended(end), false) if calls::is_unknown(end) => None,
        (PlannedCall::Ended(end), true) if end.is_error() => Some("was not approved, or failed"),
        (PlannedCall::Ended(end), false) if end.is_error() => Some("failed"),
        (PlannedCall::Ended(_), true) => Some("was approved and has run"),
        (PlannedCall::Ended(_), false) => Some("has run"),
        (PlannedCall::Running, true) => Some("was approved and is running"),
        (PlannedCall::Running | PlannedCall::Waiting(_) | PlannedCall::NotBegun, _) => None,
    }
}
