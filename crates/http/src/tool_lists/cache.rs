//! A cache of finished tool lists.
//!
//! A list is made of [`CallerTools`] and a [`ListPlan`], and the key of the cache is everything that they contain. So no
//! entry can be stale: a fact that is not in the key can't be read where a list is made. Lists of callers and workspaces
//! are shared where the key is equal, which includes the identity of the catalogue.

use std::sync::Arc;

use axum::http::HeaderValue;
use bytes::Bytes;
use moka::sync::Cache;
use sha2::{Digest as _, Sha256};
use toolcrib_engine::{
    ActionError, CallerFacts, CallerTools,
    lists::{ListPlan, ToolList, make_list},
};
use toolcrib_registry::RegistryId;

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
pub(crate) struct CachedList<T> {
    pub list: T,
    /// The size in bytes.
    pub bytes: usize,
}

/// A cache of lists in the form `T`, bounded by bytes.
pub(crate) struct ListCache<T>(Cache<ListKey, Arc<CachedList<T>>>);

impl<T: Send + Sync + 'static> Default for ListCache<T> {
    fn default() -> Self {
        let weigh = |_: &ListKey, cached: &Arc<CachedList<T>>| {
            u32::try_from(cached.bytes.saturating_add(ENTRY)).unwrap_or(u32::MAX)
        };
        Self(Cache::builder().max_capacity(CAPACITY).weigher(weigh).build())
    }
}

impl<T: Send + Sync + 'static> ListCache<T> {
    /// Returns the list of a plan. Makes it if it is not cached, once for all who ask at the same time.
    pub fn get(
        &self,
        tools: &CallerTools<'_>,
        plan: ListPlan,
        make: impl FnOnce(ToolList) -> Result<CachedList<T>, ActionError>,
    ) -> Result<Arc<CachedList<T>>, ActionError> {
        let key = ListKey { catalog: tools.catalog.registry().id(), caller: tools.facts().clone(), plan };
        let init = || tools.catalog.compute(|| make(make_list(tools, &key.plan)?)).map(Arc::new);
        self.0.try_get_with_by_ref(&key, init).map_err(|error| (*error).clone())
    }
}

/// The body of a response with a list, and its `ETag`.
pub(crate) struct ListBody {
    pub body: Bytes,
    pub tag: HeaderValue,
}

impl ListBody {
    /// Serializes a list.
    pub fn of(list: ToolList) -> Result<CachedList<Self>, ActionError> {
        let body = serde_json::to_vec(&list).map_err(|error| ActionError::internal(error.to_string()))?;
        Ok(CachedList { bytes: body.len(), list: Self { tag: tag_of(&body), body: body.into() } })
    }
}

/// Returns the `ETag` of a body, with its quotes.
pub(crate) fn tag_of(body: &[u8]) -> HeaderValue {
    let digest = hex::encode(Sha256::digest(body));
    let text = format!("\"{}\"", digest.get(..32).unwrap_or(&digest));
    // Can't fail: quotes and hexadecimal digits.
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}
