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
    remember::{self, Remember},
};
use crate::{ActionError, Answer, Engine, Identity, call::Info, grants::Grant, stop::Stop};

/// What an approver sends.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproveRequest {
    /// The phrase of a typed confirmation, in the second call.
    #[schemars(length(min = 1, max = 200))]
    pub phrase: Option<String>,
    /// Counts for the rest of the conversation; only of a simple confirmation of a write.
    pub remember: Option<Remember>,
    /// Other arguments instead of the stored ones; they pass all gates again.
    pub arguments: Option<serde_json::Map<String, Value>>,
    /// The person's own token, where a service key relays their decision of a typed confirmation.
    #[schemars(with = "Option<String>", length(min = 1, max = 8_192), extend("x-sensitive" = true))]
    pub user_token: Option<TokenText>,
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
    /// With the grant that is kept after the commit.
    Approved(Approved, Option<Box<Grant>>),
    Refused(ActionError),
}

/// What every step of an approval needs.
pub(super) struct Approval<'a> {
    pub info: &'a Info,
    pub approver: &'a Caller,
    pub row: &'a ConfirmationRow,
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
        let Held { info, caller, row } =
            match self.hold(tx, sender, standing, id, (decider, "approve")).await? {
                Ok(held) => held,
                Err(error) => return Ok(Settled::Refused(error)),
            };
        let remember = request.remember.is_some();
        let meta = self.catalog.registry().get(&row.action).map(AsRef::as_ref);
        let refused = if remember { remember::check(&row, meta).err() } else { None };
        if let Some(error) = refused {
            let note =
                Note { decision: "invalid", reason: "remember", error: Some(error.code), ..Note::default() };
            self.write_decision(tx, &info, &caller, &row, note);
            return Ok(Settled::Refused(error));
        }
        let approval = Approval { info: &info, approver: &caller, row: &row, remember };
        match (row.level.as_str(), row.status.as_str()) {
            ("typed", "pending") => self.ask_phrase(tx, &approval).await,
            ("typed", _) if request.phrase.as_deref() != Some(&row.action) => {
                self.wrong_phrase(tx, &approval, request.phrase.is_some()).await
            }
            _ => self.execute(tx, &approval, request.arguments.clone().map(Value::Object)).await,
        }
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
            arguments: None,
            history,
        }
    }
}
