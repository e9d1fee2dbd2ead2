//! Finds the kind of a call ([`CallKind`]) before its transaction begins.

use std::sync::Arc;

use toolcrib_registry::{ActionKind, ActionMeta, Dispatcher};

use crate::{
    base::CallContext,
    caller::{CallerClaims, unavailable},
    catalog::Catalog,
    engine::Engine,
    gates::{
        CallKind,
        dispatch::{self, Dispatch},
        early_exit::EarlyExit,
        parse::Parsed,
    },
};

/// What the start of a call depends on.
pub(super) struct CallPlan {
    pub kind: CallKind,
    /// The time limit of the action.
    pub seconds: u32,
    /// Whether the call needs no workspace.
    pub workspace_optional: bool,
}

impl CallPlan {
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
    /// Returns how a call is executed that names a compiled action exactly, directly or through a dispatcher; `None`
    /// for the others, which may mean a declared tool.
    pub(super) fn exact_plan(&self, context: &CallContext, parsed: &Parsed) -> Option<CallPlan> {
        let named = match Dispatcher::parse(parsed.name()) {
            Some(_) => parsed.arguments().get("action")?.as_str()?,
            None => parsed.name(),
        };
        // Without this look-up, the name of a declared tool would be compared with all names for its likeness.
        self.catalog().registry().get(named)?;
        let Dispatch::Action(call) = dispatch::resolve_dispatch(self.catalog(), context, parsed) else {
            return None;
        };
        (*call.meta.spec.name == *named).then(|| CallPlan::of(&call.meta))
    }

    /// Returns how a call is executed, by the catalogue of the workspace. The first attempt uses the one
    /// that the workspace had last, without a look at the database: the gates find a kind that is out of date, and the
    /// call is attempted again.
    pub(super) async fn plan_of(
        &self,
        context: &CallContext,
        claims: &CallerClaims,
        parsed: &Parsed,
        is_first: bool,
    ) -> Result<CallPlan, EarlyExit> {
        if is_first {
            let catalog = self.catalogs.last_seen(claims.workspace).await;
            if let Some(plan) = plan_in(&catalog, context, parsed) {
                return Ok(plan);
            }
        }
        let access = self.db.access_row(claims.workspace, claims.actor_ids()).await.map_err(unavailable)?;
        // Without a workspace, gate 3 refuses the call.
        let Some(access) = access else { return Ok(CallPlan::REFUSED) };
        let catalog = self.catalog_at(claims.workspace, access.toolset_version).await?;
        Ok(plan_in(&catalog, context, parsed).unwrap_or(CallPlan::REFUSED))
    }
}

/// Returns how a call is executed; `None` for a name without an action.
fn plan_in(catalog: &Arc<Catalog>, context: &CallContext, parsed: &Parsed) -> Option<CallPlan> {
    match dispatch::resolve_dispatch(&catalog.for_surface(context.surface), context, parsed) {
        Dispatch::Action(call) => Some(CallPlan::of(&call.meta)),
        Dispatch::Unknown { .. } | Dispatch::Malformed(..) => None,
    }
}
