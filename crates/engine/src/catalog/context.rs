//! The contexts of actions: caller, time, ids and transaction. They contain nothing of HTTP, MCP or the
//! settings.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;
use toolcrib_access::{Caller, WorkspacePolicy};
use toolcrib_auth::StoredCaller;
use toolcrib_connectors::upstream::UpstreamClient;
use toolcrib_model::{CallerType, ErrorCode, Id, IdGen, Role, Ts};
use toolcrib_registry::LimitClass;
use toolcrib_store::{AccessRow, ActorIds, Db, EventRow, Tx, WriteTx, keys};

use super::{
    CallerTools,
    mcp_sessions::{DiscoveredNow, McpSessions},
    upstreams::CatalogUpstream,
};
use crate::{
    base::ActionError,
    caller::{CallerClaims, promotions},
    events::emit::{self, NotificationText, Stamp},
    grants::{Grant, Grants, visible_grants},
    limits::{LimitRequest, LimitState, Limited, Limiter},
};

/// The type of a caller whom the assistant acts for in a chat.
const CHAT: &str = "chat";

/// The context of a read. The database refuses writes in its transaction.
pub struct ReadCx<'c> {
    pub caller: &'c Caller,
    pub policy: &'c WorkspacePolicy,
    /// The time of the call.
    pub now: Ts,
    /// The transaction, bound to the caller's workspace.
    pub tx: &'c mut Tx,
    /// The actions that this caller may call.
    pub tools: CallerTools<'c>,
    pub(crate) limiter: &'c dyn Limiter,
    pub(crate) grants: &'c dyn Grants,
}

impl<'c> ReadCx<'c> {
    /// Returns the actions that another caller in this workspace may call, and which of them the workspace promotes for
    /// it.
    pub async fn tools_of(&mut self, caller: &Caller) -> Result<CallerTools<'c>, ActionError> {
        let access = AccessRow::read(self.tx, ActorIds::default()).await?;
        let stored = access.as_ref().and_then(|access| access.promotions.as_deref());
        let promoted = promotions::of_caller(stored, caller)?;
        let policy = WorkspacePolicy { promoted, ..self.policy.clone() };
        Ok(CallerTools::new(self.tools.catalog, caller, &policy))
    }

    /// Returns the session grants that the caller may see, newest first: of a conversation, or of all. 503
    /// `store_unavailable` if they can't be read.
    pub async fn session_grants(&self, session: Option<&str>) -> Result<Vec<Grant>, ActionError> {
        visible_grants(self.grants, self.caller, session).await
    }

    /// Returns the state of the workspace's limit of a class or, if that is tighter, of the caller's share; `None` if
    /// the limiter can't be reached.
    pub async fn left(&self, class: LimitClass) -> Option<LimitState> {
        let request = LimitRequest::of_caller(self.caller, class, &self.policy.limits);
        match self.limiter.peek(request).await {
            Ok(state) | Err(Limited::Exceeded { state, .. }) => Some(state),
            Err(Limited::Unavailable) => None,
        }
    }
}

pub struct WriteCx<'c> {
    pub caller: &'c Caller,
    pub policy: &'c WorkspacePolicy,
    /// The time of the call.
    pub now: Ts,
    /// The source of ids and secrets.
    pub ids: &'c dyn IdGen,
    /// The transaction, bound to the caller's workspace.
    pub tx: &'c mut WriteTx,
    /// The actions that this caller may call.
    pub tools: CallerTools<'c>,
    pub(crate) limiter: &'c dyn Limiter,
    pub(crate) grants: &'c dyn Grants,
    /// Whether the workspace's admins are notified of the call, unless the caller is one of them.
    pub(crate) notifies_admins: bool,
}

impl<'c> WriteCx<'c> {
    /// Returns the caller of this call, to act for them later.
    pub fn stored_caller(&self) -> StoredCaller {
        CallerClaims::of_caller(self.caller).into_stored()
    }

    /// Like [`WriteCx::stored_caller`], to chat for them in a conversation. 403 for a key that may not call as `chat`.
    pub async fn chat_caller(&mut self, session: &str) -> Result<StoredCaller, ActionError> {
        let claims = CallerClaims::of_caller(self.caller);
        if let Some(key) = claims.credential {
            let types = keys::get(self.tx, key).await?.map(|key| key.caller_types).unwrap_or_default();
            let types: Vec<String> = serde_json::from_str(&types).unwrap_or_default();
            if !types.iter().any(|name| name == CHAT) {
                let detail = format!("this key may not call as `{CHAT}`");
                return Err(ActionError::new(ErrorCode::PermissionDenied, detail)
                    .hint("use a key that has it among its `caller_types`"));
            }
        }
        let (caller_type, session) = (CallerType::new(CHAT), Some(session.into()));
        Ok(CallerClaims { caller_type, session, ..claims }.into_stored())
    }

    /// Notifies the workspace's admins of this call. For actions of which only some calls need it; see
    /// [`toolcrib_registry::Spec::notifies_admins`].
    pub fn notify_admins(&mut self) {
        self.notifies_admins = true;
    }

    /// Notifies the workspace's other admins.
    pub async fn notify_other_admins(
        &mut self,
        text: NotificationText,
        data: &Value,
    ) -> Result<(), ActionError> {
        let (stamp, except) = (self.stamp(), self.caller.principal.user());
        Ok(emit::notify_admins(stamp, self.tx, except, text, data).await?)
    }

    /// Returns the caller's role as this transaction reads it. For concurrent changes of access, which run
    /// one after another.
    pub async fn current_role(&mut self) -> Result<Option<Role>, ActionError> {
        let claims = CallerClaims::of_caller(self.caller);
        let access = AccessRow::read(self.tx, claims.actor_ids()).await?;
        Ok(claims.caller(access.as_ref())?.0.role)
    }

    /// Makes an id with the time of the call.
    pub fn new_id(&self) -> Id {
        self.stamp().new_id()
    }

    /// Returns the time of the call and the source of ids, for functions that workers call too.
    pub const fn stamp(&self) -> Stamp<'c> {
        Stamp { ids: self.ids, now: self.now }
    }

    /// Returns the context of a read in the same transaction.
    pub fn reading(&mut self) -> ReadCx<'_> {
        ReadCx {
            caller: self.caller,
            policy: self.policy,
            now: self.now,
            tx: &mut *self.tx,
            tools: self.tools.clone(),
            limiter: self.limiter,
            grants: self.grants,
        }
    }

    /// Emits a domain event, such as `agent.created`, in the transaction. Readers of the event need
    /// `permission`.
    pub fn emit(&mut self, name: &str, permission: &str, data: Value) {
        let row = EventRow {
            session: self.caller.session.as_deref().map(str::to_owned),
            user_id: self.caller.principal.user(),
            ..self.stamp().domain(self.tx.workspace(), name, permission, data)
        };
        self.tx.event(row);
    }
}

/// The context of an action that calls an external service. Has no transaction.
pub struct ExternalCx<'c> {
    pub caller: &'c Caller,
    /// The time of the call.
    pub now: Ts,
    /// The actions that this caller may call.
    pub tools: CallerTools<'c>,
    pub(crate) db: &'c Db,
    pub(crate) client: &'c UpstreamClient,
    pub(crate) mcp_sessions: &'c McpSessions,
}

impl ExternalCx<'_> {
    /// Asks the MCP server of an upstream which tools it has, in a new session, with the secret of the caller's calls.
    /// Stores what is new. Errors as those of a call.
    pub async fn discover(&self, upstream: &Arc<CatalogUpstream>) -> Result<DiscoveredNow, ActionError> {
        self.mcp_sessions.discover(self.caller, upstream, self.now).await
    }

    /// Reads from the caller's workspace before the call of the external service. The read-only transaction
    /// ends before this returns, so that no connection is held while the service responds.
    pub async fn read<T, F>(&self, read: F) -> Result<T, ActionError>
    where
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, ActionError>> + Send,
    {
        let mut tx = self.db.read(self.caller.workspace).await?;
        let found = read(&mut tx).await;
        tx.end().await?;
        found
    }
}
