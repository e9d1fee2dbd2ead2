//! An open session.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::runtime::Handle;
use toolcrib_connectors::{
    mcp_client::{McpCall, McpError, McpResult, McpSession, ParameterHeader},
    upstream::UpstreamClient,
};
use toolcrib_model::Ts;

use super::SessionAddress;

/// How long a session lasts, in seconds.
const LIFETIME_SECONDS: i64 = 300;

/// A tool as the server listed it when the session began.
pub(crate) struct SessionTool {
    pub digest: String,
    pub schema_digest: String,
    pub headers: Vec<ParameterHeader>,
}

/// An open session. It ends with the server when nobody uses it any more.
pub(crate) struct OpenSession {
    pub(super) session: Arc<McpSession>,
    pub(super) address: SessionAddress,
    pub(super) client: Arc<UpstreamClient>,
    pub(super) tools: HashMap<String, SessionTool>,
    pub(super) opened_at: Ts,
    /// Whether the server said that it does not know the session any more.
    pub(super) has_ended: AtomicBool,
}

impl OpenSession {
    /// Returns the tool with this name at the server, if the server listed it.
    pub fn tool(&self, name: &str) -> Option<&SessionTool> {
        self.tools.get(name)
    }

    pub fn opened_at(&self) -> Ts {
        self.opened_at
    }

    /// Calls a tool, once. If the session has ended, it is not used again.
    pub async fn call(&self, call: McpCall<'_>) -> Result<McpResult, McpError> {
        let result = self.session.call_tool(&self.address.endpoint(&self.client), call).await;
        if matches!(result, Err(McpError::SessionEnded)) {
            self.has_ended.store(true, Ordering::Relaxed);
        }
        result
    }

    /// Returns whether calls can be made in it.
    pub fn is_usable(&self, now: Ts) -> bool {
        now < self.opened_at.plus_seconds(LIFETIME_SECONDS) && !self.has_ended.load(Ordering::Relaxed)
    }
}

impl Drop for OpenSession {
    fn drop(&mut self) {
        if !self.session.has_id() || self.has_ended.load(Ordering::Relaxed) {
            return;
        }
        // Without a runtime the process ends; the server forgets the session later.
        if let Ok(runtime) = Handle::try_current() {
            let (session, client, address) =
                (self.session.clone(), self.client.clone(), self.address.clone());
            runtime.spawn(async move { session.close(&address.endpoint(&client)).await });
        }
    }
}

impl fmt::Debug for OpenSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenSession").field("session", &self.session).finish_non_exhaustive()
    }
}
