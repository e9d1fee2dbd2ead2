//! The HTTP API, version 1: a table of routes over the engine's operations, and the few things that are none.
//!
//! Depends on `engine`, `access`, `registry`, `discovery` and `model`; names neither `actions` nor `store`, so that
//! there is no way round the gates. Nothing here decides who may do what.
//!
//! To add a route for an operation: one row in `routes.rs`. To add anything else: a handler, a line in `router.rs`,
//! and its description in `openapi/special.rs` or `service.rs`; a test compares the two.
#![deny(missing_docs)]

mod actions;
mod approve;
mod body;
mod calls;
mod confirmations;
mod docs;
mod events;
mod problem;
mod schema_for;
mod grants;
pub mod mount;
mod headers;
mod health;
mod alertmanager_hook;
mod openapi;
mod operation;
mod proxies;
mod query;
mod response;
mod router;
mod routes;
pub mod serve;
mod auth;
mod state;
mod streams;
mod tools;
mod request_meta;
mod unread_body;

pub use openapi::openapi;
pub use proxies::{Proxies, ProxyHeader};
pub use router::{metrics_router, router, router_with, spare_router};
pub use routes::{RouteKind, ROUTES, Route};
pub use state::{AlertHook, AlertInbox, AppState, EdgeSettings, ReadyCheck};
pub use streams::StreamLimits;
pub use tools::{openapi_view, tool_list};
