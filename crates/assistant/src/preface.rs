//! What stands before the words of a run's message: the time, what was found out since the last one, and what packs
//! tell.

use toolcrib_auth::StoredCaller;
use toolcrib_engine::{AdmittedCaller, PlannedCall};

use crate::{
    calls,
    run::{Halt, OpenRun},
    stored::StoredRun,
    texts,
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
        let mut open = Vec::new();
        for run in earlier {
            let calls = run.steps.iter().flat_map(|step| &step.calls);
            open.extend(calls.filter(|call| calls::was_open(call)).map(|call| (run, call)));
        }
        let mut decided = Vec::new();
        for (run, call) in open {
            // The person may have made it with another credential.
            let caller = StoredCaller::from_text(run.row.caller.as_str());
            let became = self.assistant.engine.planned_call(&caller, call.id).await?;
            let became = match (became, call.confirmation_id.is_some()) {
                (PlannedCall::Ended(end), true) if calls::is_unknown(&end) => {
                    "was approved, and nobody knows its end"
                }
                (PlannedCall::Ended(end), false) if calls::is_unknown(&end) => continue,
                (PlannedCall::Ended(end), true) if end.is_error() => "was not approved, or failed",
                (PlannedCall::Ended(end), false) if end.is_error() => "failed",
                (PlannedCall::Ended(_), true) => "was approved and has run",
                (PlannedCall::Ended(_), false) => "has run",
                (PlannedCall::Running, true) => "was approved and is running",
                (PlannedCall::Running | PlannedCall::Waiting(_) | PlannedCall::NotBegun, _) => continue,
            };
            let action = calls::action_of(&call.name, &call.arguments);
            let which = match call.confirmation_id {
                Some(id) => format!("with the confirmation {id}"),
                None => format!("whose end was not known ({})", call.id),
            };
            let sentence = format!("the call of `{action}` {which} {became}");
            let was_said =
                |run: &StoredRun| run.row.preface.as_ref().is_some_and(|said| said.contains(&sentence));
            if !earlier.iter().any(was_said) {
                decided.push(sentence);
            }
        }
        Ok(decided)
    }
}
