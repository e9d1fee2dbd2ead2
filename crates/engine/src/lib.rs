//! The engine. Every call passes the same gates in the same order, whatever its transport.
//!
//! Depends on `access`, `auth`, `connectors`, `datasources`, `discovery`, `registry`, `store`, `toolset` and `model`.
//! Contains nothing of the HTTP API or of any single action: actions implement the traits in `catalog` and are passed
//! in as a catalogue.
//!
//! The modules, each of which uses only those before it:
//!
//! 1. `base`: errors, the context of a call, masks
//! 2. `shared`: references, names and pages of actions
//! 3. `caller`: who calls, and for whom
//! 4. `limits`, `grants`, `audit`: rate limits, session grants, audit rows and their chain
//! 5. `response`: the outcome of a call, as all surfaces show it
//! 6. `events`: the events of a workspace
//! 7. `catalog`: actions, declared tools and upstreams of a workspace
//! 8. `lists`: tool lists
//! 9. `upstream_requests`: who runs external calls; requests of declared tools
//! 10. `gates`: gates 2 to 10
//! 11. `engine`: the [`Engine`], its state, the catalogue of a caller
//! 12. `confirm`: the records of confirmations, who may decide them, denial, expiry
//! 13. `declared`: calls of declared tools, which run elsewhere
//! 14. `run`: the order of a call, of an approval and of a check
//!
//! To add a gate: add a file in `gates/` with a function that refuses, a call in the function that makes `Permitted`,
//! `Resolved` or `Cleared`, an entry in the list of `ARCHITECTURE.md`, and a test that fails without the gate and one
//! in `tests/it/ladder.rs` that fails if it moves.

mod audit;
mod base;
mod caller;
mod catalog;
mod confirm;
mod declared;
mod engine;
mod events;
mod gates;
pub mod grants;
pub mod limits;
pub mod lists;
mod response;
mod run;
pub mod shared;
mod upstream_requests;

pub use audit::chain;
pub use base::{
    ActionError, Arguments, CallKey, CallRequest, GaugeGuard, Names, ToolCall, compute_large, mask, redis,
};
pub use caller::{BackgroundCaller, BackgroundWork, NO_MEMBER, policy, promotions};
pub use catalog::{
    Action, CallerFacts, CallerTools, Catalog, CatalogPack, DatasourceRules, DiscoveredNow, ExternalAction,
    ExternalCx, Input, OperatorRules, Output, Pack, PackSettings, PinState, PinnedTool, ProbeProblem, Probed,
    ReadAction, ReadCx, SearchIndex, Service, ServiceAnswer, ServiceError, Target, UpstreamNeed,
    UpstreamPins, WorkspaceToolset, WriteAction, WriteCx, is_service_set, mask_query, model_upstreams,
    pack_settings, upstreams, workspace_toolsets,
};

/// What most actions import: the traits and their contexts, the words of `spec()`, the types of inputs and outputs.
/// A name that fewer of them need has a `use` of its own.
pub mod prelude {
    pub use schemars::JsonSchema;
    pub use serde::{Deserialize, Serialize};
    pub use serde_json::json;
    pub use toolcrib_model::{Cursor, ErrorCode, Id, Page, Ts, count};
    pub use toolcrib_registry::{Category, Level, Permission, Spec};

    pub use crate::{
        Action, ActionError, ExternalAction, ExternalCx, ReadAction, ReadCx, Target, WriteAction, WriteCx,
    };
}

/// Compiled actions whose effect is at a service. For packs.
pub mod effect {
    pub use crate::catalog::{EffectAction, EffectCall, Found, Ready, Resolved, Sent};
}
pub use confirm::{
    CanDecide, ConfirmationFilter, ConfirmationView, DecisionMeta, HistoryEntry, Remember, RequesterView,
    TokenText, approve_url,
};
pub use declared::{
    effects::EffectLookups,
    open_calls::{CallReport, CallResult, ClaimedCall, OpenCallFilter, OpenCallView, ReportedStatus},
};
pub use engine::{AdmittedCaller, Engine, EngineSettings, KEY_SHARES, PackBrief};
pub use events::{
    EVENT_NAMES, Event, EventReader, Events, EventsFilter, NotificationText, Stamp, notify_admins,
};
pub use gates::parse::model_arguments;
pub use response::{
    ApiCall, CallResponse, Completed, ConfirmationSummary, Outcome, Problem, SummaryLine, ToRun, Waiting,
};
pub use run::{ApproveRequest, Approved, CheckView, EndedWork, PhraseRequired, PlannedCall};
