//! Parses GraphQL responses: data or errors, and lists as edges of nodes.

use serde::{Deserialize, de::DeserializeOwned};

use crate::{UpstreamError, client::read};

#[derive(Deserialize)]
struct Envelope<T> {
    data: Option<T>,
    #[serde(default)]
    errors: Vec<Error>,
}

#[derive(Deserialize)]
struct Error {
    #[serde(default)]
    message: String,
}

/// A list in the form of a GraphQL connection.
#[derive(Deserialize)]
pub struct GraphqlConnection<T> {
    edges: Vec<Edge<T>>,
}

#[derive(Deserialize)]
struct Edge<T> {
    node: T,
}

impl<T> GraphqlConnection<T> {
    pub fn nodes(self) -> impl Iterator<Item = T> {
        self.edges.into_iter().map(|edge| edge.node)
    }
}

/// Returns the data of a response's body. Any error fails the whole response, even one with partial data.
pub fn data<T: DeserializeOwned>(body: &[u8]) -> Result<T, UpstreamError> {
    // Read the errors first, because `data` may then be null or have another shape.
    let errors = read::<Envelope<serde::de::IgnoredAny>>(body)?.errors;
    if let Some(error) = errors.into_iter().next() {
        return Err(UpstreamError::Refused(error.message));
    }
    read::<Envelope<T>>(body)?
        .data
        .ok_or_else(|| UpstreamError::Malformed("it has neither data nor errors".to_owned()))
}
