//! Requests that are not calls, such as tool lists, searches and checks: their limits, and the names in their queries.

use std::borrow::Cow;

use toolcrib_access::Principal;
use toolcrib_model::Id;
use toolcrib_registry::LimitClass;

use super::Engine;
use crate::{
    base::ActionError,
    catalog::query_names,
    limits::{LimitRequest, LimitScope, LimitState, Limited},
    lists::ListRequest,
};

/// A service key's own limit, as a multiple of the limit of each member for whom it acts.
pub const KEY_SHARES: u8 = 10;

impl Engine {
    pub(crate) async fn spend_list(&self, principal: &Principal) -> Result<LimitState, ActionError> {
        let class = LimitClass::Lists;
        let spent = self.spend_own(principal, class, self.settings.lists_per_minute).await;
        spent.map_err(|limited| limited.error(class))
    }

    /// Counts one call against a principal's own limit. Each member for whom a service key acts is a
    /// principal, so the key itself has a limit of [`KEY_SHARES`] times that number. Otherwise a key could
    /// multiply its limit by naming more members.
    pub(crate) async fn spend_own(
        &self,
        principal: &Principal,
        class: LimitClass,
        per_minute: u32,
    ) -> Result<LimitState, Limited> {
        let request = |id, per_minute| LimitRequest {
            scope: LimitScope::Principal(id),
            class,
            per_minute,
            person: None,
            changes: false,
        };
        let state = self.limiter.spend(request(principal.key(), per_minute)).await?;
        if let Principal::Service { key_id, on_behalf_of: Some(_) } = *principal {
            self.limiter.spend(request(key_id, per_minute.saturating_mul(KEY_SHARES.into()))).await?;
        }
        Ok(state)
    }

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
