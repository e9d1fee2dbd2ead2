//! The engine. Every call passes the same gates in the same order, whatever its transport.
//!
//! Depends on `access`, `auth`, `connectors`, `datasources`, `discovery`, `registry`, `store`, `toolset` and `model`. Contains
//! nothing of the HTTP API or of any single action: actions implement the traits in `catalog` and are passed in as a
//! catalogue.
//!
//! The modules: `base` (errors, context of a call), `caller`, `limits`, `grants`, `audit`, `response`, `events`,
//! `catalog`, `tool_lists`, `upstream_requests`, `gates`, `confirmations` (their records), `started_calls` (calls that
//! run elsewhere), `client_calls` (calls that the caller runs), `pipeline` (the [`Engine`]), `decisions` (approve, deny,
//! expire), `open_calls` (claims and outcomes) and `external_calls` (writes that an upstream runs).
//!
//! To add a gate: add a file in `gates/` with a function that takes the evidence of the previous gate and
//! returns its own (with private fields), a call in `gates::run_gates`, an entry in the list of
//! `ARCHITECTURE.md`, and a test that fails without the gate.

mod audit;
mod base;
mod caller;
mod catalog;
mod client_calls;
mod confirmations;
mod decisions;
mod events;
mod external_calls;
mod gates;
pub mod grants;
pub mod limits;
mod open_calls;
mod pipeline;
mod response;
mod started_calls;
pub mod tool_lists;
mod upstream_requests;

pub use audit::chain;
pub use base::{ActionError, Arguments, Names, ToolCall, compute_large, mask, redis};
pub use caller::{CallRequest, promotions};
pub use catalog::{
    Action, CallerFacts, CallerTools, Catalog, DatasourceRules, DiscoveredNow, ExternalAction, ExternalCx,
    Input, OperatorRules, Output, PinState, PinnedTool, ReadAction, ReadCx, SearchIndex, StatefulRead,
    Target, UpstreamPins, WorkspaceToolset, WriteAction, WriteCx, mask_query, upstreams, workspace_toolsets,
};
pub use confirmations::{
    CanDecide, ConfirmationFilter, ConfirmationView, HistoryEntry, Remember, RequesterView,
};
pub use decisions::{ApproveRequest, Approved, DecisionMeta, PhraseRequired, TokenText};
pub use events::{EVENT_NAMES, Event, EventReader, Events, EventsFilter};
pub use open_calls::{CallReport, CallResult, ClaimedCall, OpenCallFilter, OpenCallView, ReportedStatus};
pub use pipeline::{AdmittedCaller, CheckView, Engine, EngineSettings};
pub use response::{
    ApiCall, CallResponse, Completed, ConfirmationSummary, Outcome, Problem, SummaryLine, ToRun, Waiting,
};
