//! Who runs an external call. Whatever starts, sends and records such a call knows no more of it than [`Runner`].

use std::{sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use toolcrib_connectors::upstream::UpstreamClient;
use toolcrib_model::{ExecutorKind, Id, Ts};
use toolcrib_store::Db;

use super::{EffectRunner, UpstreamEnd};
use crate::{
    base::{ActionError, UpstreamTarget},
    catalog::mcp_sessions::McpSessions,
};

/// Runs one call elsewhere. It is made in the transaction that admits the call, and has what it needs of the database.
pub(crate) trait Runner: Send + Sync {
    /// Returns what runs the call, as its rows name it.
    fn executor(&self) -> ExecutorKind;

    /// Returns the time limit of the request.
    fn timeout(&self) -> Duration;

    /// Returns whether a person confirms the call for a target that is looked up first.
    fn has_target(&self) -> bool;

    /// Looks up the target of the call.
    fn target<'a>(&'a self, cx: RunnerCx<'a>) -> BoxFuture<'a, Result<UpstreamTarget, ActionError>>;

    /// Opens the session in which the request is sent, if it needs one. Asks the upstream, so no transaction may be
    /// open.
    fn open_session(self: Arc<Self>, cx: RunnerCx<'_>) -> BoxFuture<'_, Result<Arc<dyn Runner>, NoSession>>;

    /// Takes the session that is open for exactly the secret of the request. Asks nobody. For writes: a read may also
    /// run with another text.
    fn in_open_session(self: Arc<Self>, cx: RunnerCx<'_>) -> Result<Arc<dyn Runner>, NoSession>;

    fn with_target(self: Arc<Self>, target: &UpstreamTarget) -> Arc<dyn Runner>;

    /// Returns the runner of a compiled effect. Its target is looked up for each call, also if nobody is asked.
    fn effect(&self) -> Option<&EffectRunner> {
        None
    }

    /// Sends the request, once.
    fn send<'a>(&'a self, cx: RunnerCx<'a>) -> BoxFuture<'a, UpstreamEnd>;
}

/// The call that a runner runs, and what it uses of this process.
#[derive(Clone, Copy)]
pub(crate) struct RunnerCx<'c> {
    pub db: &'c Db,
    pub client: &'c UpstreamClient,
    pub sessions: &'c McpSessions,
    pub call_id: Id,
    pub trace_id: Option<&'c str>,
    /// The time of the call.
    pub now: Ts,
}

/// Why a call gets no session.
pub(crate) enum NoSession {
    /// What the server listed, or the secret, differs from what the gates knew.
    Changed,
    /// The session has another definition of the tool than the accepted one.
    Drifted(ActionError),
    /// There is no session.
    Failed(ActionError),
}
