//! The frame of GraphQL answers: data, or errors; lists as edges of nodes.

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

/// A list.
#[derive(Deserialize)]
pub struct GraphqlConnection<T> {
    edges: Vec<Edge<T>>,
}

#[derive(Deserialize)]
struct Edge<T> {
    node: T,
}

impl<T> GraphqlConnection<T> {
    /// What is in it.
    pub fn nodes(self) -> impl Iterator<Item = T> {
        self.edges.into_iter().map(|edge| edge.node)
    }
}

/// The data of an answer's body. With an error in it there is no half of it.
pub fn data<T: DeserializeOwned>(body: &[u8]) -> Result<T, UpstreamError> {
    // What is wrong is said beside data of another shape, such as null: the errors are read first.
    let errors = read::<Envelope<serde::de::IgnoredAny>>(body)?.errors;
    if let Some(error) = errors.into_iter().next() {
        return Err(UpstreamError::Refused(error.message));
    }
    read::<Envelope<T>>(body)?
        .data
        .ok_or_else(|| UpstreamError::Malformed("it has neither data nor errors".to_owned()))
}
