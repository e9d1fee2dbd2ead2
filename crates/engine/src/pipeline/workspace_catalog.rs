//! The catalogue of a caller's workspace, for lists, searches, and the kind of a call.

use std::sync::Arc;

use toolcrib_access::{Caller, WorkspacePolicy};
use toolcrib_auth::Authenticated;
use toolcrib_model::{Id, Surface};
use toolcrib_registry::{ActionKind, ActionMeta, Dispatcher};
use toolcrib_store::{Tx, toolsets};

use super::Engine;
use crate::{
    base::{ActionError, CallContext},
    caller::{CallerClaims, unavailable},
    catalog::{CallerTools, Catalog, workspace_catalogs::CatalogUnavailable},
    gates::{
        CallKind,
        dispatch::{self, Dispatch},
        early_exit::EarlyExit,
        parse::Parsed,
    },
    limits::LimitState,
};

/// How often a catalogue is looked up whose workspace changes its toolsets meanwhile.
const ATTEMPTS: usize = 3;

/// A caller whose permissions were read from the database, with the catalogue of its workspace.
pub struct AdmittedCaller {
    pub caller: Caller,
    /// The workspace policy.
    pub policy: WorkspacePolicy,
    /// The compiled actions and the declared tools of the workspace.
    pub catalog: Arc<Catalog>,
}

impl AdmittedCaller {
    /// Returns the actions that the caller may call.
    pub fn tools(&self) -> CallerTools<'_> {
        CallerTools::new(&self.catalog, &self.caller, &self.policy)
    }
}

/// How a call is executed.
pub(super) struct Execution {
    pub kind: CallKind,
    /// The time limit of the action.
    pub seconds: u32,
    /// Whether the call needs no workspace.
    pub workspace_optional: bool,
}

impl Execution {
    /// A call that is refused in a read.
    const REFUSED: Self = Self { kind: CallKind::Read, seconds: 0, workspace_optional: false };

    fn of(meta: &ActionMeta) -> Self {
        let spec = &meta.spec;
        Self {
            kind: CallKind::of(spec),
            seconds: u32::from(spec.timeout_seconds),
            workspace_optional: spec.kind == ActionKind::Operation
                && (spec.open || spec.system_scope.is_some()),
        }
    }
}

impl Engine {
    /// Runs gate 3 only, and finds the catalogue of the caller's workspace.
    pub async fn admit_with_catalog(
        &self,
        authenticated: &Authenticated,
        surface: Surface,
    ) -> Result<AdmittedCaller, ActionError> {
        for _ in 0..ATTEMPTS {
            let (caller, policy) = self.admit(authenticated).await?;
            match self.catalog_at(caller.workspace, policy.toolset_version).await {
                Ok(catalog) => {
                    return Ok(AdmittedCaller { caller, policy, catalog: catalog.for_surface(surface) });
                }
                Err(CatalogUnavailable::Changed) => {}
                Err(CatalogUnavailable::Failed(error)) => return Err(*error),
            }
        }
        Err(changing())
    }

    /// Like [`Engine::admit_with_catalog`], for tool lists and searches. Counts one list request of the principal.
    pub async fn admit_list(
        &self,
        authenticated: &Authenticated,
        surface: Surface,
    ) -> Result<(AdmittedCaller, LimitState), ActionError> {
        let admitted = self.admit_with_catalog(authenticated, surface).await?;
        let state = self.spend_list(&admitted.caller.principal).await?;
        Ok((admitted, state))
    }

    /// Returns how a call is executed that names a compiled action exactly, directly or through a dispatcher; `None` for the
    /// others, which may mean a declared tool.
    pub(super) fn exact_execution(&self, context: &CallContext, parsed: &Parsed) -> Option<Execution> {
        let named = match Dispatcher::parse(parsed.name()) {
            Some(_) => parsed.arguments().get("action")?.as_str()?,
            None => parsed.name(),
        };
        // Without this look-up, the name of a declared tool would be compared with all names for its likeness.
        self.catalog().registry().get(named)?;
        let Dispatch::Action(call) = dispatch::resolve_dispatch(self.catalog(), context, parsed) else {
            return None;
        };
        (*call.meta.spec.name == *named).then(|| Execution::of(&call.meta))
    }

    /// Returns how a call is executed, judged by the catalogue of the workspace. The first attempt judges by the one that the
    /// workspace had last, without a look at the database: the gates find a kind that is out of date, and the call is
    /// attempted again.
    pub(super) async fn execution(
        &self,
        context: &CallContext,
        claims: &CallerClaims,
        (parsed, is_first): (&Parsed, bool),
    ) -> Result<Execution, EarlyExit> {
        if is_first {
            let catalog = self.catalogs.last_seen(claims.workspace).await;
            if let Some(execution) = execution_in(&catalog, context, parsed) {
                return Ok(execution);
            }
        }
        let access = self.db.access_row(claims.workspace, claims.actor_ids()).await.map_err(unavailable)?;
        // Without a workspace, gate 3 refuses the call.
        let Some(access) = access else { return Ok(Execution::REFUSED) };
        let catalog = self.catalog_at(claims.workspace, access.toolset_version).await?;
        Ok(execution_in(&catalog, context, parsed).unwrap_or(Execution::REFUSED))
    }

    /// Returns the catalogue of a workspace at this version of its toolsets. Begins a read only to load it.
    async fn catalog_at(&self, workspace: Id, version: i64) -> Result<Arc<Catalog>, CatalogUnavailable> {
        if let Some(catalog) = self.catalogs.cached(workspace, version).await {
            return Ok(catalog);
        }
        let failed = |error: toolcrib_store::StoreError| CatalogUnavailable::Failed(Box::new(error.into()));
        let mut tx = self.db.read(workspace).await.map_err(failed)?;
        let catalog = self.catalogs.of(&mut tx, version).await;
        tx.end().await.map_err(failed)?;
        catalog
    }
}

impl Engine {
    /// Returns the catalogue of the transaction's workspace, at the version of its toolsets that the transaction read with
    /// an access row. A statement is needed only if that is not in memory.
    pub(crate) async fn catalog_of(
        &self,
        tx: &mut Tx,
        toolset_version: i64,
    ) -> Result<Arc<Catalog>, ActionError> {
        match self.catalogs.cached(tx.workspace(), toolset_version).await {
            Some(catalog) => Ok(catalog),
            None => self.catalog_in(tx).await,
        }
    }

    /// Returns the catalogue of the transaction's workspace.
    pub(crate) async fn catalog_in(&self, tx: &mut Tx) -> Result<Arc<Catalog>, ActionError> {
        for _ in 0..ATTEMPTS {
            let version = toolsets::version(tx).await?;
            match self.catalogs.of(tx, version).await {
                Ok(catalog) => return Ok(catalog),
                Err(CatalogUnavailable::Changed) => {}
                Err(CatalogUnavailable::Failed(error)) => return Err(*error),
            }
        }
        Err(changing())
    }
}

/// Returns how a call is executed; `None` for a name without an action.
fn execution_in(catalog: &Arc<Catalog>, context: &CallContext, parsed: &Parsed) -> Option<Execution> {
    match dispatch::resolve_dispatch(&catalog.for_surface(context.surface), context, parsed) {
        Dispatch::Action(call) => Some(Execution::of(&call.meta)),
        Dispatch::Unknown { .. } | Dispatch::Malformed(..) => None,
    }
}

fn changing() -> ActionError {
    let mut error =
        unavailable(toolcrib_store::StoreError::Inconsistent("toolsets change too often".to_owned()));
    error.hint = Some("send the request again".to_owned());
    error
}
