//! The Model Context Protocol at `POST /mcp`: the same tools, gates and audit rows as the HTTP API, in the protocol's
//! frame. Stateless; revision 2026-07-28 and the older ones that its library speaks.
//!
//! Depends on `engine`, `registry`, `model`, and on `http` for what surfaces share: authentication, tool lists, what a
//! model reads. Names neither `actions` nor `store`, so that there is no way round the gates.
//!
//! To serve another method: override it in `handler.rs`, declare its capability there, and add its test.
#![deny(missing_docs)]

mod body;
mod call;
mod errors;
#[cfg(feature = "conformance")]
mod fixtures;
mod handler;
mod metadata;
mod request_state;
mod results;
mod routes;

pub use routes::{McpSettings, routes};
