//! Approvals of confirmations. A typed confirmation needs two steps: the request of the phrase, and the
//! phrase.

use std::sync::Arc;

use futures_util::FutureExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolcrib_access::Caller;
use toolcrib_model::{AuditDecision, ConfirmationStatus, Id};
use toolcrib_registry::ConfirmationLevel;
use toolcrib_store::{
    AccessRow, WriteTx, confirmations::ConfirmationRow, confirmations::Transition, write_job,
};

use super::{
    decide::LockedConfirmation,
    decider::{DecisionMaker, DecisionMeta, TokenText},
    edit::{self, Edit},
};
use crate::{
    base::{ActionError, CallContext, UpstreamTarget},
    caller::Authenticated,
    catalog::Catalog,
    confirmations::{
        ConfirmationView, DecisionAudit,
        remember::{self, Remember},
    },
    gates::{CallKind, early_exit::EarlyExit},
    grants::Grant,
    pipeline::Engine,
    response::{CallResponse, SummaryLine},
    started_calls::StartedCall,
};

/// Request to approve a confirmation.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproveRequest {
    /// Phrase of a typed confirmation, in the second call.
    // The phrase is compared byte for byte, so it must not be trimmed.
    #[schemars(length(min = 1, max = 200), extend("x-raw" = true))]
    pub phrase: Option<String>,
    /// Allows the action for the rest of the conversation. Only for a simple confirmation of a write.
    pub remember: Option<Remember>,
    /// Arguments that replace the stored ones; they are checked again. For a typed confirmation, send them in
    /// the first call. With `four_eyes`, another person must approve them.
    pub arguments: Option<serde_json::Map<String, Value>>,
    /// Token of the person whose decision a service key relays. Required for a typed confirmation, and with
    /// `four_eyes` for any.
    #[schemars(with = "Option<String>", length(min = 1, max = 8_192), extend("x-sensitive" = true))]
    pub user_token: Option<TokenText>,
}

/// The result of an approval.
#[derive(Clone, Debug)]
pub enum Approved {
    /// The call ran, with this response. If a model made the call, with the confirmation as it is now, from which
    /// the model is told.
    Executed(Box<CallResponse>, Option<Box<ConfirmationView>>),
    /// The person must send the phrase in a second request.
    PhraseRequired(Box<PhraseRequired>),
    /// The arguments were edited and the four-eyes rule applies, so another person must decide. The response
    /// of the new confirmation.
    NewConfirmation(Box<CallResponse>),
}

/// Data for the second step of a typed confirmation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PhraseRequired {
    /// Always `phrase_required`.
    pub status: String,
    /// Phrase to type, exactly.
    pub phrase: String,
    /// Arguments of the call if an approver changed them; sensitive ones are masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// The changed arguments, as people read them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Vec<SummaryLine>>,
}

/// The result of a decision that is committed.
pub(super) enum DecisionOutcome {
    /// With the grant to store after the commit.
    Approved(Approved, Option<Box<Grant>>),
    /// The call is sent to its upstream after the commit.
    Started(Box<StartedCall>, Option<Box<Grant>>),
    Refused(ActionError),
}

/// Data for a step of an approval.
#[derive(Clone, Copy)]
pub(super) struct ApprovalStep<'a> {
    pub context: &'a CallContext,
    pub approver: &'a Caller,
    /// The record, including what the approver edits in this step.
    pub row: &'a ConfirmationRow,
    /// The record before this step.
    pub original: &'a ConfirmationRow,
    /// Whether the approval creates a session grant.
    pub remember: bool,
    /// The catalogue of the workspace.
    pub catalog: &'a Catalog,
}

impl Engine {
    /// Approves a confirmation. Its stored call passes all gates again, as the requester with their current
    /// role.
    pub async fn approve(
        self: &Arc<Self>,
        authenticated: &Authenticated,
        id: Id,
        request: ApproveRequest,
        meta: DecisionMeta,
    ) -> Result<Approved, ActionError> {
        let decider = DecisionMaker::of(self, authenticated, meta.user_token.as_ref()).await?;
        let decider = decider.of_approval(request.arguments.is_some() || request.remember.is_some());
        // The decision runs in its own task, so that it completes even if the client disconnects.
        let task =
            tokio::spawn(self.clone().decide_approval((authenticated.clone(), decider), id, request, meta));
        match task.await {
            Ok(Ok(DecisionOutcome::Approved(approved, _))) => Ok(approved),
            Ok(Ok(DecisionOutcome::Refused(error)) | Err(EarlyExit::Unaudited(error))) => Err(error),
            _ => Err(ActionError::internal("the decision's task stopped")),
        }
    }

    async fn decide_approval(
        self: Arc<Self>,
        (authenticated, decider): (Authenticated, DecisionMaker),
        id: Id,
        request: ApproveRequest,
        meta: DecisionMeta,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let ((workspace, actor), limit) = (decider.actor(), self.write_limit(30));
        let target = self.ask_before_approval(&decider, id, &request, &meta).await?;
        let engine = self.clone();
        let job = write_job(move |tx, access| {
            async move {
                engine.approve_in(tx, &decider, access.as_ref(), id, (&request, target), &meta).await
            }
            .boxed()
        });
        let outcome = self.db.write_with_access(workspace, actor, limit, job).await?;
        if let DecisionOutcome::Approved(_, Some(grant)) | DecisionOutcome::Started(_, Some(grant)) = &outcome
            && self.grants.put((**grant).clone()).await.is_err()
        {
            // The call runs. Without the grant, the next call needs a confirmation.
            tracing::warn!(confirmation_id = %id, "a session grant can't be kept: a person will be asked again");
        }
        match outcome {
            DecisionOutcome::Started(started, grant) => {
                let is_from_model = started.row.tool_call_id.is_some();
                let response = self.finish_call(*started).boxed().await;
                let view =
                    if is_from_model { self.confirmation(&authenticated, id).await.ok() } else { None };
                let approved = Approved::Executed(Box::new(response), view.map(Box::new));
                Ok(DecisionOutcome::Approved(approved, grant))
            }
            outcome => Ok(outcome),
        }
    }

    async fn approve_in(
        &self,
        tx: &mut WriteTx,
        decider: &DecisionMaker,
        access: Option<&AccessRow>,
        id: Id,
        (request, target): (&ApproveRequest, Option<UpstreamTarget>),
        meta: &DecisionMeta,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let mut locked = match self.lock_confirmation(tx, decider, access, id, (meta, "approve")).await? {
            Ok(locked) => locked,
            Err(error) => return Ok(DecisionOutcome::Refused(error)),
        };
        locked.context.upstream_target = target;
        let mut outcome = self.approve_locked(tx, &locked, request).await?;
        if let DecisionOutcome::Approved(Approved::Executed(_, view), _) = &mut outcome
            && locked.row.tool_call_id.is_some()
        {
            *view = Some(Box::new(self.show_decided(tx, &locked).await?));
        }
        Ok(outcome)
    }

    async fn approve_locked(
        &self,
        tx: &mut WriteTx,
        locked: &LockedConfirmation<'_>,
        request: &ApproveRequest,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let LockedConfirmation { context, decider, row, catalog } = locked;
        let remember = request.remember.is_some();
        let approval =
            ApprovalStep { context, approver: &decider.caller, row, original: row, remember, catalog };
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
        let waits_for_phrase = row.status == ConfirmationStatus::AwaitingPhrase;
        match edit {
            Some(_) if waits_for_phrase => Ok(self.refuse_edit(tx, &approval, edit::too_late())),
            Some(edit) if decider.policy.four_eyes => {
                self.replace_confirmation(tx, &approval, &decider.policy, edit).await
            }
            edit => self.step(tx, &approval, edit.as_ref(), request.phrase.as_deref()).await,
        }
    }

    /// Runs the step for the record's status: requests the phrase, checks the phrase, or runs the call.
    async fn step(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        edit: Option<&Edit>,
        phrase: Option<&str>,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let edited = edit.map(|edit| edit.applied(approval.original));
        let approval = &ApprovalStep { row: edited.as_ref().unwrap_or(approval.original), ..*approval };
        match (ConfirmationLevel::of_waiting(&approval.row.level), approval.row.status) {
            (ConfirmationLevel::Typed, ConfirmationStatus::Pending) => {
                self.require_phrase(tx, approval, edit).await
            }
            (ConfirmationLevel::Typed, _) if phrase != Some(&approval.row.action) => {
                self.wrong_phrase(tx, approval, phrase.is_some()).await
            }
            _ => self.execute(tx, approval, edit).await,
        }
    }

    /// Refuses `remember` if no session grant is possible, and audits the refusal.
    fn check_remember(&self, tx: &mut WriteTx, approval: &ApprovalStep<'_>) -> Option<DecisionOutcome> {
        let ApprovalStep { context, approver, row, .. } = approval;
        let meta = approval.catalog.registry().get(&row.action).map(AsRef::as_ref);
        let error = if approval.remember { remember::check(row, meta).err()? } else { return None };
        let decision_audit = DecisionAudit::new(AuditDecision::Invalid, "remember", Some(error.code));
        self.records(approval.catalog).write_decision(tx, context, approver, row, decision_audit);
        Some(DecisionOutcome::Refused(error))
    }
}

impl ApprovalStep<'_> {
    /// Returns how the call of the record is executed.
    pub(super) fn kind(&self) -> CallKind {
        let meta = self.catalog.registry().get(&self.row.action);
        meta.map_or(CallKind::Write, |meta| CallKind::of(&meta.spec))
    }

    /// Makes a transition by this approver from the status that was read.
    pub(super) fn step<'s>(&'s self, to: ConfirmationStatus, history: &'s str) -> Transition<'s> {
        Transition {
            from: self.row.status,
            to,
            now: self.context.now,
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
