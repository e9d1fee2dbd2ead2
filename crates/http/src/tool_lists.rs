//! Tool lists as they are sent, and their cache.

mod cache;

pub(crate) use cache::{CachedList, ListBody, ListCache, tag_of};

use toolcrib_engine::{
    ActionError, CallerTools,
    lists::{ListPlan, ListRequest, make_list},
};

use crate::schema_for::SchemaFor;

/// Returns the tool list of a caller without serving HTTP. `asked` has the fields of `POST /v1/tools`.
pub fn tool_list(
    tools: &CallerTools<'_>,
    asked: serde_json::Value,
) -> Result<serde_json::Value, ActionError> {
    let asked: ListRequest = SchemaFor::default().read(asked)?;
    let list = make_list(tools, &ListPlan::of(tools, &asked))?;
    serde_json::to_value(list).map_err(|error| ActionError::internal(error.to_string()))
}
