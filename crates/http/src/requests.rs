//! Types and schemas of requests whose parameters are not the arguments of an action.

use std::{marker::PhantomData, sync::LazyLock};

use axum::http::Uri;
use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use toolcrib_engine::{
    ActionError, ApproveRequest, CallReport, ConfirmationFilter, EventsFilter, OpenCallFilter,
    ReportedStatus, TokenText,
    lists::{ListOptions, ListRequest, Strategy},
};
use toolcrib_registry::{Format, InputSchema, schema_of};

use crate::query;

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
    pub chat: SchemaFor<ChatRequest>,
    pub events: SchemaFor<EventsFilter>,
    pub reference: SchemaFor<ReferenceQuery>,
}

/// The schema of `T`, made at its first use. The published schema is also the one that validates requests.
pub(crate) struct SchemaFor<T> {
    schema: LazyLock<Result<InputSchema, String>>,
    shape: PhantomData<fn() -> T>,
}

impl<T: JsonSchema + DeserializeOwned> Default for SchemaFor<T> {
    fn default() -> Self {
        Self { schema: LazyLock::new(|| InputSchema::new(schema_of::<T>())), shape: PhantomData }
    }
}

impl<T: JsonSchema + DeserializeOwned> SchemaFor<T> {
    /// Validates a value and converts it to `T`. Returns all validation errors, each with its JSON pointer.
    pub fn read(&self, value: Value) -> Result<T, ActionError> {
        let schema = self.schema.as_ref().map_err(ActionError::internal)?;
        schema.deserialize(value).map_err(ActionError::invalid_all)
    }

    pub fn query(&self, uri: &Uri) -> Result<T, ActionError> {
        self.read(Value::Object(query::object(uri, self.schema())?))
    }

    /// Returns the published schema.
    pub fn schema(&self) -> &Value {
        self.schema.as_ref().map_or(&Value::Null, InputSchema::value)
    }
}

/// `GET /docs`
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ReferenceQuery {
    /// Words to search for. An operation that is found has each of them in its name, path or texts.
    #[schemars(length(max = 200))]
    pub q: Option<String>,
}

/// `GET /v1/tools/prompt`
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct PromptQuery {
    /// A section of direct tools before the others.
    #[serde(default)]
    pub include_promoted: bool,
}

/// `POST /v1/tools/search`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(crate) struct SearchRequest {
    /// What the user wants to do, in their own words.
    #[schemars(length(min = 1, max = 2_000))]
    pub query: String,
    /// Maximum number of items.
    #[schemars(range(min = 1, max = 50))]
    pub limit: Option<usize>,
    /// Only actions of this section of the catalogue, such as `agents`.
    #[schemars(length(min = 1, max = 40))]
    pub category: Option<String>,
    /// Whether each has the schema of its parameters. Default: yes.
    pub include_schema: Option<bool>,
}

/// Calls of names without the platform's prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum Foreign {
    /// They are answered as unknown.
    #[default]
    Refuse,
    /// They are left to the application and listed in `unhandled`.
    Skip,
}

/// One turn's tool calls.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CallsRequest {
    /// Format of the provider.
    #[serde(default)]
    pub format: Format,
    /// Tool calls as the provider returned them, at most 32. Other items are ignored.
    #[schemars(length(max = 1_000))]
    pub tool_calls: Vec<Value>,
    /// What happens to names without the prefix `platform_`.
    #[serde(default)]
    pub foreign: Foreign,
    /// Seconds to wait for the decision of a person.
    #[schemars(range(min = 0, max = 60))]
    pub wait: Option<u64>,
    /// Strategy of the list that the model was shown. Accepted for older clients; it changes nothing.
    #[expect(dead_code, reason = "clients that send it are not refused")]
    pub strategy: Option<Strategy>,
}

/// `GET /v1/actions`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ActionsQuery {
    /// `denied`: also those that this caller may not call, with the reason. Needs `audit:read`.
    pub include: Option<Include>,
    /// `summary`: only name, first sentence, category, level and permission of each action, and what a call needs.
    pub fields: Option<ActionFields>,
    /// Maximum number of items.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<usize>,
    /// `next_cursor` of the page before.
    #[schemars(length(min = 1, max = 64))]
    pub cursor: Option<String>,
}

/// What is shown of each action.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum ActionFields {
    /// What a list for people shows.
    Summary,
}

/// What else is listed.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum Include {
    /// Actions that this caller may not call.
    Denied,
}

/// `GET /v1/confirmations/{id}`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct WaitQuery {
    /// Seconds to wait for the decision.
    #[schemars(range(min = 0, max = 60))]
    pub wait: Option<u64>,
}

/// `POST /v1/confirmations/{id}/deny`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct DenyRequest {
    /// Why the call is denied. The caller reads it.
    #[schemars(length(min = 1, max = 500))]
    pub reason: Option<String>,
    /// The person's own token, where a service key relays their decision of a typed confirmation.
    #[schemars(with = "Option<String>", length(min = 1, max = 8_192), extend("x-sensitive" = true))]
    pub user_token: Option<TokenText>,
}

/// `GET /v1/calls/{id}`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct CallQuery {
    /// Seconds to wait for the end of the call.
    #[schemars(range(min = 0, max = 60))]
    pub wait: Option<u64>,
}

/// `POST /v1/tools/outcomes`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct OutcomesRequest {
    /// Format of the messages.
    #[serde(default)]
    pub format: Format,
    /// Outcomes of calls that the application ran. They are recorded in this order.
    #[schemars(length(min = 1, max = 32))]
    pub outcomes: Vec<ToolOutcome>,
}

/// The outcome of one call: of a claimed call with `call_id`, or of a read with `action` and `tool_call_id`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ToolOutcome {
    /// ID of a claimed call, whose outcome is recorded.
    #[schemars(length(min = 1, max = 64))]
    pub call_id: Option<String>,
    /// Name of the tool, for a read (`claim: false`): its outcome is only formatted.
    #[schemars(length(min = 1, max = 64))]
    pub action: Option<String>,
    /// `tool_call_id` of the read; empty if the provider gave none.
    #[schemars(length(max = 512))]
    pub tool_call_id: Option<String>,
    /// How the call ended.
    pub status: ReportedStatus,
    /// What the tool returned: any JSON of at most 256 KiB.
    #[schemars(with = "Option<Value>", extend("x-free" = true))]
    pub output: Option<Value>,
    /// Why the call failed or did not run.
    #[schemars(length(max = 2000))]
    pub error: Option<String>,
}

/// `POST /v1/assistant/chat`, as `useChat` of the AI SDK sends it. Other members are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
pub(crate) struct ChatRequest {
    /// Name of the thread, which the client chooses.
    #[schemars(length(min = 1, max = 64), regex(pattern = r"^[A-Za-z0-9_-]{1,64}$"))]
    pub id: String,
    /// Messages as `UIMessage`. Only the last one is read: one of the `user`, or the `assistant`'s own with decisions.
    // A front end sends the whole conversation. The size of the body is the limit.
    #[serde(default)]
    #[schemars(length(max = 8_388_608), extend("x-free" = true))]
    pub messages: Vec<Value>,
    /// Last message alone, in place of `messages`.
    #[schemars(with = "Option<Value>", extend("x-free" = true))]
    pub message: Option<Value>,
    /// Agent whose prompt, model, temperature and promoted tools are used. It gives no access.
    #[schemars(length(min = 1, max = 64))]
    pub agent: Option<String>,
    /// Model; by default the agent's, or else the first one of `GET /v1/assistant/models`.
    #[schemars(length(min = 1, max = 200))]
    pub model: Option<String>,
}
