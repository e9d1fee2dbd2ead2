//! Clients of outside services: what they answer is data, never an instruction. And what this service knows about
//! itself, which stands in for them where none is configured.
//!
//! Depends on `model` and `registry`. Every client speaks to the operator's base URL alone, through [`Client`], which
//! bounds time and size and follows no redirect. A question says for whom it is asked ([`embedded::DataScope`]): for a
//! workspace the query that is sent holds that workspace's label, or there is no query.
//!
//! To add one: its module, a field in [`Connectors`], its settings in `config`, a line in `app`'s `serve/outside.rs`.
#![deny(missing_docs)]

pub mod alertmanager;
pub mod embedded;
pub mod jwks;
pub mod loki;
pub mod prometheus;
pub mod railway;
pub mod webhooks;

mod client;
mod label;
mod ping;
mod services;
mod upstream_error;

pub use client::{Client, RequestLimits};
pub use label::{Label, NotALabel};
pub use services::Connectors;
pub use upstream_error::UpstreamError;
