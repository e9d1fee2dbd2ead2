//! What is asked of an upstream before the transaction of an approval: the target of the call, or a session for it.

use toolcrib_access::Limits;
use toolcrib_registry::ConfirmationLevel;
use toolcrib_store::confirmations::ConfirmationRow;

use super::approval::{ApproveRequest, SentApproval};
use crate::{
    base::{ActionError, UpstreamTarget},
    engine::Engine,
};

/// Whether the upstream of a call was asked.
#[derive(Clone)]
pub(super) enum UpstreamQuestion {
    NotAsked,
    /// With the target that the confirmation is bound to, if it is bound to one.
    Asked(Option<UpstreamTarget>),
}

impl Engine {
    /// Asks the upstream of a call that the decider may decide: looks up the target that the confirmation is bound to, or
    /// opens the session of a tool of an MCP server.
    pub(super) async fn ask_before_approval(
        &self,
        sent: &SentApproval,
        (row, limits): &(ConfirmationRow, Limits),
    ) -> Result<Option<UpstreamTarget>, ActionError> {
        let context = self.decision_context(&sent.meta);
        let (workspace, _) = sent.decider.actor();
        if row.call.upstream_target.is_none() {
            self.session_of_confirmation(&context, (workspace, row)).await?;
            return Ok(None);
        }
        let arguments = sent.request.arguments.clone().map(Into::into);
        self.target_of_confirmation(&context, (workspace, *limits), row, arguments.as_ref()).await
    }

    /// Returns whether the upstream of the call is asked before this step: the confirmation is bound to a target there, or
    /// the call may run in this step and is not one of a compiled action.
    pub(super) fn asks_upstream(&self, row: &ConfirmationRow, request: &ApproveRequest) -> bool {
        let is_typed = ConfirmationLevel::of_waiting(&row.level) == ConfirmationLevel::Typed;
        let is_declared = self.catalog().registry().get(&row.action).is_none();
        row.call.upstream_target.is_some() || is_declared && (!is_typed || request.phrase.is_some())
    }
}
