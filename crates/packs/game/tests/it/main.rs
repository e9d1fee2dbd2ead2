//! The pack through the engine with all its gates, on both databases.
#![expect(clippy::unwrap_used, reason = "tests")]

mod fence;
mod place;
