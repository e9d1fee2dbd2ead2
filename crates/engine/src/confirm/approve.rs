//! A human says yes: one step, or two with the typed phrase.

use std::sync::Arc;

use futures_util::FutureExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolcrib_access::Caller;
use toolcrib_model::Id;
use toolcrib_store::{Standing, WriteTx, confirmations::ConfirmationRow, confirmations::Step, job};

use super::{
    decide::{Held, Note},
    decider::{Decider, Sender, TokenText},
    edit::{self, Edit},
    remember::{self, Remember},
};
use crate::{ActionError, Answer, Engine, Identity, SummaryLine, call::Info, grants::Grant, stop::Stop};

/// What an approver sends.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproveRequest {
    /// The phrase of a typed confirmation, in the second call.
    // Raw: what was typed is compared byte for byte, and nothing is trimmed.
    #[schemars(length(min = 1, max = 200), extend("x-raw" = true))]
    pub phrase: Option<String>,
    /// Counts for the rest of the conversation; only of a simple confirmation of a write.
    pub remember: Option<Remember>,
    /// Other arguments instead of the stored ones; they pass all gates again. Of a typed confirmation they are given in
    /// the first call and kept. With `four_eyes` on somebody else approves them.
    pub arguments: Option<serde_json::Map<String, Value>>,
    /// The person's own token, where a service key relays their decision of a typed confirmation, or with
    /// `four_eyes` on of any.
    #[schemars(with = "Option<String>", length(min = 1, max = 8_192), extend("x-sensitive" = true))]
    pub user_token: Option<TokenText>,
}

/// What an approval came to.
#[derive(Clone, Debug)]
pub enum Approved {
    /// The call ran; this is its answer.
    Ran(Box<Answer>),
    /// The human must type a phrase in a second call.
    PhraseRequired(Box<PhraseRequired>),
    /// The arguments were changed, and with four eyes somebody else decides about them: the answer of a new confirmation.
    AskedAnew(Box<Answer>),
}

/// What the second step of a typed confirmation needs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PhraseRequired {
    /// Always `phrase_required`.
    pub status: String,
    /// What must be typed, exactly.
    pub phrase: String,
    /// The arguments as they will run, sensitive ones masked, where an approver changed them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// The same as people read them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Vec<SummaryLine>>,
}

/// What is committed.
pub(super) enum Settled {
    /// With the grant that is kept after the commit.
    Approved(Approved, Option<Box<Grant>>),
    Refused(ActionError),
}

/// What every step of an approval needs.
#[derive(Clone, Copy)]
pub(super) struct Approval<'a> {
    pub info: &'a Info,
    pub approver: &'a Caller,
    /// The record, with what the approver changed in this very step.
    pub row: &'a ConfirmationRow,
    /// The record as it was before this step.
    pub asked: &'a ConfirmationRow,
    /// Whether it counts for the rest of the conversation.
    pub remember: bool,
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
        let sender = Sender::of(self, identity, &decider).await?;
        // On a task of its own: a client that goes away changes nothing.
        let task = tokio::spawn(self.clone().settle_approval(sender, id, request, decider));
        match task.await {
            Ok(Ok(Settled::Approved(approved, _))) => Ok(approved),
            Ok(Ok(Settled::Refused(error)) | Err(Stop::Early(error))) => Err(error),
            _ => Err(ActionError::internal("the decision's task stopped")),
        }
    }

    async fn settle_approval(
        self: Arc<Self>,
        sender: Sender,
        id: Id,
        request: ApproveRequest,
        decider: Decider,
    ) -> Result<Settled, Stop> {
        let ((workspace, who), limit) = (sender.asks(), self.write_limit(30));
        let engine = self.clone();
        let job = job(move |tx, standing| {
            async move { engine.approve_in(tx, &sender, standing.as_ref(), id, &request, &decider).await }
                .boxed()
        });
        let settled = self.db.write_as(workspace, who, limit, job).await?;
        if let Settled::Approved(_, Some(grant)) = &settled
            && self.grants.put((**grant).clone()).await.is_err()
        {
            // The call ran. That it is not remembered means that a person is asked again.
            tracing::warn!(confirmation_id = %id, "a session grant can't be kept: a person will be asked again");
        }
        Ok(settled)
    }

    async fn approve_in(
        &self,
        tx: &mut WriteTx,
        sender: &Sender,
        standing: Option<&Standing>,
        id: Id,
        request: &ApproveRequest,
        decider: &Decider,
    ) -> Result<Settled, Stop> {
        let Held { info, caller, policy, row } =
            match self.hold(tx, sender, standing, id, (decider, "approve")).await? {
                Ok(held) => held,
                Err(error) => return Ok(Settled::Refused(error)),
            };
        let remember = request.remember.is_some();
        let approval = Approval { info: &info, approver: &caller, row: &row, asked: &row, remember };
        if let Some(refused) = self.check_remember(tx, &approval) {
            return Ok(refused);
        }
        let edit = match request.arguments.clone().map(Value::Object) {
            None => None,
            Some(arguments) => match self.read_edit(tx, &approval, &arguments).await? {
                Ok(edit) => edit,
                Err(refused) => return Ok(refused),
            },
        };
        let waits_for_phrase = row.status == "awaiting_phrase";
        match edit {
            Some(_) if waits_for_phrase => Ok(self.refuse_edit(tx, &approval, edit::too_late())),
            Some(edit) if policy.four_eyes => self.ask_anew(tx, &approval, &policy, edit).await,
            edit => self.step(tx, &approval, edit.as_ref(), request.phrase.as_deref()).await,
        }
    }

    /// The step that the record is at: the phrase is asked for, or typed, or the call runs.
    async fn step(
        &self,
        tx: &mut WriteTx,
        approval: &Approval<'_>,
        edit: Option<&Edit>,
        phrase: Option<&str>,
    ) -> Result<Settled, Stop> {
        let edited = edit.map(|edit| edit.applied(approval.asked));
        let approval = &Approval { row: edited.as_ref().unwrap_or(approval.asked), ..*approval };
        match (approval.row.level.as_str(), approval.row.status.as_str()) {
            ("typed", "pending") => self.ask_phrase(tx, approval, edit).await,
            ("typed", _) if phrase != Some(&approval.row.action) => {
                self.wrong_phrase(tx, approval, phrase.is_some()).await
            }
            _ => self.execute(tx, approval, edit).await,
        }
    }

    /// Refuses what can't be remembered, and writes it down.
    fn check_remember(&self, tx: &mut WriteTx, approval: &Approval<'_>) -> Option<Settled> {
        let Approval { info, approver, row, .. } = approval;
        let meta = self.catalog.registry().get(&row.action).map(AsRef::as_ref);
        let error = if approval.remember { remember::check(row, meta).err()? } else { return None };
        let note =
            Note { decision: "invalid", reason: "remember", error: Some(error.code), ..Note::default() };
        self.write_decision(tx, info, approver, row, note);
        Some(Settled::Refused(error))
    }
}

impl Approval<'_> {
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
            edited: None,
            history,
        }
    }
}
