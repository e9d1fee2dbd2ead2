//! The MCP endpoint beside the API, on both databases.
#![expect(clippy::unwrap_used, reason = "tests")]

mod calls;
mod confirmations;
mod harness;
mod lists;
mod transport;
