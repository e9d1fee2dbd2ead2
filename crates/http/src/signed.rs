//! What handlers take from the head of a request: who calls, what is known of the request, the names in its path.

use std::collections::HashMap;

use axum::{
    extract::{FromRequestParts, Path},
    http::{HeaderMap, header, request::Parts as Head},
};
use toolcrib_engine::{ActionError, Authenticated, auth::Resource};

use crate::{
    fault::{Fault, malformed},
    headers,
    state::Shared,
    trail::Trail,
};

/// A request with a valid credential. Taken from the head alone: without one the body is not read.
pub(crate) struct Signed(pub Authenticated);

impl FromRequestParts<Shared> for Signed {
    type Rejection = Fault;

    async fn from_request_parts(head: &mut Head, shared: &Shared) -> Result<Self, Fault> {
        Ok(Self(authenticated(head, shared, Resource::Api).await?))
    }
}

/// Who sends this request, over which protocol, and what they ask for in its headers.
pub(crate) async fn authenticated(
    head: &Head,
    shared: &Shared,
    resource: Resource,
) -> Result<Authenticated, ActionError> {
    let trail = trail(head)?;
    let authorization = authorization(&head.headers)?;
    let credential = shared.app.auth.authenticate_for(resource, authorization, trail.peer).await?;
    Ok(Authenticated { credential, requested: headers::requested(&head.headers)? })
}

/// The one `Authorization` header.
pub(crate) fn authorization(headers: &HeaderMap) -> Result<Option<&str>, ActionError> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let authorization = sent.next().map(|value| value.to_str().unwrap_or_default());
    if sent.next().is_some() {
        return Err(malformed("`Authorization` was sent more than once"));
    }
    Ok(authorization)
}

impl FromRequestParts<Shared> for Trail {
    type Rejection = Fault;

    async fn from_request_parts(head: &mut Head, _: &Shared) -> Result<Self, Fault> {
        Ok(trail(head)?)
    }
}

fn trail(head: &Head) -> Result<Trail, ActionError> {
    let known = head.extensions.get::<Trail>().cloned();
    known.ok_or_else(|| ActionError::internal("a handler runs outside of the outermost layer"))
}

/// The names in the path, decoded.
pub(crate) struct Names(pub HashMap<String, String>);

impl FromRequestParts<Shared> for Names {
    type Rejection = Fault;

    async fn from_request_parts(head: &mut Head, shared: &Shared) -> Result<Self, Fault> {
        let names = Path::<HashMap<String, String>>::from_request_parts(head, shared).await;
        names.map(|Path(names)| Self(names)).map_err(|_| Fault(malformed("the path is not valid UTF-8")))
    }
}

/// The one name in the path.
pub(crate) struct Name(pub String);

impl FromRequestParts<Shared> for Name {
    type Rejection = Fault;

    async fn from_request_parts(head: &mut Head, shared: &Shared) -> Result<Self, Fault> {
        let Names(names) = Names::from_request_parts(head, shared).await?;
        Ok(Self(names.into_values().next().unwrap_or_default()))
    }
}
