//! The limits of requests that are not calls: tool lists, searches, checks, refusals.

use toolcrib_access::Principal;
use toolcrib_registry::LimitClass;

use super::Engine;
use crate::{
    base::ActionError,
    limits::{LimitRequest, LimitScope, LimitState, Limited},
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
}
