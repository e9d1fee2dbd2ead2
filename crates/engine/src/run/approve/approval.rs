//! An approval: its request, its steps and its result.
#![deny(missing_docs)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolcrib_access::{Caller, Limits};
use toolcrib_model::{ConfirmationStatus, Id, IdGen};
use toolcrib_registry::{ConfirmationLevel, Format};
use toolcrib_store::{
    AccessRow, WriteTx,
    confirmations::{ConfirmationRow, Transition},
};

use super::edit::Edit;
use crate::{
    base::{ActionError, CallContext, Stage, ToolCall, call},
    catalog::Catalog,
    confirm::{
        ConfirmationView, DecisionAudit, DecisionMeta, TokenText, authorize::AuthorizedDecider,
        decide::LockedConfirmation, decider::Decider, remember::Remember, transition::undecided,
        write_decision,
    },
    declared::started_calls::StartedCall,
    gates::CallKind,
    grants::Grant,
    response::{CallResponse, SummaryLine},
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
    /// Nothing is decided. The upstream of the call is asked first, within these limits of the workspace.
    AskUpstream(Box<(ConfirmationRow, Limits)>),
}

/// An approval as its decider sent it.
pub(super) struct SentApproval {
    pub decider: Decider,
    pub id: Id,
    pub request: ApproveRequest,
    pub meta: DecisionMeta,
}

/// Data for a step of an approval.
#[derive(Clone, Copy)]
pub(super) struct ApprovalStep<'a> {
    pub context: &'a CallContext,
    pub decider: &'a AuthorizedDecider<'a>,
    /// The decider as the audit log names them.
    pub approver: &'a Caller,
    /// The record, including what the approver edits in this step.
    pub row: &'a ConfirmationRow,
    /// The record before this step.
    pub original: &'a ConfirmationRow,
    /// What the approver edits in this step.
    pub edit: Option<&'a Edit>,
    /// Whether the approval creates a session grant.
    pub remember: bool,
    /// The access row of the requester, as the transaction read it.
    pub requester: Option<&'a AccessRow>,
    /// The catalogue of the workspace.
    pub catalog: &'a Catalog,
}

impl<'a> ApprovalStep<'a> {
    /// Returns the step of a request, before its edit is read.
    pub(super) fn new(locked: &'a LockedConfirmation<'_>, request: &ApproveRequest) -> Self {
        let LockedConfirmation { context, decider, row, requester, catalog } = locked;
        Self {
            context,
            decider,
            approver: &decider.caller,
            row,
            original: row,
            edit: None,
            remember: request.remember.is_some(),
            requester: requester.as_ref(),
            catalog,
        }
    }

    /// Returns how the call of the record is executed.
    pub(super) fn kind(&self) -> CallKind {
        let meta = self.catalog.registry().get(&self.row.action);
        meta.map_or(CallKind::Write, |meta| CallKind::of(&meta.spec))
    }

    /// Writes the audit row of the step, for the record as it was shown or edited.
    pub(super) fn audit(
        &self,
        ids: &dyn IdGen,
        tx: &mut WriteTx,
        row: &ConfirmationRow,
        audit: DecisionAudit,
    ) {
        write_decision(self.catalog, ids, tx, self.context, self.approver, row, audit);
    }

    /// Makes a transition by this approver. `replaced` are the arguments before they were edited.
    pub(super) fn step(&self, to: ConfirmationStatus, replaced: Option<&Value>) -> Transition<'static> {
        let approver = self.approver.principal;
        let step = undecided(self.row, self.context, to, Some(approver.id()), replaced);
        Transition { by: approver.user(), ..step }
    }
}

/// Returns the context of the requester's call, bound to what is approved.
pub(super) fn requester_context(
    approval: &ApprovalStep<'_>,
    stage: Stage,
) -> Result<CallContext, ActionError> {
    let row = approval.row;
    let tool_call = match &row.tool_call_id {
        Some(id) => Some(ToolCall { id: id.clone(), format: stored_format(row)? }),
        None => None,
    };
    Ok(CallContext {
        tool_call,
        confirmation: Some(call::ApprovalBinding {
            confirmation_id: row.id,
            call: row.call.clone(),
            level: ConfirmationLevel::of_waiting(&row.level),
            stage,
        }),
        ..approval.context.clone()
    })
}

fn stored_format(row: &ConfirmationRow) -> Result<Format, ActionError> {
    let word = row.tool_format.as_deref().unwrap_or_default();
    word.parse().map_err(|_| ActionError::internal(format!("stored format: `{word}`")))
}
