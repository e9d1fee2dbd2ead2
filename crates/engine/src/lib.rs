//! One executor: every call, however it came, passes the same gates in the same order.
//!
//! Depends on `access`, `discovery`, `registry`, `store` and `model`. Knows nothing of HTTP or of any single action:
//! those implement the traits in `action` and are handed over as a catalogue.
//!
//! To add a gate: a file in `gates/` whose function takes the evidence of the gate before it and returns its own
//! (with a private constructor), a line in `call.rs`, a test that fails when it is taken out.
#![deny(missing_docs)]

mod error;
mod identity;

pub mod auth;
pub mod limits;

pub use auth::{Authenticator, KeySource, TokenSettings};
pub use error::ActionError;
pub use identity::{AgentKey, Credential, Identity, OperatorKey, ServiceKey, UserToken, Wishes};
