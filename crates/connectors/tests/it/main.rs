//! Connectors against the real services where these are available, against small servers that speak their
//! protocol where not, and against a server that misbehaves in every way.
#![expect(clippy::unwrap_used, reason = "tests")]

mod alertmanager;
mod hostile;
mod llm;
mod loki;
mod mcp_client;
mod prometheus;
mod railway;
mod upstream;
mod webhooks;

use toolcrib_connectors::{Client, Label, RequestLimits, embedded::DataScope};
use toolcrib_model::Id;

/// Two workspaces that must not see each other.
const A: Id = Id::from_u128(0x0197_a000_0000_7000_8000_0000_0000_000a);
const B: Id = Id::from_u128(0x0197_a000_0000_7000_8000_0000_0000_000b);
const REACH_A: DataScope = DataScope::Workspace(A);

fn label() -> Label {
    "workspace".parse().unwrap()
}

fn client(url: &str, token: Option<&str>) -> Client {
    Client::new(url, token.map(Into::into), RequestLimits::USUAL).unwrap()
}
