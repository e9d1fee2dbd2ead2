//! A human says yes: one step, or two with the typed phrase.

use std::sync::Arc;

use futures_util::FutureExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolcrib_access::Caller;
use toolcrib_model::{ErrorCode, Id};
use toolcrib_store::{Standing, WriteTx, confirmations::ConfirmationRow, confirmations::Step, job};

use super::decide::{Decider, closed, history, take};
use crate::{ActionError, Answer, Engine, Identity, call::Info, claimant::Claimant, notify, stop::Stop};

/// Wrong phrases after which a confirmation is void.
const ATTEMPTS: i64 = 5;

/// What an approver sends.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproveRequest {
    /// The phrase of a typed confirmation, in the second call.
    #[schemars(length(min = 1, max = 200))]
    pub phrase: Option<String>,
    /// Other arguments instead of the stored ones; they pass all gates again.
    pub arguments: Option<serde_json::Map<String, Value>>,
}

/// What an approval came to.
#[derive(Clone, Debug)]
pub enum Approved {
    /// The call ran; this is its answer.
    Ran(Box<Answer>),
    /// The human must type this phrase in a second call.
    PhraseRequired(String),
}

/// What is committed.
pub(super) enum Settled {
    Approved(Approved),
    Refused(ActionError),
}

/// What every step of an approval needs.
pub(super) struct Approval<'a> {
    pub info: &'a Info,
    pub approver: &'a Caller,
    pub row: &'a ConfirmationRow,
}

impl Engine {
    /// Approves a confirmation: its stored call runs through all gates again, as the requester with the role they
    /// have now.
    pub async fn approve(
        self: &Arc<Self>,
        identity: &Identity,
        id: Id,
        request: ApproveRequest,
        decider: Decider,
    ) -> Result<Approved, ActionError> {
        let types = &self.settings.caller_types;
        let claimant = Claimant::from_identity(&self.db, types, identity, false).await?;
        let (workspace, who) = (claimant.workspace, claimant.who());
        let engine = self.clone();
        let job = job(move |tx, standing| {
            async move { engine.approve_in(tx, &claimant, standing.as_ref(), id, &request, &decider).await }
                .boxed()
        });
        let (db, limit) = (self.db.clone(), self.write_limit(30));
        let task = tokio::spawn(async move { db.write_as(workspace, who, limit, job).await });
        match task.await {
            Ok(Ok(Settled::Approved(approved))) => Ok(approved),
            Ok(Ok(Settled::Refused(error)) | Err(Stop::Early(error))) => Err(error),
            Ok(Err(Stop::Refused(refusal))) => Err(refusal.error),
            _ => Err(ActionError::internal("the decision's task stopped")),
        }
    }

    async fn approve_in(
        &self,
        tx: &mut WriteTx,
        claimant: &Claimant,
        standing: Option<&Standing>,
        id: Id,
        request: &ApproveRequest,
        decider: &Decider,
    ) -> Result<Settled, Stop> {
        let info = self.decision_info(decider);
        let (caller, policy) = claimant.caller(standing)?;
        let row = self.held(tx, &caller, id).await?;
        let approval = Approval { info: &info, approver: &caller, row: &row };
        if let Err(error) = self.may_decide(&caller, &policy, &row) {
            self.write_decision(tx, &info, &caller, &row, ("denied", "approve", Some(error.code)));
            return Ok(Settled::Refused(error));
        }
        if let Some(error) = closed(&row, info.now) {
            return Err(error.into());
        }
        match (row.level.as_str(), row.status.as_str()) {
            ("typed", "pending") => approval.ask_phrase(tx).await,
            ("typed", _) if request.phrase.as_deref() != Some(&row.action) => {
                self.wrong_phrase(tx, &approval, request.phrase.is_some()).await
            }
            _ => self.execute(tx, &approval, request.arguments.clone().map(Value::Object)).await,
        }
    }

    async fn wrong_phrase(
        &self,
        tx: &mut WriteTx,
        approval: &Approval<'_>,
        typed: bool,
    ) -> Result<Settled, Stop> {
        let Approval { info, approver, row } = approval;
        if !typed {
            return Ok(Settled::Approved(Approved::PhraseRequired(row.action.clone())));
        }
        let attempts = row.phrase_attempts + 1;
        let to = if attempts >= ATTEMPTS { "void" } else { "awaiting_phrase" };
        let steps = history(row, info.now, to, approver.principal.id(), None);
        take(tx, row.id, &Step { phrase_attempts: attempts, ..approval.step(to, &steps) }).await?;
        let code = ErrorCode::PhraseMismatch;
        self.write_decision(tx, info, approver, row, ("invalid", "phrase", Some(code)));
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

impl Approval<'_> {
    async fn ask_phrase(&self, tx: &mut WriteTx) -> Result<Settled, Stop> {
        let steps = history(self.row, self.info.now, "awaiting_phrase", self.approver.principal.id(), None);
        take(tx, self.row.id, &self.step("awaiting_phrase", &steps)).await?;
        Ok(Settled::Approved(Approved::PhraseRequired(self.row.action.clone())))
    }

    /// A step by this approver from the status that was read.
    pub(super) fn step<'s>(&'s self, to: &'s str, history: &'s str) -> Step<'s> {
        Step {
            from: &self.row.status,
            to,
            now: self.info.now,
            by: self.approver.principal.user(),
            reason: None,
            phrase_attempts: self.row.phrase_attempts,
            call_id: None,
            result: None,
            arguments: None,
            history,
        }
    }
}
