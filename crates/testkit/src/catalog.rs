//! The search index, which all catalogues of a process with the same actions share.

use std::{collections::HashMap, sync::LazyLock};

use parking_lot::Mutex;
use toolcrib_engine::{Catalog, SearchIndex};

/// The index of each version of the registry.
static INDEXES: LazyLock<Mutex<HashMap<String, SearchIndex>>> = LazyLock::new(Mutex::default);

/// Lets the catalogue share the index of an earlier one with the same actions, because building one takes longer than
/// most tests.
pub fn with_shared_index(catalog: Catalog) -> Catalog {
    let mut indexes = INDEXES.lock();
    let version = catalog.registry().version().to_owned();
    let index = indexes.entry(version).or_insert_with(|| catalog.index()).clone();
    catalog.with_index(index)
}
