//! Tool lists: which tools a request selects, how they fit a token budget, and the rendered bytes.

mod cache;
mod list;
mod plan;
mod query_names;
mod selection;
mod token_budget;

pub(crate) use cache::{CachedList, ListBody, ListCache, tag_of};
pub(crate) use list::ToolList;
pub(crate) use plan::ListPlan;
pub(crate) use query_names::masked;

use toolcrib_engine::{ActionError, CallerTools};

use crate::{requests::ListRequest, schema_for::SchemaFor};

/// Returns the tool list of a caller without serving HTTP. `asked` has the fields of `POST /v1/tools`.
pub fn tool_list(
    tools: &CallerTools<'_>,
    asked: serde_json::Value,
) -> Result<serde_json::Value, ActionError> {
    let asked: ListRequest = SchemaFor::default().read(asked)?;
    let list = cache::tool_list_of(tools, &ListPlan::of(tools, &asked))?;
    serde_json::to_value(list).map_err(|fault| ActionError::internal(fault.to_string()))
}
