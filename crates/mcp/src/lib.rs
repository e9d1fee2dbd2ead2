//! The Model Context Protocol at `POST /mcp`, with the same tools, gates and audit rows as the HTTP API.
//! Stateless. Supports revision 2026-07-28 and the older revisions that its library supports.
//!
//! Depends on `auth`, `engine`, `registry`, `model`, and on `http` for what both surfaces share: authentication and the
//! outer layer. Depends on neither `actions` nor `store`, so that no code here can bypass the gates.
//!
//! To serve another method: override it in `handler.rs`, declare its capability there, and add its test.

mod accept;
mod body;
mod call;
mod handler;
mod request_state;
mod results;
mod routes;

pub use routes::{McpSettings, routes};
