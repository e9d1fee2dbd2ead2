//! The search index, which all catalogues of a process with the same actions share.

use std::sync::{Arc, Mutex};

use toolcrib_engine::{Catalog, SearchIndex};

/// The names of compiled actions, with their index.
type Known = (Vec<Arc<str>>, SearchIndex);

static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// Lets the catalogue share the index of an earlier one with the same actions, because building one takes longer than
/// most tests.
pub fn with_shared_index(catalog: Catalog) -> Catalog {
    let mut names: Vec<Arc<str>> = catalog.registry().compiled().map(|meta| meta.spec.name.clone()).collect();
    names.sort();
    let mut known = KNOWN.lock().expect("no test panics while it holds this");
    if let Some((_, index)) = known.iter().find(|(others, _)| *others == names) {
        return catalog.with_index(index.clone());
    }
    known.push((names, catalog.index()));
    catalog
}
