//! The session of a call of an MCP server's tool. It is opened after the gates and before anything is sent, without a
//! transaction. What its server listed decides again whether the tool is on.

use std::sync::Arc;

use toolcrib_model::ErrorCode;
use toolcrib_store::upstream_tools::{self, UpstreamToolRow};

use super::{
    NoSession, Runner, RunnerCx,
    mcp::McpMessage,
    prepare::{PreparedRequest, UpstreamMessage},
};
use crate::{base::ActionError, caller::unavailable, catalog::mcp_sessions::OpenSession};

/// How the pin of a tool stands against what its server listed when a session began.
#[derive(PartialEq, Eq)]
enum PinInSession {
    /// The definition is the pinned one.
    Equal,
    /// It is another one, with schemas of this digest.
    Other(String),
    /// The server did not list the tool.
    Gone,
}

impl PreparedRequest {
    /// Returns the same request, made in this session.
    pub(super) fn in_session(&self, message: &McpMessage, session: Arc<OpenSession>) -> Arc<dyn Runner> {
        let mut message = Box::new(message.clone());
        message.session = Some(session);
        Arc::new(Self { message: UpstreamMessage::Mcp(message), ..self.clone() })
    }

    pub(super) async fn session(
        &self,
        message: &McpMessage,
        cx: RunnerCx<'_>,
    ) -> Result<Arc<OpenSession>, NoSession> {
        let address = &message.address;
        let mut found = cx.sessions.get(address, cx.now).await.map_err(NoSession::Failed)?;
        if found.has_changed {
            return Err(NoSession::Changed);
        }
        if message.pin_in(&found.session) == PinInSession::Equal {
            return Ok(found.session);
        }
        let pinned = message.pinned_row(cx).await.map_err(NoSession::Failed)?;
        // Another process found the pinned definition after this session began.
        if pinned.as_ref().is_some_and(|row| row.is_current && row.seen_at > found.session.opened_at()) {
            found = cx.sessions.renew(address, cx.now).await.map_err(NoSession::Failed)?;
            if found.has_changed {
                return Err(NoSession::Changed);
            }
        }
        let holds = match message.pin_in(&found.session) {
            PinInSession::Equal => true,
            PinInSession::Other(schemas) => {
                !self.has_effect() && pinned.is_some_and(|row| row.schema_digest == schemas)
            }
            PinInSession::Gone => false,
        };
        if holds { Ok(found.session) } else { Err(NoSession::Drifted(message.drifted())) }
    }
}

impl McpMessage {
    /// Returns the session that is open for exactly the secret of the call.
    pub(super) fn open_session(&self, cx: RunnerCx<'_>) -> Result<Arc<OpenSession>, NoSession> {
        let session = cx.sessions.ready(&self.address, cx.now).ok_or(NoSession::Changed)?;
        match self.pin_in(&session) {
            PinInSession::Equal => Ok(session),
            PinInSession::Other(_) | PinInSession::Gone => Err(NoSession::Drifted(self.drifted())),
        }
    }

    fn pin_in(&self, session: &OpenSession) -> PinInSession {
        match session.tool(&self.tool) {
            None => PinInSession::Gone,
            Some(listed) if listed.digest == self.pin => PinInSession::Equal,
            Some(listed) => PinInSession::Other(listed.schema_digest.clone()),
        }
    }

    /// Returns what is stored of the pinned definition.
    async fn pinned_row(&self, cx: RunnerCx<'_>) -> Result<Option<UpstreamToolRow>, ActionError> {
        let mut tx = cx.db.read(self.address.workspace()).await.map_err(unavailable)?;
        let rows = upstream_tools::of_upstream(&mut tx, &self.address.upstream().reference).await;
        tx.end().await?;
        Ok(rows?.into_iter().find(|row| row.tool == self.tool && row.digest == self.pin))
    }

    /// Makes the error for a tool that is on for the workspace, and that the server of this session defines otherwise
    /// or does not list.
    fn drifted(&self) -> ActionError {
        let detail = format!(
            "`{}` is off for this call: the server does not list it as this workspace accepted it, by its pin",
            self.tool
        );
        ActionError::new(ErrorCode::PermissionDenied, detail)
            .hint("ask a workspace admin to compare the definitions with `GET /v1/upstreams/{name}/tools`")
    }
}
