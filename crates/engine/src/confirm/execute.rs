//! The approved call runs: all gates again, as the requester with the role they have now, in the transaction that
//! also decides the record.

use serde_json::{Value, json};
use toolcrib_model::{ErrorCode, Ts};
use toolcrib_registry::ConfirmationLevel;
use toolcrib_store::{Standing, WriteTx, confirmations::Step, keys};

use super::{
    approve::{Approval, Approved, Settled},
    decide::{Note, history, take},
    edit::Edit,
    requester_of,
};
use crate::{
    ActionError, Engine, ToolCall, Via, build,
    call::{self, Info, Stage},
    claimant::Claimant,
    gates::{self, audit::Verdict, limit::Cleared},
    notify,
    stop::Stop,
};

impl Engine {
    /// Runs the call of `approval`'s record, which has what `edit` changed in this very step.
    pub(super) async fn execute(
        &self,
        tx: &mut WriteTx,
        approval: &Approval<'_>,
        edit: Option<&Edit>,
    ) -> Result<Settled, Stop> {
        let info = requester_info(approval, Stage::Run);
        match self.requester_clears(tx, approval, &info, None).await {
            Ok(cleared) => self.run_approved(tx, approval, &info, cleared, edit).await,
            // What may pass, and what the approver can mend, leaves the record as it was.
            Err(Stop::Early(error)) if error.code.status() >= 500 => Err(Stop::Early(error)),
            Err(Stop::Refused(refusal)) if refusal.error.code == ErrorCode::RateLimited => {
                Err(Stop::Early(refusal.error))
            }
            Err(Stop::Refused(refusal)) => self.void(tx, approval, &refusal.error).await,
            Err(Stop::Early(error)) => self.void(tx, approval, &error).await,
            Err(other) => Err(other),
        }
    }

    /// Gates 2 to 9 for the stored call, with a credential that is still good.
    pub(super) async fn requester_clears(
        &self,
        tx: &mut WriteTx,
        approval: &Approval<'_>,
        info: &Info,
        arguments: Option<&Value>,
    ) -> Result<Cleared, Stop> {
        let row = approval.row;
        let claimant = requester_of(row)?;
        credential_is_good(tx, &claimant, info.now).await?;
        let standing = Standing::read(tx, claimant.who()).await?;
        let text = arguments.map_or_else(|| row.arguments.clone(), Value::to_string);
        let parsed = gates::parse::of_confirmation(&row.action, &text)?;
        let admitted = gates::membership::admit(parsed, &claimant, standing.as_ref())?;
        self.clear(info, tx, admitted).await
    }

    async fn run_approved(
        &self,
        tx: &mut WriteTx,
        approval: &Approval<'_>,
        info: &Info,
        cleared: Cleared,
        edit: Option<&Edit>,
    ) -> Result<Settled, Stop> {
        let row = approval.row;
        let subject = cleared.found.subject().clone();
        let ran = gates::run::write(self, info, tx, cleared).await;
        if let Err(error) = &ran.outcome
            && error.code.status() >= 500
        {
            return Err(Stop::Early(error.clone()));
        }
        let mut entry = gates::audit::row(info, ran.found.subject(), Verdict::of_run(info, &ran));
        entry.via = Via::Confirmation.as_str();
        tx.audit(entry);
        let ended = (ran.found.subject(), info.call_id, ran.outcome.is_ok());
        notify::approved(&self.catalog, self.moment(info.now), tx, row, ended);
        let (to, answer) = (if ran.outcome.is_ok() { "executed" } else { "failed" }, build::ran(info, ran));
        let before = edit.map(|edit| &edit.before);
        let steps = history(row, info, to, Some(approval.approver.principal.id()), before);
        let result = json!({ "status": answer.status(), "body": answer.to_value() }).to_string();
        let step = Step {
            call_id: Some(info.call_id),
            result: Some(result),
            edited: edit.map(|edit| &edit.edited),
            ..approval.step(to, &steps)
        };
        take(tx, row.id, &step).await?;
        let note = Note {
            decision: "approved",
            reason: if edit.is_some() { "modify" } else { "approve" },
            error: None,
            modified: edit.map(|edit| edit.arguments().clone()),
            always_allow: approval.remember,
        };
        self.write_decision(tx, approval.info, approval.approver, approval.asked, note);
        let grant = if approval.remember { self.new_grant(tx, approval, &subject).await? } else { None };
        Ok(Settled::Approved(Approved::Ran(Box::new(answer)), grant.map(Box::new)))
    }

    /// Demoted, revoked, changed or gone meanwhile: nothing runs.
    async fn void(
        &self,
        tx: &mut WriteTx,
        approval: &Approval<'_>,
        cause: &ActionError,
    ) -> Result<Settled, Stop> {
        let Approval { info, approver, row, .. } = approval;
        let steps = history(row, info, "void", Some(approver.principal.id()), None);
        take(tx, row.id, &Step { reason: Some(&cause.detail), ..approval.step("void", &steps) }).await?;
        let note =
            Note { decision: "denied", reason: "void", error: Some(ErrorCode::Void), ..Note::default() };
        self.write_decision(tx, info, approver, row, note);
        notify::denied(&self.catalog, self.moment(info.now), tx, row, Some(&cause.detail)).await?;
        let error = ActionError::new(
            ErrorCode::Void,
            format!("the confirmation no longer applies: {}", cause.detail),
        );
        Ok(Settled::Refused(error.hint("make the call again")))
    }
}

pub(super) fn requester_info(approval: &Approval<'_>, stage: Stage) -> Info {
    let row = approval.row;
    let tool_call = row.tool_call_id.clone().map(|id| ToolCall {
        id,
        format: format_word(row.tool_format.as_deref()),
        dispatcher_only: false,
    });
    Info {
        tool_call,
        confirmation: Some(call::Approval {
            confirmation_id: row.id,
            schema_digest: row.schema_digest.clone(),
            level: ConfirmationLevel::of_waiting(&row.level),
            target_id: row.target_id,
            target_version: row.target_version,
            stage,
        }),
        ..approval.info.clone()
    }
}

/// A key that was revoked or ended meanwhile approves nothing.
async fn credential_is_good(tx: &mut WriteTx, claimant: &Claimant, now: Ts) -> Result<(), ActionError> {
    let Some(key_id) = claimant.credential else { return Ok(()) };
    let good = keys::get(tx, key_id).await?.is_some_and(|key| {
        key.revoked_at.is_none() && key.expires_at.is_none_or(|end| end > now.as_micros())
    });
    if good {
        Ok(())
    } else {
        Err(ActionError::new(ErrorCode::Void, "the key that asked was revoked or has ended"))
    }
}

fn format_word(word: Option<&str>) -> &'static str {
    let known = ["openai", "openai_responses", "anthropic", "gemini", "mcp"];
    known.into_iter().find(|known| Some(*known) == word).unwrap_or("openai")
}
