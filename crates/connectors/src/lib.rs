//! Clients of external services, whose responses are data and never instructions. Also the service's
//! monitoring of itself, which replaces external services that are not configured.
//!
//! Depends on `model` only. Clients of the operator's services send requests only to the operator's
//! base URL, through [`Client`], which limits time and size and follows no redirects. [`webhooks`],
//! [`upstream`], [`mcp_client`] and [`llm`] send requests to URLs that workspaces configure, and [`address_guard`]
//! keeps these requests out of the operator's network. Every query has a scope ([`embedded::DataScope`]). A query for
//! a workspace contains that workspace's label; otherwise it is not sent.
//!
//! To add a client: its module, a field in [`Connectors`], its settings in `config`, a line in `app`'s
//! `services/connectors.rs`.

pub mod address_guard;
pub mod alertmanager;
pub mod embedded;
pub mod jwks;
pub mod llm;
pub mod loki;
pub mod mcp_client;
pub mod oidc;
pub mod prometheus;
pub mod railway;
pub mod upstream;
pub mod webhooks;

mod client;
mod label;
mod retry_after;
mod services;
mod sse;
mod tls;
mod upstream_error;

pub use client::{Client, RequestLimits};
pub use label::{Label, NotALabel};
pub use services::Connectors;
pub use upstream_error::UpstreamError;
