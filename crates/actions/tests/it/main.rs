//! Every action, through the engine with all its gates, on both databases.
#![expect(clippy::unwrap_used, reason = "tests")]

mod agents;
mod field;
mod harness;
mod marketplace;
mod memory;
mod workspace;
