//! One executor: every call, however it came, passes the same gates in the same order.
//!
//! Depends on `access`, `discovery`, `registry`, `store` and `model`. Knows nothing of HTTP or of any single action:
//! those implement the traits in `action` and are handed over as a catalogue.
//!
//! To add a gate: a file in `gates/` whose function takes the evidence of the gate before it and returns its own
//! (with a private constructor), a line in `call.rs`, a test that fails when it is taken out.
#![deny(missing_docs)]

mod action;
mod answer;
mod build;
mod call;
mod catalog;
mod check;
mod claimant;
mod clocks;
mod confirm;
mod context;
mod dispatch;
mod engine;
mod error;
mod events;
mod flood;
mod gates;
mod identity;
mod locks;
pub mod mask;
mod notify;
mod policy;
mod settle;
mod stop;
mod stranger;
mod tools;
mod trace;
mod write;

pub mod auth;
pub mod chain;
pub mod grants;
mod large;
pub mod limits;
pub mod promotions;
pub mod shared;
pub mod vault;

pub use action::{Action, ExternalAction, Input, Output, ReadAction, StatefulRead, Target, WriteAction};
pub use answer::{Answer, ApiCall, Asked, Body, Completed, Problem, Replayed, SummaryLine, Via, Waiting};
pub use auth::{Authenticator, KeySource, TokenSettings};
pub use call::{Arguments, CallRequest, Door, ToolCall};
pub use catalog::{Catalog, DatasourceRules, OperatorRules};
pub use check::CheckView;
pub use confirm::{
    ApproveRequest, Approved, ConfirmationFilter, ConfirmationView, Decider, HistoryEntry, PhraseRequired,
    Remember, RequesterView, TokenText,
};
pub use context::{ExternalCx, ReadCx, WriteCx};
pub use engine::{Engine, EngineSettings};
pub use error::ActionError;
pub use events::{EVENT_NAMES, Event, EventReader, Events, EventsFilter};
pub use identity::{AgentKey, Credential, Identity, OperatorKey, ServiceKey, UserToken, Wishes};
pub use large::beside;
pub use tools::Tools;
