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
mod near;
mod neighbours;
mod pick;
mod router;
mod search;
mod text;
mod vocabulary;

pub use document::Document;
pub use near::nearest_names;
pub use pick::{Picked, pick};
pub use router::{Intent, Route, route};
pub use search::{Hit, NO_TOOL_BELOW, Search};
