//! A request type with its JSON Schema. The published schema is also the one that validates requests.

use std::marker::PhantomData;

use axum::http::Uri;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolcrib_engine::ActionError;
use toolcrib_model::ErrorCode;
use toolcrib_registry::{InputSchema, schema_of};

use crate::query;

/// The schema of `T`.
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
    /// Creates the schema without some properties. They are refused as unknown.
    pub fn without(names: &[&str]) -> Self {
        let mut schema = schema_of::<T>();
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            properties.retain(|name, _| !names.contains(&name.as_str()));
        }
        Self { schema: InputSchema::new(schema), shape: PhantomData }
    }

    /// Validates a value and converts it to `T`. Returns all validation errors, each with its JSON pointer.
    pub fn read(&self, mut value: Value) -> Result<T, ActionError> {
        let schema = self.schema.as_ref().map_err(ActionError::internal)?;
        let errors = schema.check(&mut value);
        if !errors.is_empty() {
            return Err(ActionError::invalid_all(errors));
        }
        serde_json::from_value(value)
            .map_err(|fault| ActionError::new(ErrorCode::InvalidArguments, fault.to_string()))
    }

    /// Parses the query of a URI.
    pub fn query(&self, uri: &Uri) -> Result<T, ActionError> {
        self.read(Value::Object(query::object(uri, self.schema())?))
    }

    /// Returns the published schema.
    pub fn schema(&self) -> &Value {
        self.schema.as_ref().map_or(&Value::Null, InputSchema::value)
    }
}
