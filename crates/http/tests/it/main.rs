//! The API through its router, on both databases.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod actions;
mod calls;
mod confirmations;
mod errors;
mod events;
mod harness;
mod headers;
mod hooks;
mod operations;
mod sweep;
mod tools;
