//! Masks names of a workspace's records in the query of a tool list.

use std::borrow::Cow;

use toolcrib_discovery::route;
use toolcrib_engine::{ActionError, Engine};
use toolcrib_model::Id;

use crate::requests::{ListRequest, Strategy};

/// Returns the request with a query in which names are masked. Reads from the workspace only for strategy
/// `filtered` with a query, since other lists do not depend on the query. Small talk and bare answers stay as
/// they are: an agent may be called "Hola", and an answer is combined with the previous texts.
pub(crate) async fn masked<'a>(
    engine: &Engine,
    workspace: Id,
    asked: &'a ListRequest,
) -> Result<Cow<'a, ListRequest>, ActionError> {
    let matters = |query: &&str| !route(query, &[]).small;
    let query = asked.query.as_deref().filter(|_| asked.strategy == Strategy::Filtered).filter(matters);
    let Some(query) = query else { return Ok(Cow::Borrowed(asked)) };
    Ok(match engine.mask_query(workspace, query).await? {
        Cow::Owned(masked) if matters(&masked.as_str()) => {
            Cow::Owned(ListRequest { query: Some(masked), ..asked.clone() })
        }
        _ => Cow::Borrowed(asked),
    })
}
