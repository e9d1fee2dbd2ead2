//! The shapes of what is not an action's arguments: each is checked by the schema that documents it.

use std::marker::PhantomData;

use axum::http::Uri;
use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use toolcrib_engine::{ActionError, ApproveRequest, ConfirmationFilter, EventsFilter, TokenText};
use toolcrib_model::ErrorCode;
use toolcrib_registry::{InputSchema, schema_of};

use crate::{
    actions::ActionsQuery,
    calls::CallsRequest,
    query,
    tools::{ListRequest, PromptQuery, SearchRequest},
};

/// A shape with its schema.
pub(crate) struct SchemaFor<T> {
    schema: Result<InputSchema, String>,
    shape: PhantomData<fn() -> T>,
}

impl<T: JsonSchema + DeserializeOwned> Default for SchemaFor<T> {
    fn default() -> Self {
        Self::without(&[])
    }
}

impl<T: JsonSchema + DeserializeOwned> SchemaFor<T> {
    /// The shape with some properties left out: here they are unknown.
    fn without(names: &[&str]) -> Self {
        let mut schema = schema_of::<T>();
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            properties.retain(|name, _| !names.contains(&name.as_str()));
        }
        Self { schema: InputSchema::new(schema), shape: PhantomData }
    }

    /// Reads a body; every error has its pointer.
    pub fn read(&self, mut value: Value) -> Result<T, ActionError> {
        let schema = self.schema.as_ref().map_err(ActionError::internal)?;
        let errors = schema.check(&mut value);
        if !errors.is_empty() {
            return Err(ActionError::invalid_all(errors));
        }
        serde_json::from_value(value)
            .map_err(|fault| ActionError::new(ErrorCode::InvalidArguments, fault.to_string()))
    }

    /// Reads the query of an address.
    pub fn query(&self, uri: &Uri) -> Result<T, ActionError> {
        self.read(Value::Object(query::object(uri, self.schema())?))
    }

    /// The published schema.
    pub fn schema(&self) -> &Value {
        self.schema.as_ref().map_or(&Value::Null, InputSchema::value)
    }
}

/// `GET /v1/confirmations/{id}`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct WaitQuery {
    /// Seconds to hold the answer while nobody decided.
    #[schemars(range(min = 0, max = 60))]
    pub wait: Option<u64>,
}

/// `POST /v1/confirmations/{id}/deny`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct DenyRequest {
    /// What goes back to whoever asked.
    #[schemars(length(min = 1, max = 500))]
    pub reason: Option<String>,
    /// The person's own token, where a service key relays their decision of a typed confirmation.
    #[schemars(with = "Option<String>", length(min = 1, max = 8_192), extend("x-sensitive" = true))]
    pub user_token: Option<TokenText>,
}

/// Every shape.
pub(crate) struct RequestSchemas {
    pub list: SchemaFor<ListRequest>,
    pub list_query: SchemaFor<ListRequest>,
    pub prompt: SchemaFor<PromptQuery>,
    pub search: SchemaFor<SearchRequest>,
    pub calls: SchemaFor<CallsRequest>,
    pub actions: SchemaFor<ActionsQuery>,
    pub confirmations: SchemaFor<ConfirmationFilter>,
    pub wait: SchemaFor<WaitQuery>,
    pub approve: SchemaFor<ApproveRequest>,
    pub deny: SchemaFor<DenyRequest>,
    pub events: SchemaFor<EventsFilter>,
}

impl Default for RequestSchemas {
    fn default() -> Self {
        Self {
            list: SchemaFor::default(),
            // The conversation belongs into a body, not into an address.
            list_query: SchemaFor::without(&["context"]),
            prompt: SchemaFor::default(),
            search: SchemaFor::default(),
            calls: SchemaFor::default(),
            actions: SchemaFor::default(),
            confirmations: SchemaFor::default(),
            wait: SchemaFor::default(),
            approve: SchemaFor::default(),
            deny: SchemaFor::default(),
            events: SchemaFor::default(),
        }
    }
}
