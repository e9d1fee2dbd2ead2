//! The session of a call of an MCP server's tool. It is opened after the gates and before anything is sent, without a
//! transaction. What its server listed decides again whether the tool is on.

use std::sync::Arc;

use toolcrib_model::{AuditDecision, ErrorCode};
use toolcrib_registry::Level;
use toolcrib_store::upstream_tools::{self, UpstreamToolRow};

use crate::engine::Engine;
use crate::{
    base::{ActionError, CallContext},
    caller::unavailable,
    catalog::mcp_sessions::{OpenSession, SessionAddress},
    gates::{
        confirmation::ConfirmationRequest, early_exit::EarlyExit, limit::WithinLimits, lookup::KnownAction,
    },
    upstream_requests::{PinInSession, PreparedRequest},
};

/// Why a call gets no session.
pub(crate) enum NoSession {
    /// What the server listed, or the secret, differs from what the gates knew.
    Changed,
    /// The session has another definition of the tool than the accepted one.
    Drifted(ActionError),
    /// There is no session.
    Failed(ActionError),
}

impl Engine {
    /// Puts the request of a call into its session, if it needs one. The gates run again if the server's list changed.
    pub(crate) async fn in_session(
        &self,
        context: &CallContext,
        cleared: WithinLimits,
    ) -> Result<WithinLimits, EarlyExit> {
        let Some(request) = cleared.request().cloned() else { return Ok(cleared) };
        match self.session(context, &request, cleared.action().spec().level).await {
            Ok(None) => Ok(cleared),
            Ok(Some(session)) => Ok(cleared.in_session(session)),
            Err(no_session) => Err(no_session.exit(cleared.action())),
        }
    }

    /// Opens the session of a call before a person is asked about it.
    pub(crate) async fn session_of_request(
        &self,
        context: &CallContext,
        request: &ConfirmationRequest,
    ) -> Result<(), EarlyExit> {
        let (Some(prepared), action) = (request.request(), request.action()) else { return Ok(()) };
        let session = self.session(context, prepared, action.spec().level).await;
        session.map(drop).map_err(|no_session| no_session.exit(action))
    }

    /// Returns the session of a request; `None` if it needs none.
    pub(crate) async fn session(
        &self,
        context: &CallContext,
        request: &PreparedRequest,
        level: Level,
    ) -> Result<Option<Arc<OpenSession>>, NoSession> {
        let Some(address) = request.session_address() else { return Ok(None) };
        let mut found = self.mcp_sessions.get(address, context.now).await.map_err(NoSession::Failed)?;
        if found.has_changed {
            return Err(NoSession::Changed);
        }
        if request.pin_in(&found.session) == PinInSession::Equal {
            return Ok(Some(found.session));
        }
        let pinned = self.pinned_row(address, request).await.map_err(NoSession::Failed)?;
        // Another process found the pinned definition after this session began.
        if pinned.as_ref().is_some_and(|row| row.is_current && row.seen_at > found.session.opened_at()) {
            found = self.mcp_sessions.renew(address, context.now).await.map_err(NoSession::Failed)?;
            if found.has_changed {
                return Err(NoSession::Changed);
            }
        }
        let holds = match request.pin_in(&found.session) {
            PinInSession::Equal => true,
            PinInSession::Other(schemas) => {
                level == Level::Read && pinned.is_some_and(|row| row.schema_digest == schemas)
            }
            PinInSession::Gone => false,
        };
        if holds { Ok(Some(found.session)) } else { Err(NoSession::Drifted(drifted(request))) }
    }

    /// Returns what is stored of the pinned definition.
    async fn pinned_row(
        &self,
        address: &SessionAddress,
        request: &PreparedRequest,
    ) -> Result<Option<UpstreamToolRow>, ActionError> {
        let Some((tool, pin)) = request.pinned() else { return Ok(None) };
        let mut tx = self.db.read(address.workspace()).await.map_err(unavailable)?;
        let rows = upstream_tools::of_upstream(&mut tx, &address.upstream().reference).await;
        tx.end().await?;
        Ok(rows?.into_iter().find(|row| row.tool == tool && row.digest == pin))
    }
}

impl NoSession {
    /// Ends the call, or has it looked up again.
    pub(crate) fn exit(self, action: &KnownAction) -> EarlyExit {
        match self {
            Self::Changed => EarlyExit::Retry,
            Self::Drifted(error) => action.clone().refuse(error, AuditDecision::Denied, "enabled"),
            Self::Failed(error) => action.clone().refuse(error, AuditDecision::Invalid, "session"),
        }
    }
}

/// Makes the error for a tool that is on for the workspace, and that the server of this session defines otherwise or does
/// not list.
fn drifted(request: &PreparedRequest) -> ActionError {
    let tool = request.pinned().map(|(tool, _)| tool).unwrap_or_default();
    let detail = format!(
        "`{tool}` is off for this call: the server does not list it as this workspace accepted it, by its pin"
    );
    ActionError::new(ErrorCode::PermissionDenied, detail)
        .hint("ask a workspace admin to compare the definitions with `GET /v1/upstreams/{name}/tools`")
}

impl WithinLimits {
    /// Returns the call in the session that is open for exactly its secret. Asks nobody. For writes: a read may also run
    /// with another text.
    pub(crate) fn in_open_session(self, engine: &Engine, context: &CallContext) -> Result<Self, NoSession> {
        let Some((request, address)) = self.request().and_then(|r| Some((r, r.session_address()?))) else {
            return Ok(self);
        };
        let session = engine.mcp_sessions.ready(address, context.now).ok_or(NoSession::Changed)?;
        if request.pin_in(&session) != PinInSession::Equal {
            return Err(NoSession::Drifted(drifted(request)));
        }
        Ok(self.in_session(session))
    }
}
