//! What is asked of an upstream before the transaction of an approval: the target of the call, or a session for it.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_access::Limits;
use toolcrib_model::ErrorCode;
use toolcrib_registry::ConfirmationLevel;
use toolcrib_store::{Tx, confirmations::ConfirmationRow};

use super::approval::{ApproveRequest, SentApproval};
use crate::{
    base::{ActionError, UpstreamTarget},
    caller::unavailable,
    confirm::requester_of,
    engine::Engine,
    upstream_requests::{self, CallOfUpstream, NoSession, Runner},
};

/// Whether the upstream of a call was asked.
#[derive(Clone)]
pub(super) enum UpstreamQuestion {
    NotAsked,
    /// With the target that the confirmation is bound to, if it is bound to one.
    Asked(Option<UpstreamTarget>),
}

impl Engine {
    /// Asks the upstream of a call that the decider may decide: looks up the target that the confirmation is bound to,
    /// or opens the session of the call. Without a runner, the gates refuse the call in the approval's transaction;
    /// what a session shows is decided there too.
    pub(super) async fn ask_before_approval(
        &self,
        sent: &SentApproval,
        row: &ConfirmationRow,
        limits: &Limits,
    ) -> Result<Option<UpstreamTarget>, ActionError> {
        let context = self.decision_context(&sent.meta);
        let (workspace, _) = sent.decider.actor();
        let arguments = sent.request.arguments.clone().map(Value::from);
        let mut tx = self.db.read(workspace).await.map_err(unavailable)?;
        let runner = self.runner_of_confirmation(&mut tx, row, arguments).await;
        tx.end().await?;
        let Some(runner) = runner? else { return Ok(None) };
        if row.call.upstream_target.is_some() {
            return self.look_up_target(&context, workspace, limits, runner.as_ref()).await;
        }
        match runner.open_session(self.gate_dependencies().runner_cx(&context)).await {
            Ok(_) | Err(NoSession::Changed | NoSession::Drifted(_)) => Ok(None),
            Err(NoSession::Failed(error)) => Err(error),
        }
    }

    /// Returns the runner of a confirmation's call; `None` if there is none. `arguments` replace those of the
    /// confirmation.
    async fn runner_of_confirmation(
        &self,
        tx: &mut Tx,
        row: &ConfirmationRow,
        arguments: Option<Value>,
    ) -> Result<Option<Arc<dyn Runner>>, ActionError> {
        let catalog = &self.catalog_in(tx).await?;
        let Some(meta) = catalog.registry().get(&row.action) else { return Ok(None) };
        let stored = || serde_json::from_str(&row.call.arguments).unwrap_or_default();
        let arguments = &arguments.unwrap_or_else(stored);
        let caller = &requester_of(row)?.into_caller_without_role();
        match upstream_requests::prepare(tx, CallOfUpstream { catalog, caller, meta, arguments }).await {
            Err(error) if error.code.status() < 500 => Ok(None),
            Err(error)
                if error.code == ErrorCode::ConnectorNotConfigured && row.call.upstream_target.is_none() =>
            {
                Ok(None)
            }
            prepared => prepared,
        }
    }

    /// Returns whether the upstream of the call is asked before this step: the confirmation is bound to a target there,
    /// or the call may run in this step and is not one of a compiled action.
    pub(super) fn asks_upstream(&self, row: &ConfirmationRow, request: &ApproveRequest) -> bool {
        let is_typed = ConfirmationLevel::of_waiting(&row.level) == ConfirmationLevel::Typed;
        let is_declared = self.catalog().registry().get(&row.action).is_none();
        row.call.upstream_target.is_some() || is_declared && (!is_typed || request.phrase.is_some())
    }
}
