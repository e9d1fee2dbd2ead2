//! Tool lists: which tools a request selects, how they fit a token budget, and the rendered bytes.

mod cache;
mod list;
mod query_names;
mod selection;
mod token_budget;

pub(crate) use cache::{ListCache, tag_of};
pub(crate) use list::ToolList;
pub(crate) use query_names::masked;
pub(crate) use selection::choose;

use toolcrib_engine::{ActionError, CallerTools};

use crate::{requests::ListRequest, schema_for::SchemaFor};

/// Returns the tool list of a caller without serving HTTP. `asked` has the fields of `POST /v1/tools`.
pub fn tool_list(
    tools: &CallerTools<'_>,
    asked: serde_json::Value,
) -> Result<serde_json::Value, ActionError> {
    let asked: ListRequest = SchemaFor::default().read(asked)?;
    let choice = selection::choose(tools, &asked);
    let (rendered, left_out) = token_budget::fit(tools.catalog, &choice)?;
    let list = list::list(tools.catalog, &choice, rendered, &left_out);
    serde_json::to_value(list).map_err(|fault| ActionError::internal(fault.to_string()))
}
