//! What is asked of an upstream before the transaction of an approval: the target of the call, or a session for it.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_model::Id;
use toolcrib_registry::ConfirmationLevel;
use toolcrib_store::{confirmations, confirmations::ConfirmationRow};

use super::{
    approve::ApproveRequest,
    decider::{DecisionMaker, DecisionMeta},
};
use crate::{base::UpstreamTarget, caller::unavailable, gates::early_exit::EarlyExit, pipeline::Engine};

impl Engine {
    /// Asks the upstream of the call, if the decider may decide it: looks up the target that the confirmation is bound to, or
    /// opens the session of a tool of an MCP server.
    pub(super) async fn ask_before_approval(
        self: &Arc<Self>,
        decider: &DecisionMaker,
        id: Id,
        request: &ApproveRequest,
        meta: &DecisionMeta,
    ) -> Result<Option<UpstreamTarget>, EarlyExit> {
        let context = self.decision_context(meta);
        let (workspace, actor) = decider.actor();
        let (mut tx, access) = self.db.read_with_access(workspace, actor).await.map_err(unavailable)?;
        let row = confirmations::get(&mut tx, id).await?;
        let asked =
            row.filter(|row| row.call.upstream_target.is_some() || self.may_need_session(row, request));
        let allowed = match &asked {
            Some(row) => self.is_decidable(&mut tx, decider, (access.as_ref(), row), &context).await?,
            None => false,
        };
        tx.end().await?;
        let Some(row) = asked.filter(|_| allowed) else { return Ok(None) };
        if row.call.upstream_target.is_none() {
            self.session_of_confirmation(&context, (workspace, &row)).await?;
            return Ok(None);
        }
        let arguments = request.arguments.clone().map(Value::Object);
        Ok(self.target_of_confirmation(&context, (workspace, &row), arguments.as_ref()).await?)
    }

    /// Returns whether the call may run in this step, and is not one of a compiled action.
    fn may_need_session(&self, row: &ConfirmationRow, request: &ApproveRequest) -> bool {
        let is_typed = ConfirmationLevel::of_waiting(&row.level) == ConfirmationLevel::Typed;
        let is_declared = self.catalog().registry().get(&row.action).is_none();
        is_declared && (!is_typed || request.phrase.is_some())
    }
}
