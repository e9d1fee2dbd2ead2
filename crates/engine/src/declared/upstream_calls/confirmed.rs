//! The call of a confirmation, as an upstream is asked before the approval's transaction.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_access::Caller;
use toolcrib_model::{ErrorCode, Id};
use toolcrib_registry::{ActionMeta, Level};
use toolcrib_store::{Tx, confirmations::ConfirmationRow};

use crate::{
    base::{ActionError, CallContext},
    caller::unavailable,
    catalog::Catalog,
    confirm::requester_of,
    declared::upstream_calls::session::NoSession,
    engine::Engine,
    upstream_requests::{self, CallOfUpstream, PreparedRequest},
};

/// The call of a confirmation.
pub(super) struct ConfirmedCall {
    catalog: Arc<Catalog>,
    meta: Arc<ActionMeta>,
    caller: Caller,
    arguments: Value,
}

impl ConfirmedCall {
    /// Returns what a request needs of the call.
    pub fn call(&self) -> CallOfUpstream<'_> {
        CallOfUpstream {
            catalog: &self.catalog,
            caller: &self.caller,
            meta: &self.meta,
            arguments: &self.arguments,
        }
    }
}

impl Engine {
    /// Returns the call of a confirmation; `None` if its action is gone. `arguments` replace those of the confirmation.
    pub(super) async fn confirmed_call(
        &self,
        tx: &mut Tx,
        row: &ConfirmationRow,
        arguments: Option<&Value>,
    ) -> Result<Option<ConfirmedCall>, ActionError> {
        let catalog = self.catalog_in(tx).await?;
        let Some(meta) = catalog.registry().get(&row.action).cloned() else { return Ok(None) };
        let arguments = match arguments {
            Some(arguments) => arguments.clone(),
            None => serde_json::from_str(&row.call.arguments).unwrap_or_default(),
        };
        let caller = requester_of(row)?.into_caller_without_role();
        Ok(Some(ConfirmedCall { catalog, meta, caller, arguments }))
    }

    /// Opens the session of the call that is approved, if an MCP server runs its tool. What the server lists is decided by the
    /// gates, which run in the approval's transaction.
    pub(crate) async fn session_of_confirmation(
        &self,
        context: &CallContext,
        (workspace, row): (Id, &ConfirmationRow),
    ) -> Result<(), ActionError> {
        let mut tx = self.db.read(workspace).await.map_err(unavailable)?;
        let prepared = self.prepare_confirmed_call(&mut tx, row).await;
        tx.end().await?;
        let Some((request, level)) = prepared? else { return Ok(()) };
        match self.session(context, &request, level).await {
            Ok(_) | Err(NoSession::Changed | NoSession::Drifted(_)) => Ok(()),
            Err(NoSession::Failed(error)) => Err(error),
        }
    }

    async fn prepare_confirmed_call(
        &self,
        tx: &mut Tx,
        row: &ConfirmationRow,
    ) -> Result<Option<(PreparedRequest, Level)>, ActionError> {
        let Some(confirmed) = self.confirmed_call(tx, row, None).await? else { return Ok(None) };
        let level = confirmed.meta.spec.level;
        match upstream_requests::prepare(tx, confirmed.call()).await {
            Ok(request) => Ok(request.map(|request| (request, level))),
            Err(error) if error.code.status() >= 500 && error.code != ErrorCode::ConnectorNotConfigured => {
                Err(error)
            }
            // The gates refuse it.
            Err(_) => Ok(None),
        }
    }
}
