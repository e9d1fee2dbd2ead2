//! Types and schemas of requests whose parameters are not the arguments of an action.

mod actions;
mod calls;
mod confirmations;
mod open_calls;
mod tools;

pub(crate) use actions::{ActionFields, ActionsQuery};
pub(crate) use calls::{CallsRequest, Foreign};
pub(crate) use confirmations::{DenyRequest, WaitQuery};
pub(crate) use open_calls::{CallQuery, OutcomesRequest, ToolOutcome};
pub(crate) use tools::{PromptQuery, SearchRequest};

use toolcrib_engine::{
    ApproveRequest, CallReport, ConfirmationFilter, EventsFilter, OpenCallFilter,
    lists::{ListOptions, ListRequest},
};

use crate::schema_for::SchemaFor;

/// Every request type with its schema.
#[derive(Default)]
pub(crate) struct RequestSchemas {
    pub list: SchemaFor<ListRequest>,
    /// Without `context`: URLs are logged, so the conversation may only be in a body.
    pub list_query: SchemaFor<ListOptions>,
    pub prompt: SchemaFor<PromptQuery>,
    pub search: SchemaFor<SearchRequest>,
    pub calls: SchemaFor<CallsRequest>,
    pub actions: SchemaFor<ActionsQuery>,
    pub confirmations: SchemaFor<ConfirmationFilter>,
    pub wait: SchemaFor<WaitQuery>,
    pub approve: SchemaFor<ApproveRequest>,
    pub deny: SchemaFor<DenyRequest>,
    pub open_calls: SchemaFor<OpenCallFilter>,
    pub open_call: SchemaFor<CallQuery>,
    pub report: SchemaFor<CallReport>,
    pub outcomes: SchemaFor<OutcomesRequest>,
    pub events: SchemaFor<EventsFilter>,
}
