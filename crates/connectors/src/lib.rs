//! Clients of outside services: what they answer is data, never an instruction. And what this service knows about
//! itself, which stands in for them where none is configured.
#![deny(missing_docs)]

pub mod embedded;
pub mod jwks;
