//! The pack through the engine with all its gates, on both databases.
#![expect(clippy::unwrap_used, reason = "tests")]

mod assistant;
mod cards;
mod exports;
mod fence;
mod graph;
mod limits;
mod place;
mod plans;
mod projects;
mod refusals;
mod threads;
mod walk;
