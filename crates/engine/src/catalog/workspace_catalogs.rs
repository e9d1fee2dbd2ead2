//! The catalogues of workspaces: the compiled actions with the declared tools of each workspace.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use moka::{future::Cache, ops::compute::Op};
use toolcrib_model::{Id, Surface};
use toolcrib_registry::{ActionMeta, DeclaredTools, ToolState};
use toolcrib_store::{Tx, toolsets, toolsets::ToolsetRow};
use toolcrib_toolset::{CheckedTool, KnownUpstream, StoredToolset, ToolsetSource};

use super::{
    Catalog, UpstreamPins,
    catalog_tool::CatalogTool,
    upstreams::{UpstreamResolver, WorkspaceUpstreams},
    workspace_toolsets::{self, WorkspaceToolset},
};
use crate::base::{ActionError, compute_large};

/// An estimate of the bytes in memory for each byte of a stored document once all of its tools were called, which keeps
/// their schemas as JSON values, and its search index was built.
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

impl<E: Into<ActionError>> From<E> for CatalogUnavailable {
    fn from(error: E) -> Self {
        Self::Failed(Box::new(error.into()))
    }
}

/// A catalogue at a version of its workspace's toolsets.
#[derive(Clone)]
struct LoadedCatalog {
    version: i64,
    catalog: Arc<Catalog>,
}

impl LoadedCatalog {
    fn at(&self, version: i64) -> Option<Arc<Catalog>> {
        (self.version == version).then(|| self.catalog.clone())
    }
}

/// The catalogues of workspaces, of each the one at the version that was asked for last. Bounded by bytes. Concurrent
/// callers load one catalogue once.
pub struct WorkspaceCatalogs {
    base: Arc<Catalog>,
    /// The catalogue of the workspaces that never changed their toolsets.
    unchanged: Arc<Catalog>,
    loaded: Cache<Id, LoadedCatalog>,
}

impl WorkspaceCatalogs {
    /// Makes the catalogues, of which at most `bytes` stay in memory.
    pub fn new(base: Arc<Catalog>, bytes: u64) -> Self {
        let unchanged = Arc::new(with_toolsets(&base, &[], &WorkspaceUpstreams::default()));
        let weigh = |_: &Id, loaded: &LoadedCatalog| u32::try_from(loaded.catalog.bytes).unwrap_or(u32::MAX);
        Self { base, unchanged, loaded: Cache::builder().max_capacity(bytes).weigher(weigh).build() }
    }

    /// Returns the catalogue without declared tools.
    pub fn base(&self) -> &Arc<Catalog> {
        &self.base
    }

    /// Returns the catalogue of a workspace at this version if it is in memory.
    pub async fn cached(&self, workspace: Id, version: i64) -> Option<Arc<Catalog>> {
        if version == 0 {
            return Some(self.unchanged.clone());
        }
        self.loaded.get(&workspace).await?.at(version)
    }

    /// Returns the catalogue that a workspace had when it was last asked for, or that of the workspaces that changed
    /// nothing. It may be out of date.
    pub async fn last_seen(&self, workspace: Id) -> Arc<Catalog> {
        let loaded = self.loaded.get(&workspace).await;
        loaded.map_or_else(|| self.unchanged.clone(), |loaded| loaded.catalog)
    }

    /// Returns the catalogue of the transaction's workspace at this version.
    pub async fn of(&self, tx: &mut Tx, version: i64) -> Result<Arc<Catalog>, CatalogUnavailable> {
        let workspace = tx.workspace();
        if let Some(catalog) = self.cached(workspace, version).await {
            return Ok(catalog);
        }
        // One caller loads, and the others find what it loaded. Its version takes the place of an older one.
        let mut found = None;
        let load = self.loaded.entry(workspace).and_try_compute_with(|entry| async {
            found = entry.and_then(|entry| entry.value().at(version));
            if found.is_some() {
                return Ok::<_, CatalogUnavailable>(Op::Nop);
            }
            let catalog = found.insert(self.load(tx, version).await?);
            Ok(Op::Put(LoadedCatalog { version, catalog: catalog.clone() }))
        });
        load.await?;
        found.ok_or(CatalogUnavailable::Changed)
    }

    async fn load(&self, tx: &mut Tx, version: i64) -> Result<Arc<Catalog>, CatalogUnavailable> {
        let rows = toolsets::list(tx).await?;
        let upstreams = WorkspaceUpstreams::read(tx, &self.base.rules).await?;
        // All rows are of this version if it is still the current one after they were read.
        if toolsets::version(tx).await? != version {
            return Err(CatalogUnavailable::Changed);
        }
        for slug in workspace_toolsets::hidden(&rows, &self.base.rules) {
            tracing::warn!(
                workspace = %tx.workspace(), slug,
                "a workspace has a toolset with the slug of the operator's, and keeps its own"
            );
        }
        let bytes = document_bytes(&rows);
        Ok(Arc::new(compute_large(bytes, || with_toolsets(&self.base, &rows, &upstreams))))
    }
}

impl Catalog {
    /// Returns the catalogue as this surface offers it. Tools that the caller runs do not exist over MCP, whose answers
    /// have no place for them, and for the assistant, which can't run them.
    pub fn for_surface(self: &Arc<Self>, surface: Surface) -> Arc<Self> {
        let narrowed = self
            .without_client_tools
            .as_ref()
            .filter(|_| matches!(surface, Surface::Mcp | Surface::Assistant));
        narrowed.unwrap_or(self).clone()
    }
}

type ToolsOfToolset = Vec<(Arc<ActionMeta>, CatalogTool)>;

/// Returns a toolset of the workspace: its slug and its tools. `None` for a row that holds the switches of an
/// operator's toolset. The definitions of the tools contain the addresses of the upstreams.
fn own_tools(
    row: &ToolsetRow,
    known: &BTreeMap<String, KnownUpstream>,
    pins: &UpstreamPins,
    resolver: &UpstreamResolver<'_>,
) -> Option<(String, ToolsOfToolset)> {
    let stored = StoredToolset::read(row.document.as_deref()?)?;
    let tools = stored.tools(Some(known)).map(|tool| {
        let tool = tool?;
        let pin = pins.of_tool(ToolsetSource::Workspace, stored.slug(), &tool);
        let state = workspace_toolsets::state(&tool, row.enabled, &row.disabled_tools, pin);
        Some(catalog_tool(&tool, ToolsetSource::Workspace, stored.slug(), state, resolver))
    });
    Some((stored.slug().to_owned(), tools.collect::<Option<_>>()?))
}

fn operators_tools(toolset: &WorkspaceToolset, resolver: &UpstreamResolver<'_>) -> ToolsOfToolset {
    let slug = &toolset.toolset.slug;
    let tool = |tool| catalog_tool(tool, toolset.source, slug, toolset.state(tool), resolver);
    toolset.toolset.tools.iter().map(tool).collect()
}

fn catalog_tool(
    tool: &CheckedTool,
    source: ToolsetSource,
    slug: &str,
    state: ToolState,
    resolver: &UpstreamResolver<'_>,
) -> (Arc<ActionMeta>, CatalogTool) {
    let upstream = resolver.resolve(source, slug, &tool.executor);
    (Arc::new(tool.meta(slug, state)), CatalogTool::of(tool, upstream))
}

/// Returns the catalogue with the workspace's toolsets and those of the operator. Reads one tool after another, so that
/// beside the tools that stay in memory there is one and not all documents.
fn with_toolsets(base: &Catalog, rows: &[ToolsetRow], upstreams: &WorkspaceUpstreams) -> Catalog {
    let (known, resolver) = (upstreams.known(), UpstreamResolver::new(&base.rules, upstreams));
    let own: Vec<(String, ToolsOfToolset)> =
        rows.iter().filter_map(|row| own_tools(row, &known, upstreams.pins(), &resolver)).collect();
    let slugs: Vec<&str> = own.iter().map(|(slug, _)| slug.as_str()).collect();
    let operators: Vec<ToolsOfToolset> =
        workspace_toolsets::of_operator(rows, &slugs, &base.rules, upstreams.pins())
            .map(|toolset| operators_tools(&toolset, &resolver))
            .collect();
    let services = Arc::new(upstreams.services(&base.rules));
    if own.is_empty() && operators.is_empty() {
        return Catalog { services, ..base.clone() };
    }
    let (mut metas, mut declared) = (Vec::new(), HashMap::new());
    for (meta, tool) in operators.into_iter().chain(own.into_iter().map(|(_, tools)| tools)).flatten() {
        declared.insert(meta.spec.name.clone(), tool);
        metas.push(meta);
    }
    let catalog = Catalog {
        registry: base.registry.with_declared(Arc::new(DeclaredTools::new(metas.iter().cloned()))),
        declared: Arc::new(declared),
        services,
        declared_search: Arc::default(),
        bytes: document_bytes(rows) * BYTES_PER_DOCUMENT_BYTE + metas.len() * BYTES_PER_SHARED_TOOL,
        ..base.clone()
    };
    let without_client_tools = without_client_run(&catalog, &metas).map(Arc::new);
    Catalog { without_client_tools, ..catalog }
}

/// Returns the size of the workspace's own documents.
fn document_bytes(rows: &[ToolsetRow]) -> usize {
    rows.iter().filter_map(|row| row.document.as_ref()).map(String::len).sum()
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
