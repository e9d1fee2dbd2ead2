//! The catalogues of workspaces: the compiled actions with the declared tools of each workspace.

use std::{collections::HashMap, sync::Arc};

use moka::future::Cache;
use toolcrib_model::{Id, Surface};
use toolcrib_registry::{ActionMeta, DeclaredTools};
use toolcrib_store::{Tx, toolsets, toolsets::ToolsetRow};

use super::{
    Catalog,
    catalog_tool::CatalogTool,
    upstreams::{UpstreamResolver, WorkspaceUpstreams},
    workspace_toolsets,
};
use crate::base::ActionError;

/// An estimate of the bytes in memory for each byte of a stored document. Its own text is dropped; its schemas are kept as
/// JSON values.
const BYTES_PER_DOCUMENT_BYTE: usize = 6;
/// An estimate of the bytes in memory for each tool beside its document: maps, and the tools of an operator's files.
const BYTES_PER_SHARED_TOOL: usize = 1_024;

/// Why a workspace's catalogue can't be had.
#[derive(Debug)]
pub enum CatalogUnavailable {
    /// The workspace's toolsets changed after the caller's row was read. It has to be read again.
    Changed,
    /// The toolsets can't be read.
    Failed(Box<ActionError>),
}

/// The catalogues of workspaces, by the version of their toolsets. Bounded by bytes. Concurrent callers load one
/// catalogue once.
pub struct WorkspaceCatalogs {
    base: Arc<Catalog>,
    /// The catalogue of the workspaces that never changed their toolsets.
    unchanged: Arc<Catalog>,
    loaded: Cache<(Id, i64), Arc<Catalog>>,
}

impl WorkspaceCatalogs {
    /// Makes the catalogues, of which at most `bytes` stay in memory.
    pub fn new(base: Arc<Catalog>, bytes: u64) -> Self {
        let unchanged = Arc::new(with_toolsets(&base, &[], &WorkspaceUpstreams::default()));
        let weigh = |_: &(Id, i64), catalog: &Arc<Catalog>| u32::try_from(catalog.bytes).unwrap_or(u32::MAX);
        Self { base, unchanged, loaded: Cache::builder().max_capacity(bytes).weigher(weigh).build() }
    }

    /// Returns the catalogue without declared tools.
    pub fn base(&self) -> &Arc<Catalog> {
        &self.base
    }

    /// Returns the catalogue of a workspace at this version if it is in memory.
    pub async fn cached(&self, workspace: Id, version: i64) -> Option<Arc<Catalog>> {
        if version == 0 { Some(self.unchanged.clone()) } else { self.loaded.get(&(workspace, version)).await }
    }

    /// Returns the catalogue of the transaction's workspace at this version.
    pub async fn of(&self, tx: &mut Tx, version: i64) -> Result<Arc<Catalog>, CatalogUnavailable> {
        if version == 0 {
            return Ok(self.unchanged.clone());
        }
        let key = (tx.workspace(), version);
        let loaded = self.loaded.try_get_with(key, async {
            let rows = toolsets::list(tx).await.map_err(failed)?;
            let upstreams = WorkspaceUpstreams::read(tx, &self.base.rules)
                .await
                .map_err(|error| CatalogUnavailable::Failed(Box::new(error)))?;
            // All rows are of this version if it is still the current one after they were read.
            if toolsets::version(tx).await.map_err(failed)? != version {
                return Err(CatalogUnavailable::Changed);
            }
            for slug in workspace_toolsets::hidden(&rows, &self.base.rules) {
                tracing::warn!(
                    workspace = %key.0, slug,
                    "a workspace has a toolset with the slug of the operator's, and keeps its own"
                );
            }
            Ok(Arc::new(with_toolsets(&self.base, &rows, &upstreams)))
        });
        loaded.await.map_err(|error| match &*error {
            CatalogUnavailable::Changed => CatalogUnavailable::Changed,
            CatalogUnavailable::Failed(error) => CatalogUnavailable::Failed(error.clone()),
        })
    }
}

impl Catalog {
    /// Returns the catalogue as this surface offers it. Tools that the caller runs do not exist over MCP, whose answers have no
    /// place for them.
    pub fn for_surface(self: &Arc<Self>, surface: Surface) -> Arc<Self> {
        let narrowed = self.over_mcp.as_ref().filter(|_| surface == Surface::Mcp);
        narrowed.unwrap_or(self).clone()
    }
}

fn failed(fault: toolcrib_store::StoreError) -> CatalogUnavailable {
    CatalogUnavailable::Failed(Box::new(fault.into()))
}

/// Returns the catalogue with the workspace's toolsets and those of the operator.
fn with_toolsets(base: &Catalog, rows: &[ToolsetRow], upstreams: &WorkspaceUpstreams) -> Catalog {
    let toolsets = workspace_toolsets::of_rows(rows, upstreams, &base.rules);
    if toolsets.is_empty() {
        return base.clone();
    }
    let resolver = UpstreamResolver::new(&base.rules, upstreams);
    let (mut metas, mut declared) = (Vec::new(), HashMap::new());
    for own in &toolsets {
        for tool in &own.toolset.tools {
            let meta = tool.meta(&own.toolset.slug, own.state(tool));
            let upstream = resolver.resolve(own.source, &own.toolset, &tool.executor);
            declared.insert(meta.spec.name.clone(), CatalogTool::of(tool, upstream));
            metas.push(Arc::new(meta));
        }
    }
    let documents: usize = rows.iter().filter_map(|row| row.document.as_ref()).map(String::len).sum();
    let catalog = Catalog {
        registry: base.registry.with_declared(Arc::new(DeclaredTools::new(metas.iter().cloned()))),
        declared: Arc::new(declared),
        declared_search: Arc::default(),
        bytes: documents * BYTES_PER_DOCUMENT_BYTE + metas.len() * BYTES_PER_SHARED_TOOL,
        ..base.clone()
    };
    let over_mcp = without_client_run(&catalog, &metas).map(Arc::new);
    Catalog { over_mcp, ..catalog }
}

/// Returns the catalogue without the tools that the caller runs; `None` if there are none.
fn without_client_run(catalog: &Catalog, metas: &[Arc<ActionMeta>]) -> Option<Catalog> {
    let is_client_run =
        |meta: &&Arc<ActionMeta>| catalog.declared(&meta.spec.name).is_some_and(CatalogTool::is_client_run);
    let (client, others): (Vec<_>, Vec<_>) = metas.iter().partition(is_client_run);
    if client.is_empty() {
        return None;
    }
    let declared = DeclaredTools::new(others.into_iter().cloned());
    Some(Catalog {
        registry: catalog.registry.with_declared(Arc::new(declared)),
        declared_search: Arc::default(),
        ..catalog.clone()
    })
}
