//! Imports what an MCP server listed last. Does not ask it.

use toolcrib_engine::{ActionError, ReadCx, compute_large};
use toolcrib_import::{McpImportOptions, import_mcp_tools};

use super::{Input, Output, refused};
use crate::admin::server_tools;

/// About how many bytes a list has whose import takes noticeable time.
const LARGE_LIST: usize = 1 << 20;

/// Makes drafts of the tools that the server of this upstream listed last.
pub async fn import(cx: &mut ReadCx<'_>, reference: &str, input: &Input) -> Result<Output, ActionError> {
    let rules = cx.tools.catalog.rules();
    let found = server_tools::read(cx.tx, rules, reference, "/upstream").await?;
    let options = McpImportOptions {
        slug: input.slug.clone(),
        upstream: found.upstream.name.clone(),
        title: None,
        include: input.include.clone(),
        exclude: input.exclude.clone(),
    };
    let tools = found.current();
    if tools.is_empty() {
        return Err(server_tools::nothing_listed(reference, found.was_asked));
    }
    let imported = compute_large(LARGE_LIST, || import_mcp_tools(&tools, &options)).map_err(refused)?;
    Ok(Output::of(&imported.toolset, imported.left_out, imported.notes))
}
