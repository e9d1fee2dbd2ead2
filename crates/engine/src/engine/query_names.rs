//! Masks names in queries that are no calls.

use std::borrow::Cow;

use toolcrib_model::Id;

use super::Engine;
use crate::{base::ActionError, catalog::query_names, lists::ListRequest};

impl Engine {
    /// Like [`crate::mask_query`], in a read of its own. Begins none if no part of the query may be a name.
    pub async fn mask_query<'q>(&self, workspace: Id, query: &'q str) -> Result<Cow<'q, str>, ActionError> {
        let candidates = self.catalog().search().name_candidates(query);
        if candidates.is_empty() {
            return Ok(Cow::Borrowed(query));
        }
        let mut tx = self.db.read(workspace).await?;
        let masked = query_names::mask_candidates(&mut tx, query, candidates).await;
        tx.end().await?;
        masked
    }

    /// Returns the request of a list with a query in which names are masked. Begins a read only if the list depends on
    /// them.
    pub async fn mask_list<'a>(
        &self,
        workspace: Id,
        asked: &'a ListRequest,
    ) -> Result<Cow<'a, ListRequest>, ActionError> {
        let Some(query) = asked.query_with_names() else { return Ok(Cow::Borrowed(asked)) };
        Ok(asked.with_masked(self.mask_query(workspace, query).await?))
    }
}
