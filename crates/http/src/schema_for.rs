//! A request type with its JSON Schema. The published schema is also the one that validates requests.

use std::{marker::PhantomData, sync::LazyLock};

use axum::http::Uri;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolcrib_engine::ActionError;
use toolcrib_model::ErrorCode;
use toolcrib_registry::{InputSchema, schema_of};

use crate::query;

/// The schema of `T`, made at its first use.
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
    pub fn read(&self, mut value: Value) -> Result<T, ActionError> {
        let schema = self.schema.as_ref().map_err(ActionError::internal)?;
        let errors = schema.check(&mut value);
        if !errors.is_empty() {
            return Err(ActionError::invalid_all(errors));
        }
        serde_json::from_value(value)
            .map_err(|error| ActionError::new(ErrorCode::InvalidArguments, error.to_string()))
    }

    pub fn query(&self, uri: &Uri) -> Result<T, ActionError> {
        self.read(Value::Object(query::object(uri, self.schema())?))
    }

    /// Returns the published schema.
    pub fn schema(&self) -> &Value {
        self.schema.as_ref().map_or(&Value::Null, InputSchema::value)
    }
}
