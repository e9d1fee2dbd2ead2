//! What an action sees: its caller, the time, ids and its transaction; nothing of HTTP, MCP or settings.

use futures_util::future::BoxFuture;
use serde_json::Value;
use toolcrib_access::{Caller, WorkspacePolicy};
use toolcrib_model::{Id, IdGen, Role, Ts};
use toolcrib_registry::LimitClass;
use toolcrib_store::{AccessRow, Db, EventRow, Tx, WriteTx};

use super::CallerTools;
use crate::{
    base::ActionError,
    caller::CallerClaims,
    events::emit,
    limits::{LimitState, Limited, Limiter, of_workspace},
};

/// The context of a read. The database refuses writes in its transaction.
pub struct ReadCx<'c> {
    /// Who calls.
    pub caller: &'c Caller,
    /// What the workspace decided.
    pub policy: &'c WorkspacePolicy,
    /// The time of the call.
    pub now: Ts,
    /// The transaction, bound to the caller's workspace.
    pub tx: &'c mut Tx,
    /// The actions that this caller may call.
    pub tools: CallerTools<'c>,
    pub(crate) limiter: &'c dyn Limiter,
}

impl ReadCx<'_> {
    /// What the workspace may still spend of a class; `None` where the limiter can't be asked.
    pub async fn left(&self, class: LimitClass) -> Option<LimitState> {
        let request = of_workspace(self.caller.workspace, class, &self.policy.limits);
        match self.limiter.peek(request).await {
            Ok(state) | Err(Limited::Exceeded { state, .. }) => Some(state),
            Err(Limited::Unavailable) => None,
        }
    }
}

/// The context of a write.
pub struct WriteCx<'c> {
    /// Who calls.
    pub caller: &'c Caller,
    /// What the workspace decided.
    pub policy: &'c WorkspacePolicy,
    /// The time of the call.
    pub now: Ts,
    /// Makes ids and secrets.
    pub ids: &'c dyn IdGen,
    /// The transaction, bound to the caller's workspace.
    pub tx: &'c mut WriteTx,
    /// The actions that this caller may call.
    pub tools: CallerTools<'c>,
    pub(crate) limiter: &'c dyn Limiter,
    /// The workspace's admins hear of it, unless the caller is one.
    pub(crate) tells_admins: bool,
}

impl WriteCx<'_> {
    /// Has the workspace's admins told of this call, where not every call of the action is worth it: see
    /// [`toolcrib_registry::Spec::notifies_admins`].
    pub fn tell_admins(&mut self) {
        self.tells_admins = true;
    }

    /// Tells the workspace's other admins: a kind of notification, one line, and the rest in plain text.
    pub async fn notify_other_admins(
        &mut self,
        words: (&'static str, String, String),
        data: &Value,
    ) -> Result<(), ActionError> {
        let stamp = emit::Stamp { ids: self.ids, now: self.now };
        let except = self.caller.principal.user();
        Ok(emit::other_admins(stamp, self.tx, except, words, data).await?)
    }

    /// The caller's role as this transaction sees it: for changes of access that wait for each other.
    pub async fn current_role(&mut self) -> Result<Option<Role>, ActionError> {
        let claims = CallerClaims::of_caller(self.caller);
        let access = AccessRow::read(self.tx, claims.who()).await?;
        Ok(claims.caller(access.as_ref())?.0.role)
    }

    /// A new id at the time of the call.
    pub fn new_id(&self) -> Id {
        self.ids.new_id(self.now)
    }

    /// The same transaction for functions that only read.
    pub fn reading(&mut self) -> ReadCx<'_> {
        ReadCx {
            caller: self.caller,
            policy: self.policy,
            now: self.now,
            tx: &mut *self.tx,
            tools: self.tools,
            limiter: self.limiter,
        }
    }

    /// Writes a domain event, such as `agent.created`, in the effect's commit. Readers need `permission`.
    pub fn emit(&mut self, name: &str, permission: &str, data: Value) {
        let row = EventRow {
            workspace_id: self.tx.workspace(),
            id: self.new_id(),
            name: name.to_owned(),
            kind: "domain",
            session: self.caller.session.as_deref().map(str::to_owned),
            user_id: self.caller.principal.user(),
            permission: Some(permission.to_owned()),
            data,
            occurred_at: self.now,
        };
        self.tx.event(row);
    }
}

/// The context of an action that asks an outside service: no transaction.
pub struct ExternalCx<'c> {
    /// Who calls.
    pub caller: &'c Caller,
    /// The time of the call.
    pub now: Ts,
    /// The actions that this caller may call.
    pub tools: CallerTools<'c>,
    pub(crate) db: &'c Db,
}

impl ExternalCx<'_> {
    /// Looks something up in the caller's workspace before the outside service is asked. The transaction, which is
    /// read-only, ends before this returns: nothing is held while the service takes its time.
    pub async fn look<T, F>(&self, look: F) -> Result<T, ActionError>
    where
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, ActionError>> + Send,
    {
        let mut tx = self.db.read(self.caller.workspace).await?;
        let found = look(&mut tx).await;
        tx.end().await?;
        found
    }
}
