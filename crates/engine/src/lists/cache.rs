//! A cache of finished tool lists.
//!
//! A list is made of [`CallerTools`] and a [`ListPlan`], and the key of the cache is everything that they contain. So
//! no entry can be stale: a fact that is not in the key can't be read where a list is made. Lists of callers and
//! workspaces are shared where the key is equal, which includes the identity of the catalogue.

use std::sync::Arc;

use toolcrib_registry::RegistryId;

use super::{ListPlan, ListRequest, ToolList, make_list};
use crate::{
    base::ActionError,
    catalog::{CallerFacts, CallerTools},
};

/// The size in bytes of the lists that one cache holds.
const CAPACITY: u64 = 16 << 20;
/// The size in bytes of an entry beside its list.
const ENTRY: usize = 1 << 10;

/// Everything that a list depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ListKey {
    catalog: RegistryId,
    caller: CallerFacts,
    plan: ListPlan,
}

/// A list in the form in which it is sent.
pub struct CachedList<T> {
    pub list: T,
    pub bytes: usize,
}

/// A cache of lists in the form `T`, in which one surface sends them. It is bounded by bytes.
pub struct ListCache<T>(moka::sync::Cache<ListKey, Arc<CachedList<T>>>);

impl<T: Send + Sync + 'static> Default for ListCache<T> {
    fn default() -> Self {
        let weigh = |_: &ListKey, cached: &Arc<CachedList<T>>| {
            u32::try_from(cached.bytes.saturating_add(ENTRY)).unwrap_or(u32::MAX)
        };
        Self(moka::sync::Cache::builder().max_capacity(CAPACITY).weigher(weigh).build())
    }
}

impl<T: Send + Sync + 'static> ListCache<T> {
    /// Returns the list that a request asks for. Makes it if it is not cached, once for all who ask at the same time.
    pub fn get(
        &self,
        tools: &CallerTools<'_>,
        asked: &ListRequest,
        make: impl FnOnce(ToolList) -> Result<CachedList<T>, ActionError>,
    ) -> Result<Arc<CachedList<T>>, ActionError> {
        let plan = ListPlan::of(tools, asked);
        let key = ListKey { catalog: tools.catalog.registry().id(), caller: tools.facts().clone(), plan };
        let init = || tools.catalog.compute(|| make(make_list(tools, &key.plan)?)).map(Arc::new);
        self.0.try_get_with_by_ref(&key, init).map_err(|error| (*error).clone())
    }
}
