//! Rendered lists, by everything they depend on. The catalogue of a process never changes, and who may call what is
//! decided before the look-up: nothing in here can be stale.

use bytes::Bytes;
use moka::sync::Cache;
use sha2::{Digest as _, Sha256};
use toolcrib_engine::{ActionError, Catalog};

use super::{list::list, selection::Choice, token_budget::fit};

/// Lists that are kept.
const LISTS: u64 = 512;

/// A list as it goes out.
#[derive(Clone)]
pub(crate) struct Rendered {
    pub body: Bytes,
    pub tag: String,
}

/// The lists of one router.
pub(crate) struct ListCache(Cache<Choice, Rendered>);

impl Default for ListCache {
    fn default() -> Self {
        Self(Cache::new(LISTS))
    }
}

impl ListCache {
    /// The list of a choice.
    pub fn get(&self, catalog: &Catalog, choice: Choice) -> Result<Rendered, ActionError> {
        if let Some(known) = self.0.get(&choice) {
            return Ok(known);
        }
        let (drawn, left_out) = fit(catalog, &choice)?;
        let list = list(catalog, &choice, drawn, &left_out);
        let body = serde_json::to_vec(&list).map_err(|fault| ActionError::internal(fault.to_string()))?;
        let rendered = Rendered { tag: tag_of(&body), body: body.into() };
        self.0.insert(choice, rendered.clone());
        Ok(rendered)
    }
}

/// The `ETag` of a body.
pub(crate) fn tag_of(body: &[u8]) -> String {
    let digest = hex::encode(Sha256::digest(body));
    format!("\"{}\"", digest.get(..32).unwrap_or(&digest))
}
