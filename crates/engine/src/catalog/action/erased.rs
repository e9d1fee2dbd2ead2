//! Type-erased actions: JSON in, JSON text out.

use futures_util::future::BoxFuture;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, value::to_raw_value};
use toolcrib_model::Cursor;
use toolcrib_registry::deserialize;

use super::{ExternalAction, ReadAction, Target, WriteAction};
use crate::{
    base::{ActionError, Done, large},
    catalog::{ExternalCx, ReadCx, WriteCx},
};

/// A boxed future, because async methods are not dyn-compatible.
type Running<'a, T> = BoxFuture<'a, Result<T, ActionError>>;

pub trait ErasedRead: Send + Sync {
    /// Returns whether each run returns the cursors of its page's items.
    fn paged(&self) -> bool;
    fn run<'a>(&'a self, cx: &'a mut ReadCx<'_>, input: Value) -> Running<'a, Done>;
}

pub trait ErasedWrite: Send + Sync {
    fn resolve<'a>(&'a self, cx: &'a mut ReadCx<'_>, input: Value) -> Running<'a, (Value, Target)>;
    fn run<'a>(&'a self, cx: &'a mut WriteCx<'_>, input: Value) -> Running<'a, Done>;
}

pub trait ErasedExternal: Send + Sync {
    fn run<'a>(&'a self, cx: &'a ExternalCx<'_>, input: Value) -> Running<'a, Done>;
    fn available(&self) -> bool;
    fn services(&self) -> &'static [&'static str];
}

/// Returns the cursor after each item of a page.
type Ends<O> = fn(&O) -> &[Cursor];

/// An action that reads, and for pages the function that returns their cursors.
pub struct Read<A: ReadAction> {
    pub action: A,
    pub ends: Option<Ends<A::Output>>,
}

impl<A: ReadAction> ErasedRead for Read<A> {
    fn paged(&self) -> bool {
        self.ends.is_some()
    }

    fn run<'a>(&'a self, cx: &'a mut ReadCx<'_>, input: Value) -> Running<'a, Done> {
        Box::pin(async move {
            let input: A::Input = parse(input)?;
            let output = self.action.run(cx, &input).await?;
            let ends = self.ends.map(|ends| ends(&output).to_vec()).unwrap_or_default();
            Ok(Done { ends, ..done(A::describe(&input, &output), &output)? })
        })
    }
}

impl<A: WriteAction> ErasedWrite for A {
    fn resolve<'a>(&'a self, cx: &'a mut ReadCx<'_>, input: Value) -> Running<'a, (Value, Target)> {
        Box::pin(async move {
            let given = input.clone();
            let mut input: A::Input = parse(input)?;
            let target = WriteAction::resolve(self, cx, &mut input).await?;
            Ok((value(&input, &given)?, target))
        })
    }

    fn run<'a>(&'a self, cx: &'a mut WriteCx<'_>, input: Value) -> Running<'a, Done> {
        Box::pin(async move {
            let input: A::Input = parse(input)?;
            let output = WriteAction::run(self, cx, &input).await?;
            done(A::describe(&input, &output), &output)
        })
    }
}

impl<A: ExternalAction> ErasedExternal for A {
    fn run<'a>(&'a self, cx: &'a ExternalCx<'_>, input: Value) -> Running<'a, Done> {
        Box::pin(async move {
            let input: A::Input = parse(input)?;
            let output = ExternalAction::run(self, cx, &input).await?;
            done(A::describe(&input, &output), &output)
        })
    }

    fn available(&self) -> bool {
        ExternalAction::available(self)
    }

    fn services(&self) -> &'static [&'static str] {
        ExternalAction::services(self)
    }
}

/// Deserializes the input. The schema has accepted it already; what the type still refuses becomes an
/// argument error.
pub fn parse<I: DeserializeOwned>(input: Value) -> Result<I, ActionError> {
    large::compute_large(large::weight(&input), || deserialize(input))
        .map_err(|error| ActionError::invalid_all(vec![error]))
}

fn value<T: Serialize>(of: &T, given: &Value) -> Result<Value, ActionError> {
    let value = large::compute_large(large::weight(given), || serde_json::to_value(of));
    let mut value = value.map_err(|error| ActionError::internal(error.to_string()))?;
    if let Some(fields) = value.as_object_mut() {
        // An optional parameter that was not given must be absent and not null, so that equal calls have
        // equal digests. A null that was given and passed validation is a value (`x-nullable`).
        fields.retain(|key, field| !field.is_null() || given.get(key).is_some_and(Value::is_null));
    }
    Ok(value)
}

pub fn done<T: Serialize>(description: String, output: &T) -> Result<Done, ActionError> {
    let data = to_raw_value(output).map_err(|error| ActionError::internal(error.to_string()))?;
    Ok(Done { data, description, ends: Vec::new(), truncated: false, unreadable: None })
}
