//! Finds actions for a user's text: a search over the registry and a corpus of users' phrases, a search over the
//! tools that a workspace declares, and a router that selects categories by intent.
//!
//! Pure: no I/O, no clock, no randomness. Does not decide who may call an action; callers pass the allowed
//! actions, and no other action is scored.
//!
//! To add words: `data/lexicon.tsv` has the platform's concepts with the words for them, `data/tool_lexicon.tsv`
//! those that only declared tools are about, `data/phrases.tsv` users' phrases for each action, `data/none.tsv`
//! phrases that no action serves.

mod bm25;
mod classifier;
mod clauses;
mod corpus;
mod document;
mod features;
mod lexicon;
mod masking;
mod neighbours;
mod relevance;
mod router;
mod search;
mod selection;
mod suggestions;
mod text;
mod vocabulary;

pub use document::Document;
pub use masking::{NameKind, mask_names};
pub use relevance::{NO_TOOL_BELOW, no_tool_hint};
pub use router::{Intent, IntentRoute, route};
pub use search::{OverlaySearch, Search, SearchHit};
pub use selection::{Selection, select};
pub use suggestions::nearest_names;
