//! The table `upstream_tools`: the definitions of the tools that MCP servers listed.
//!
//! A tool has one row for each definition that is kept. At most one of them is current; a tool without a current
//! row is not listed by its server any more. A row without a tool stands for a server that was asked and has no
//! other row, so that it differs from one that was never asked. Every change increments
//! `workspaces.toolset_version` in the same transaction, because the definitions decide which pins hold.

mod retention;

use std::collections::{BTreeMap, BTreeSet};

use sqlx::FromRow;
use toolcrib_model::Ts;

use super::toolsets::increment_version;
use crate::backend::{StoreError, Tx, WriteTx};

/// A row of `upstream_tools` without the text of the definition.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct UpstreamToolRow {
    /// The upstream: its name, or `<slug>.<name>` for one that an operator's toolset declares.
    pub upstream: String,
    /// The name of the tool at the server.
    pub tool: String,
    /// The digest of name, text and schemas, as pins write it.
    pub digest: String,
    /// The digest of the schemas alone.
    pub schema_digest: String,
    /// Whether the server listed this definition when it was last asked.
    pub is_current: bool,
    /// When the definition last became the current one.
    #[sqlx(try_from = "i64")]
    pub seen_at: Ts,
}

/// A row of `upstream_tools` with the text of the definition.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct UpstreamDefinitionRow {
    #[sqlx(flatten)]
    pub row: UpstreamToolRow,
    /// The definition as JSON.
    pub definition: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedTool {
    /// The name of the tool at the server.
    pub tool: String,
    /// The digest of name, text and schemas.
    pub digest: String,
    /// The digest of the schemas alone.
    pub schema_digest: String,
    /// The definition as JSON.
    pub definition: String,
}

/// The row of a server that has no other row.
const NO_TOOL: ListedTool = ListedTool {
    tool: String::new(),
    digest: String::new(),
    schema_digest: String::new(),
    definition: String::new(),
};

#[derive(Clone, Debug)]
pub struct ToolListing<'l> {
    /// The upstream, as in [`UpstreamToolRow`].
    pub upstream: &'l str,
    /// The tools, each name once.
    pub tools: &'l [ListedTool],
    /// Whether the list has all tools of the server: then the others are not listed any more.
    pub is_complete: bool,
}

/// Selects the columns of an [`UpstreamToolRow`], and more.
macro_rules! columns {
    ($more:literal, $rest:literal) => {
        concat!(
            "SELECT upstream, tool, digest, schema_digest, is_current, seen_at",
            $more,
            " FROM upstream_tools WHERE workspace_id = $1 ",
            $rest
        )
    };
}

/// Returns the rows of all upstreams of the workspace, ordered by upstream, tool and digest. Also those without a
/// tool.
pub async fn of_workspace(tx: &mut Tx) -> Result<Vec<UpstreamToolRow>, StoreError> {
    const SQL: &str = columns!("", "ORDER BY upstream, tool, digest");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_all(c).await)
}

/// Returns the rows of one upstream, ordered by tool and digest. Also the one without a tool.
pub async fn of_upstream(tx: &mut Tx, upstream: &str) -> Result<Vec<UpstreamToolRow>, StoreError> {
    const SQL: &str = columns!("", "AND upstream = $2 ORDER BY tool, digest");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(upstream)
        .fetch_all(c).await)
}

/// Returns the rows of one upstream with the texts of the definitions, ordered by tool and digest. Not the one
/// without a tool.
pub async fn definitions(tx: &mut Tx, upstream: &str) -> Result<Vec<UpstreamDefinitionRow>, StoreError> {
    const SQL: &str = columns!(", definition", "AND upstream = $2 AND tool <> '' ORDER BY tool, digest");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(upstream)
        .fetch_all(c).await)
}

pub async fn differs(tx: &mut Tx, listing: &ToolListing<'_>) -> Result<bool, StoreError> {
    Ok(!changes(&of_upstream(tx, listing.upstream).await?, listing).is_empty())
}

/// Stores what a server listed. Returns whether anything changed; without a change nothing is written. `pinned` are
/// the definitions that documents pin, as names and digests of tools. [`super::upstreams::lock`] comes first.
///
/// Definitions that are neither current nor pinned are removed, except the newest of each tool that is still
/// listed.
pub async fn store(
    tx: &mut WriteTx,
    listing: &ToolListing<'_>,
    pinned: &BTreeSet<(String, String)>,
    now: Ts,
) -> Result<bool, StoreError> {
    let changes = changes(&of_upstream(tx, listing.upstream).await?, listing);
    if changes.is_empty() {
        return Ok(false);
    }
    for tool in &changes.replaced {
        end_current(tx, listing.upstream, tool).await?;
    }
    for tool in &changes.new {
        insert(tx, listing.upstream, tool, true, now).await?;
    }
    let rows = of_upstream(tx, listing.upstream).await?;
    let removed = retention::superfluous(&rows, pinned);
    for row in &removed {
        remove(tx, row).await?;
    }
    if removed.len() == rows.len() {
        insert(tx, listing.upstream, &NO_TOOL, false, now).await?;
    }
    increment_version(tx).await?;
    Ok(true)
}

#[derive(Debug, Default)]
struct ListingChanges<'l> {
    /// The tools whose current definition is not current any more.
    replaced: Vec<String>,
    /// The definitions that become current.
    new: Vec<&'l ListedTool>,
    /// Whether the server was not asked before.
    is_first: bool,
}

impl ListingChanges<'_> {
    fn is_empty(&self) -> bool {
        self.replaced.is_empty() && self.new.is_empty() && !self.is_first
    }
}

fn changes<'l>(rows: &[UpstreamToolRow], listing: &ToolListing<'l>) -> ListingChanges<'l> {
    let current: BTreeMap<&str, &str> = rows
        .iter()
        .filter(|row| row.is_current)
        .map(|row| (row.tool.as_str(), row.digest.as_str()))
        .collect();
    let is_new = |tool: &&ListedTool| current.get(tool.tool.as_str()) != Some(&tool.digest.as_str());
    let new: Vec<&ListedTool> = listing.tools.iter().filter(is_new).collect();
    let listed: BTreeSet<&str> = listing.tools.iter().map(|tool| tool.tool.as_str()).collect();
    let changed: BTreeSet<&str> = new.iter().map(|tool| tool.tool.as_str()).collect();
    let is_gone = |tool: &str| listing.is_complete && !listed.contains(tool);
    let replaced = current.keys().filter(|tool| is_gone(tool) || changed.contains(**tool));
    ListingChanges {
        replaced: replaced.map(|tool| (*tool).to_owned()).collect(),
        new,
        is_first: listing.is_complete && rows.is_empty(),
    }
}

async fn end_current(tx: &mut WriteTx, upstream: &str, tool: &str) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE upstream_tools SET is_current = FALSE WHERE workspace_id = $1 AND upstream = $2 \
        AND tool = $3 AND is_current = TRUE";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(upstream).bind(tool)
        .execute(c).await.map(|_| ()))
}

async fn insert(
    tx: &mut WriteTx,
    upstream: &str,
    tool: &ListedTool,
    is_current: bool,
    now: Ts,
) -> Result<(), StoreError> {
    // A definition that the server had before becomes current again.
    const SQL: &str = "INSERT INTO upstream_tools (workspace_id, upstream, tool, digest, schema_digest, definition, \
        is_current, seen_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (workspace_id, upstream, tool, digest) \
        DO UPDATE SET is_current = excluded.is_current, seen_at = excluded.seen_at";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(upstream).bind(&tool.tool)
        .bind(&tool.digest).bind(&tool.schema_digest).bind(&tool.definition).bind(is_current)
        .bind(now.as_micros()).execute(c).await.map(|_| ()))
}

async fn remove(tx: &mut WriteTx, row: &UpstreamToolRow) -> Result<(), StoreError> {
    const SQL: &str =
        "DELETE FROM upstream_tools WHERE workspace_id = $1 AND upstream = $2 AND tool = $3 AND digest = $4";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(&row.upstream).bind(&row.tool)
        .bind(&row.digest).execute(c).await.map(|_| ()))
}

/// Deletes all rows of an upstream. Returns how many there were.
pub async fn delete(tx: &mut WriteTx, upstream: &str) -> Result<u64, StoreError> {
    const SQL: &str = "DELETE FROM upstream_tools WHERE workspace_id = $1 AND upstream = $2";
    let deleted = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(upstream).execute(c)
        .await.map(|done| done.rows_affected()))?;
    if deleted > 0 {
        increment_version(tx).await?;
    }
    Ok(deleted)
}
