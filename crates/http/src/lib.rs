//! The HTTP API, version 1: a table of routes to the engine's operations, and handlers for the other routes.
//!
//! Depends on `engine`, `assistant`, `access`, `auth`, `registry`, `discovery` and `model`. Names neither `actions` nor
//! `store`, so that no handler can bypass the gates. No code in this crate decides access.
//!
//! To add a route for an operation: one row in `routes.rs`. To add any other route: a handler, a line in
//! `router.rs`, and its description in `openapi/special.rs` or `service.rs`. A test compares the router with
//! the document.

mod actions;
mod alertmanager_hook;
mod assistant;
mod audit_export;
mod auth;
mod body;
mod callers;
mod calls;
mod confirmations;
mod cors;
mod doc_pages;
mod docs;
mod events;
mod grants;
mod headers;
mod health;
mod held_requests;
pub mod mount;
mod open_calls;
mod openapi;
mod operation;
mod poll;
mod problem;
mod proxies;
mod query;
mod request_meta;
mod requests;
mod response;
mod router;
mod routes;
pub mod serve;
mod session_cookie;
mod state;
mod tool_lists;
mod tool_result;
mod tools;
mod unread_body;

pub use held_requests::StreamLimits;
pub use openapi::{openapi, openapi_view};
pub use proxies::Proxies;
pub use router::{held_router, metrics_router, router, router_with, spare_router};
pub use routes::{ROUTES, Route, RouteKind};
pub use state::{AlertHook, AlertInbox, AppState, EdgeOptions, ReadyCheck};
pub use tool_lists::tool_list;
