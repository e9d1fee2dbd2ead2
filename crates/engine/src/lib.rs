//! One executor: every call, however it came, passes the same gates in the same order.
//!
//! Depends on `access`, `discovery`, `registry`, `store` and `model`. Knows nothing of HTTP or of any single action:
//! those implement the traits in `action` and are handed over as a catalogue.
//!
//! To add a gate: a file in `gates/` whose function takes the evidence of the gate before it and returns its own
//! (with a private constructor), a line in `call.rs`, a test that fails when it is taken out.
#![deny(missing_docs)]

mod action;
mod audit_throttle;
mod call;
mod call_log;
mod caller;
mod caller_tools;
mod catalog;
mod check;
mod clock_skew;
mod confirm;
mod context;
mod dispatch;
mod early_exit;
mod engine;
mod error;
mod events;
mod gates;
mod keyed_mutex;
pub mod mask;
mod response;
mod write;

pub mod auth;
pub mod chain;
pub mod grants;
mod large;
pub mod limits;
pub mod promotions;
pub mod redis;
pub mod secret_cipher;

pub use action::{Action, ExternalAction, Input, Output, ReadAction, StatefulRead, Target, WriteAction};
pub use auth::{Authenticator, JwksSource, TokenSettings};
pub use call::{Arguments, CallRequest, Surface, ToolCall};
pub use caller::{AgentKey, Authenticated, Credential, OperatorKey, RequestedContext, ServiceKey, UserToken};
pub use caller_tools::CallerTools;
pub use catalog::{Catalog, DatasourceRules, OperatorRules};
pub use check::CheckView;
pub use confirm::{
    ApproveRequest, Approved, ConfirmationFilter, ConfirmationView, DecisionMeta, HistoryEntry,
    PhraseRequired, Remember, RequesterView, TokenText,
};
pub use context::{ExternalCx, ReadCx, WriteCx};
pub use engine::{Engine, EngineSettings};
pub use error::ActionError;
pub use events::{EVENT_NAMES, Event, EventReader, Events, EventsFilter};
pub use large::compute_large;
pub use response::{
    ApiCall, CallResponse, Completed, ConfirmationSummary, Problem, Replayed, ResponseBody, SummaryLine, Via,
    Waiting,
};
