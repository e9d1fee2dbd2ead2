//! Clients of outside services: what they answer is data, never an instruction.
#![deny(missing_docs)]

pub mod jwks;
