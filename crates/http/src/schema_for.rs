//! A request type with its JSON Schema: the schema that is published is the one that validates.

use std::marker::PhantomData;

use axum::http::Uri;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolcrib_engine::ActionError;
use toolcrib_model::ErrorCode;
use toolcrib_registry::{InputSchema, schema_of};

use crate::query;

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
    pub fn without(names: &[&str]) -> Self {
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
