//! Approvals of confirmations. A typed confirmation needs two steps: the request of the phrase, and the
//! phrase.

mod approval;
mod before_approval;
mod edit;
mod execute;
mod phrase;
mod replace;

pub use approval::{ApproveRequest, Approved, PhraseRequired};

use std::sync::Arc;

use futures_util::FutureExt as _;
use serde_json::Value;
use toolcrib_access::Rule;
use toolcrib_auth::Authenticated;
use toolcrib_model::{AuditDecision, ConfirmationStatus, Id};
use toolcrib_registry::ConfirmationLevel;
use toolcrib_store::{AccessRow, WriteTx, confirmations, within};

use crate::{
    base::ActionError,
    confirm::{self, DecisionAudit, DecisionMeta, decide::LockedConfirmation, decider::Decider, remember},
    engine::Engine,
    gates::early_exit::EarlyExit,
};
use approval::{ApprovalStep, DecisionOutcome, SentApproval};
use before_approval::UpstreamQuestion;
use edit::Edit;

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
        let decider = Decider::of(self, authenticated, meta.user_token.as_ref()).await?;
        let decider = decider.of_approval(request.arguments.is_some() || request.remember.is_some());
        let sent = SentApproval { decider, id, request, meta };
        // The decision runs in its own task, so that it completes even if the client disconnects.
        let task = tokio::spawn(self.clone().decide_approval(authenticated.clone(), sent));
        match task.await {
            Ok(Ok(DecisionOutcome::Approved(approved, _))) => Ok(approved),
            Ok(Ok(DecisionOutcome::Refused(error)) | Err(EarlyExit::Failed(error))) => Err(error),
            _ => Err(ActionError::internal("the decision's task stopped")),
        }
    }

    async fn decide_approval(
        self: Arc<Self>,
        authenticated: Authenticated,
        sent: SentApproval,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let id = sent.id;
        let mut outcome = self.try_approval(&sent, UpstreamQuestion::NotAsked).await?;
        if let DecisionOutcome::AskUpstream(call) = &outcome {
            let (row, limits) = &**call;
            let target = self.ask_before_approval(&sent, row, limits).await?;
            outcome = self.try_approval(&sent, UpstreamQuestion::Asked(target)).await?;
        }
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

    /// Makes the approval in one transaction. If the upstream has to be asked first, nothing is changed.
    async fn try_approval(
        &self,
        sent: &SentApproval,
        question: UpstreamQuestion,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let (workspace, actor) = sent.decider.actor();
        let (mut tx, access) = self.db.begin_write_as(workspace, actor).await?;
        let work = self.approve_in(&mut tx, sent, access.as_ref(), question).boxed();
        let outcome = within(self.write_timeout(30), work).await?;
        tx.end(outcome).await
    }

    async fn approve_in(
        &self,
        tx: &mut WriteTx,
        sent: &SentApproval,
        access: Option<&AccessRow>,
        question: UpstreamQuestion,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let SentApproval { decider, id, request, meta } = sent;
        let row = confirmations::lock(tx, *id).await?;
        let checked = self.check_decidable(tx, decider, access, *id, row, meta, "approve").await?;
        let mut locked = match checked {
            Ok(locked) => locked,
            Err(error) => return Ok(DecisionOutcome::Refused(error)),
        };
        // First, so that neither the upstream nor the person is asked about a call that can't run.
        if let Some(outdated) = locked.decider.outdated(&locked.catalog, &locked.row) {
            return self.void(tx, &ApprovalStep::new(&locked, request), &outdated).await;
        }
        if let Some(error) = locked.read_only() {
            let approval = ApprovalStep::new(&locked, request);
            return Ok(self.refuse_step(tx, &approval, Rule::ApprovalMode.as_str(), error));
        }
        match question {
            UpstreamQuestion::Asked(target) => locked.context.upstream_target = target,
            UpstreamQuestion::NotAsked if self.asks_upstream(&locked.row, request) => {
                let call = (locked.row, locked.decider.policy.limits);
                return Ok(DecisionOutcome::AskUpstream(Box::new(call)));
            }
            UpstreamQuestion::NotAsked => {}
        }
        self.approve_locked(tx, &locked, request).await
    }

    async fn approve_locked(
        &self,
        tx: &mut WriteTx,
        locked: &LockedConfirmation<'_>,
        request: &ApproveRequest,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let approval = ApprovalStep::new(locked, request);
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
        let waits_for_phrase = locked.row.status == ConfirmationStatus::AwaitingPhrase;
        match edit {
            Some(_) if waits_for_phrase => Ok(self.refuse_step(tx, &approval, "modify", edit::too_late())),
            Some(edit) if locked.decider.policy.four_eyes => {
                self.replace_confirmation(tx, &approval, edit).await
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
        typed: Option<&str>,
    ) -> Result<DecisionOutcome, EarlyExit> {
        let edited = edit.map(|edit| edit.applied(approval.original));
        let approval = &ApprovalStep { row: edited.as_ref().unwrap_or(approval.original), edit, ..*approval };
        match (ConfirmationLevel::of_waiting(&approval.row.level), approval.row.status) {
            (ConfirmationLevel::Typed, ConfirmationStatus::Pending) => {
                self.require_phrase(tx, approval).await
            }
            (ConfirmationLevel::Typed, _) if typed != Some(confirm::phrase::of(approval.row)) => {
                self.wrong_phrase(tx, approval, typed.is_some()).await
            }
            _ => self.execute(tx, approval).await,
        }
    }

    /// Refuses `remember` if no session grant is possible, and audits the refusal.
    fn check_remember(&self, tx: &mut WriteTx, approval: &ApprovalStep<'_>) -> Option<DecisionOutcome> {
        if !approval.remember {
            return None;
        }
        let meta = approval.catalog.registry().get(&approval.row.action).map(AsRef::as_ref);
        let error = remember::check(approval.row, meta, &approval.decider.policy).err()?;
        Some(self.refuse_step(tx, approval, "remember", error))
    }

    /// Audits a step that is refused and changes nothing.
    fn refuse_step(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        reason: &'static str,
        error: ActionError,
    ) -> DecisionOutcome {
        let audit = DecisionAudit::new(AuditDecision::Invalid, reason, Some(error.code));
        approval.audit(self.ids.as_ref(), tx, approval.row, audit);
        DecisionOutcome::Refused(error)
    }
}
