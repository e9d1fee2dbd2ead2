//! Every action, through the engine with all its gates, on both databases.
#![expect(clippy::unwrap_used, reason = "tests")]

mod activity;
mod agents;
mod discovery;
mod harness;
mod infrastructure;
