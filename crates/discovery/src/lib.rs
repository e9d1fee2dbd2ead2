//! How the right action is found: search over what the registry and a corpus of users' phrases say, and the router
//! that narrows a list by intent.
//!
//! Pure: no I/O, no clock, no randomness, and it never decides who may call what; it is given the allowed set and
//! scores nothing outside it.
//!
//! To teach it words: `data/lexicon.tsv` holds the platform's concepts with the words people use for them,
//! `data/phrases.tsv` what users say for each action, `data/none.tsv` what no action is for.
#![deny(missing_docs)]

mod bm25;
mod classifier;
mod corpus;
mod document;
mod features;
mod lexicon;
mod neighbours;
mod router;
mod search;
mod selection;
mod suggestions;
mod text;
mod vocabulary;

pub use document::Document;
pub use router::{Intent, IntentRoute, route};
pub use search::{NO_TOOL_BELOW, Search, SearchHit};
pub use selection::{Selection, select};
pub use suggestions::nearest_names;
