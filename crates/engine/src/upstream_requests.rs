//! What runs an external call: the trait [`Runner`], the one of declared tools, which sends the request of a mapping,
//! and the one of compiled effects.
//!
//! A request is made in the transaction that admits the call and sent without one, at most once. A request to a REST
//! service is complete then. A call of an MCP server's tool also gets the session that it is made in. Whoever sends the
//! request of a write has committed its start row before (`declared::upstream_calls`).

mod answer;
mod effect;
mod end;
mod mcp;
mod prepare;
mod runner;
mod send;
mod session;

pub(crate) use effect::EffectRunner;
pub(crate) use end::{UpstreamEnd, unknown};
pub(crate) use prepare::{CallOfUpstream, prepare};
pub(crate) use runner::{NoSession, Runner, RunnerCx};
