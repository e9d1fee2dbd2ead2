//! A cache of rendered tool lists. The key has everything that a list depends on: the version of the catalogue is part of it,
//! and access is decided before the look-up. So no entry can be stale.

use bytes::Bytes;
use moka::sync::Cache;
use sha2::{Digest as _, Sha256};
use toolcrib_engine::{ActionError, Catalog};

use super::{list::list, selection::Choice, token_budget::fit};

/// The maximum number of cached lists.
const LISTS: u64 = 512;

/// A rendered list and its `ETag`.
#[derive(Clone)]
pub(crate) struct Rendered {
    pub body: Bytes,
    pub tag: String,
}

/// The cached lists of one router.
pub(crate) struct ListCache(Cache<Choice, Rendered>);

impl Default for ListCache {
    fn default() -> Self {
        Self(Cache::new(LISTS))
    }
}

impl ListCache {
    /// Returns the list of a choice. Renders it if it is not cached.
    pub fn get(&self, catalog: &Catalog, choice: Choice) -> Result<Rendered, ActionError> {
        if let Some(known) = self.0.get(&choice) {
            return Ok(known);
        }
        let (rendered, left_out) = fit(catalog, &choice)?;
        let list = list(catalog, &choice, rendered, &left_out);
        let body = serde_json::to_vec(&list).map_err(|fault| ActionError::internal(fault.to_string()))?;
        let rendered = Rendered { tag: tag_of(&body), body: body.into() };
        self.0.insert(choice, rendered.clone());
        Ok(rendered)
    }
}

/// Returns the `ETag` of a body, with its quotes.
pub(crate) fn tag_of(body: &[u8]) -> String {
    let digest = hex::encode(Sha256::digest(body));
    format!("\"{}\"", digest.get(..32).unwrap_or(&digest))
}
