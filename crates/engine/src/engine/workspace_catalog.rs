//! The catalogue of a caller's workspace.

use std::sync::Arc;

use toolcrib_access::{Caller, WorkspacePolicy};
use toolcrib_auth::Authenticated;
use toolcrib_model::{Id, Surface};
use toolcrib_store::{StoreError, Tx, toolsets};

use super::Engine;
use crate::{
    base::ActionError,
    caller::unavailable,
    catalog::{CallerTools, Catalog, workspace_catalogs::CatalogUnavailable},
    limits::LimitState,
};

/// How often a catalogue is looked up whose workspace changes its toolsets meanwhile.
const ATTEMPTS: usize = 3;

/// A caller whose permissions were read from the database, with the catalogue of its workspace.
pub struct AdmittedCaller {
    pub caller: Caller,
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

    /// Returns the catalogue of a workspace at this version of its toolsets. Begins a read only to load it.
    pub(crate) async fn catalog_at(
        &self,
        workspace: Id,
        version: i64,
    ) -> Result<Arc<Catalog>, CatalogUnavailable> {
        if let Some(catalog) = self.catalogs.cached(workspace, version).await {
            return Ok(catalog);
        }
        let mut tx = self.db.read(workspace).await?;
        let catalog = self.catalogs.of(&mut tx, version).await;
        tx.end().await?;
        catalog
    }

    /// Returns the catalogue of the transaction's workspace, at the version of its toolsets that the transaction read
    /// with an access row. A statement is needed only if that is not in memory.
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

fn changing() -> ActionError {
    unavailable(StoreError::Inconsistent("toolsets change too often".to_owned()))
        .hint("send the request again")
}
