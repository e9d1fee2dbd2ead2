//! Sessions with MCP servers. A session belongs to one upstream of a workspace, one owner and one secret, and lasts
//! five minutes. It begins with the list of the server's tools, which is stored before anything is called.

mod address;
mod cache;
mod opening;
mod session;

use std::sync::Arc;

use toolcrib_access::Caller;
use toolcrib_connectors::{mcp_client::LeftOutTool, upstream::UpstreamClient};
use toolcrib_model::{IdGen, Ts};
use toolcrib_store::Db;
use toolcrib_toolset::UpstreamTool;

use super::{Catalog, upstreams::CatalogUpstream};
use crate::base::ActionError;

pub(crate) use address::SessionAddress;
use cache::SessionCache;
pub(crate) use opening::mcp_error;
pub(crate) use session::OpenSession;

/// What an MCP server lists now.
#[derive(Clone, Debug)]
pub struct DiscoveredNow {
    /// The server's name and version, as the server says it.
    pub server: String,
    pub tools: Vec<UpstreamTool>,
    /// The tools that can't be used, each with the reason.
    pub left_out: Vec<LeftOutTool>,
    /// Whether the list ended.
    pub is_complete: bool,
}

pub(crate) struct SessionForCall {
    pub session: Arc<OpenSession>,
    /// Whether it was opened now, and what the server listed differs from what was stored.
    pub has_changed: bool,
}

/// Opens the sessions of this process and keeps them.
pub(crate) struct McpSessions {
    db: Db,
    catalog: Arc<Catalog>,
    ids: Arc<dyn IdGen>,
    client: Arc<UpstreamClient>,
    cache: SessionCache,
}

impl McpSessions {
    pub fn new(db: Db, catalog: Arc<Catalog>, ids: Arc<dyn IdGen>, client: UpstreamClient) -> Self {
        Self { db, catalog, ids, client: Arc::new(client), cache: SessionCache::default() }
    }

    /// Returns the session of this address, if there is one that can be used. Asks nobody.
    pub fn ready(&self, address: &SessionAddress, now: Ts) -> Option<Arc<OpenSession>> {
        self.cache.usable(&address.key(), now)
    }

    /// Returns the session of this address. Opens one if there is none: once for all that wait for it, who also get the
    /// same error.
    pub async fn get(&self, address: &SessionAddress, now: Ts) -> Result<SessionForCall, ActionError> {
        let key = address.key();
        let kept = |session| Ok(SessionForCall { session, has_changed: false });
        if let Some(session) = self.cache.usable(&key, now) {
            return kept(session);
        }
        let slot = self.cache.slot(&key, now);
        let mut attempt = slot.attempt().await;
        if let Some(session) = slot.usable(now) {
            return kept(session);
        }
        if let Some(error) = attempt.failed_meanwhile() {
            return Err(error);
        }
        let opened = self.open(address, now).await.map(|(opened, _)| opened);
        attempt.end(&slot, opened.as_ref().map(|opened| &opened.session));
        opened
    }

    /// Opens a new session, which replaces the one that is kept.
    pub async fn renew(&self, address: &SessionAddress, now: Ts) -> Result<SessionForCall, ActionError> {
        let (opened, _) = self.open(address, now).await?;
        self.cache.slot(&address.key(), now).put(&opened.session);
        Ok(opened)
    }

    /// Asks the server of an upstream now, as the caller's call would, and stores what it lists.
    pub async fn discover(
        &self,
        caller: &Caller,
        upstream: &Arc<CatalogUpstream>,
        now: Ts,
    ) -> Result<DiscoveredNow, ActionError> {
        let mut tx = self.db.read(caller.workspace).await?;
        let address = SessionAddress::read(&mut tx, self.catalog.rules(), caller, upstream).await;
        tx.end().await?;
        let address = address?;
        let (opened, discovered) = self.open(&address, now).await?;
        self.cache.slot(&address.key(), now).put(&opened.session);
        Ok(discovered)
    }
}
