//! The API through its router, on both databases.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod actions;
mod approve_page;
mod calls;
mod confirmations;
mod decisions;
mod errors;
mod events;
mod grants;
mod harness;
mod headers;
mod hooks;
mod messages;
mod named_callers;
mod operations;
mod sweep;
mod tools;
