//! The HTTP API, version 1: a table of routes over the engine's operations, and the few things that are none.
//!
//! Depends on `engine`, `access`, `registry`, `discovery` and `model`; names neither `actions` nor `store`, so that
//! there is no way round the gates. Nothing here decides who may do what.
//!
//! To add a route for an operation: one row in `routes.rs`. To add anything else: a handler, a line in `router.rs`,
//! and its description in `openapi/special.rs` or `service.rs`; a test compares the two.
#![deny(missing_docs)]

mod actions;
mod alertmanager_hook;
mod approve;
mod auth;
mod body;
mod calls;
mod confirmations;
mod docs;
mod events;
mod grants;
mod headers;
mod health;
pub mod mount;
mod openapi;
mod operation;
mod problem;
mod proxies;
mod query;
mod request_meta;
mod response;
mod router;
mod routes;
mod schema_for;
pub mod serve;
mod state;
mod streams;
mod tools;
mod unread_body;

pub use openapi::openapi;
pub use proxies::{Proxies, ProxyHeader};
pub use router::{metrics_router, router, router_with, spare_router};
pub use routes::{ROUTES, Route, RouteKind};
pub use state::{AlertHook, AlertInbox, AppState, EdgeSettings, ReadyCheck};
pub use streams::StreamLimits;
pub use tools::{openapi_view, tool_list};
