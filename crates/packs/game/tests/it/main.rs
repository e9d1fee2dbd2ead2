//! The pack through the engine with all its gates, on both databases, and its search phrases.
#![expect(clippy::unwrap_used, clippy::cast_precision_loss, reason = "tests")]

#[path = "../../../../discovery/tests/it/corpus.rs"]
#[expect(dead_code, reason = "the rest is for the platform's own tests")]
mod corpus;
mod exports;
mod fence;
#[path = "../../../../discovery/tests/it/figures.rs"]
#[expect(dead_code, reason = "the rest is for the platform's own tests")]
mod figures;
mod graph;
mod limits;
mod phrases;
mod place;
mod plans;
mod projects;
mod threads;
mod walk;
