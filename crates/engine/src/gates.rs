//! The gates, in order. Each is one function that takes the evidence of the gate before it and returns its own; the
//! evidence types can be made nowhere else, so that leaving a gate out or moving it does not compile.
//!
//! Gate 1 (authentication) is `crate::auth`: its evidence is the [`crate::Authenticated`].

pub mod access;
pub mod arguments;
pub mod audit;
pub mod confirmation;
pub mod idempotency;
pub mod limit;
pub mod lookup;
pub mod membership;
pub mod parse;
pub mod parts;
pub mod run;
