//! Requests of tools that an upstream runs: made in the transaction that admits the call, sent without one.
//!
//! A request to a REST service is complete then. A call of an MCP server's tool also gets the session that it is made in.
//!
//! A request is sent at most once. Whoever sends the request of a write has committed its start row before
//! (`declared::upstream_calls`).

mod answer;
mod end;
mod mcp;
mod prepare;
mod send;
mod target;

pub(crate) use end::{UpstreamEnd, unknown};
pub(crate) use mcp::PinInSession;
pub(crate) use prepare::{CallOfUpstream, PreparedRequest, prepare, prepare_target};
pub(crate) use send::RequestOfCall;
pub(crate) use target::read_target;
