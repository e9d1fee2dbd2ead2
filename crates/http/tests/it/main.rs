//! The HTTP API through its router, on both databases.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod actions;
mod approved_calls;
mod assistant;
mod audit_export;
mod cached_lists;
mod calls;
mod client_tokens;
mod confirmations;
mod cors;
mod decisions;
mod declared_tools;
mod docs;
mod errors;
mod events;
mod free_objects;
mod grants;
mod harness;
mod headers;
mod hooks;
mod junk;
mod lists_of_others;
mod messages;
mod named_callers;
mod named_queries;
mod nul;
mod open_calls;
mod operations;
mod orion;
mod serving;
mod srs_writer;
mod streams;
mod sweep;
mod tool_outcomes;
mod tools;
