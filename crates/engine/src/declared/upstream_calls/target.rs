//! Looks up the target of a call with its upstream: before a person is asked, and again before the approval's transaction.

use serde_json::Value;
use toolcrib_access::Limits;
use toolcrib_model::{AuditDecision, Id};
use toolcrib_registry::LimitClass;
use toolcrib_store::{Tx, confirmations::ConfirmationRow};

use super::confirmed::ConfirmedCall;
use crate::{
    base::{ActionError, CallContext, UpstreamTarget},
    caller::unavailable,
    engine::Engine,
    gates::{confirmation::ConfirmationRequest, early_exit::EarlyExit},
    limits::{LimitRequest, Limited, exceeded, not_asked, of_workspace},
    upstream_requests::{self, CallOfUpstream, PreparedRequest, RequestOfCall},
};

impl Engine {
    /// Returns the target of a call that a person will be asked about; `None` if its tool has none, or if it was looked up.
    pub(crate) async fn target_of_request(
        &self,
        context: &CallContext,
        request: &ConfirmationRequest,
    ) -> Result<Option<UpstreamTarget>, EarlyExit> {
        if context.upstream_target.is_some() {
            return Ok(None);
        }
        let action = request.action();
        let mut tx = self.db.read(action.subject().caller.workspace).await.map_err(unavailable)?;
        let prepared = upstream_requests::prepare_target(&mut tx, action.of_upstream()).await;
        tx.end().await?;
        let bucket =
            of_workspace(action.subject().caller.workspace, LimitClass::External, &action.policy().limits);
        let found = match prepared {
            Ok(None) => return Ok(None),
            Ok(Some(prepared)) => {
                self.ask_for_target(context, (&prepared, bucket), action.of_upstream()).await
            }
            Err(error) => Err(error),
        };
        found.map(Some).map_err(|error| action.clone().refuse(error, AuditDecision::Invalid, "target"))
    }

    /// Returns the target of the call that is approved, as the upstream knows it now; `None` if its tool has none any
    /// more. `arguments` replace those of the confirmation.
    pub(crate) async fn target_of_confirmation(
        &self,
        context: &CallContext,
        (workspace, limits): (Id, Limits),
        row: &ConfirmationRow,
        arguments: Option<&Value>,
    ) -> Result<Option<UpstreamTarget>, ActionError> {
        let mut tx = self.db.read(workspace).await.map_err(unavailable)?;
        let prepared = self.prepare_confirmed_target(&mut tx, row, arguments).await;
        tx.end().await?;
        let Some((confirmed, prepared)) = prepared? else { return Ok(None) };
        let bucket = of_workspace(workspace, LimitClass::External, &limits);
        self.ask_for_target(context, (&prepared, bucket), confirmed.call()).await.map(Some)
    }

    async fn prepare_confirmed_target(
        &self,
        tx: &mut Tx,
        row: &ConfirmationRow,
        arguments: Option<&Value>,
    ) -> Result<Option<(ConfirmedCall, PreparedRequest)>, ActionError> {
        let Some(confirmed) = self.confirmed_call(tx, row, arguments).await? else { return Ok(None) };
        let prepared = upstream_requests::prepare_target(tx, confirmed.call()).await?;
        Ok(prepared.map(|prepared| (confirmed, prepared)))
    }

    async fn ask_for_target(
        &self,
        context: &CallContext,
        (prepared, bucket): (&PreparedRequest, LimitRequest),
        call: CallOfUpstream<'_>,
    ) -> Result<UpstreamTarget, ActionError> {
        match self.limiter.spend(bucket).await {
            Ok(_) => {}
            Err(Limited::Exceeded { state, retry_after }) => {
                return Err(exceeded(LimitClass::External, state.limit, retry_after));
            }
            Err(Limited::Unavailable) => return Err(not_asked()),
        }
        let of_call = RequestOfCall { call_id: context.call_id, trace_id: context.trace_id.as_deref() };
        upstream_requests::read_target(&self.settings.upstream_client, prepared, of_call, call).await
    }
}
