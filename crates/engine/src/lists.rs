//! Tool lists: which tools a request selects, how they fit a token budget, and how they are rendered.
//!
//! A list is made of [`CallerTools`] and a [`ListPlan`] alone, so that equal ones can be cached by both.

mod cache;
mod list;
mod request;
mod selection;
mod token_budget;

pub use cache::{CachedList, ListCache};
pub use list::ToolList;
pub use request::{ListOptions, ListPlan, ListRequest, Strategy, Strict};

use crate::{base::ActionError, catalog::CallerTools};

/// Makes a list. 422 `invalid_arguments` if the tools that are always offered exceed the budget.
pub fn make_list(tools: &CallerTools<'_>, plan: &ListPlan) -> Result<ToolList, ActionError> {
    let choice = selection::choose(tools, plan);
    let (rendered, left_out) = token_budget::fit(tools.catalog, &choice)?;
    Ok(list::list(tools.catalog, &choice, rendered, &left_out))
}
