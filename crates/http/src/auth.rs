//! Extractors that read the head of a request: the authenticated caller, the request's metadata and the path
//! parameters.

use std::{collections::HashMap, net::IpAddr, sync::Arc};

use axum::{
    extract::{FromRequestParts, Path},
    http::{HeaderMap, header, request::Parts as Head},
};
use toolcrib_auth::{Authenticated, Credential, RequestedContext, Resource};
use toolcrib_engine::ActionError;

use crate::{
    headers,
    problem::{ProblemResponse, malformed},
    request_meta::RequestMeta,
    session_cookie::session_of,
    state::HttpState,
};

/// Extracts the verified credential and the requested context. Uses the head of the request only: the body of
/// a request without a valid credential is not read. Refuses client tokens.
pub(crate) struct Auth(pub Authenticated);

impl FromRequestParts<Arc<HttpState>> for Auth {
    type Rejection = ProblemResponse;

    async fn from_request_parts(head: &mut Head, state: &Arc<HttpState>) -> Result<Self, ProblemResponse> {
        Ok(Self(authenticated(head, state, Resource::Api).await?))
    }
}

/// Like [`Auth`], for routes that also accept client tokens: those of confirmations and events.
pub(crate) struct ClientAuth(pub Authenticated);

impl FromRequestParts<Arc<HttpState>> for ClientAuth {
    type Rejection = ProblemResponse;

    async fn from_request_parts(head: &mut Head, state: &Arc<HttpState>) -> Result<Self, ProblemResponse> {
        Ok(Self(authenticated(head, state, Resource::Confirmations).await?))
    }
}

/// Verifies the credential for a resource and reads the `X-…` headers of the requested context.
pub(crate) async fn authenticated(
    head: &Head,
    state: &Arc<HttpState>,
    resource: Resource,
) -> Result<Authenticated, ActionError> {
    let meta = RequestMeta::of_head(head)?;
    let proof = Proof::of(head, meta, resource)?;
    let credential = proof.verify(state, resource, meta.peer).await?;
    Ok(Authenticated {
        credential,
        requested: headers::requested(&head.headers, state.engine().catalog().packs())?,
    })
}

/// The credential of a response that is streamed. It is kept as it was sent, because each part verifies it again.
pub(crate) struct StreamCredential {
    proof: Proof,
    requested: RequestedContext,
    resource: Resource,
    peer: IpAddr,
}

impl StreamCredential {
    /// Reads the credential of a request for a resource.
    pub fn of(head: &Head, state: &Arc<HttpState>, resource: Resource) -> Result<Self, ActionError> {
        let meta = RequestMeta::of_head(head)?;
        Ok(Self {
            proof: Proof::of(head, meta, resource)?,
            requested: headers::requested(&head.headers, state.engine().catalog().packs())?,
            resource,
            peer: meta.peer,
        })
    }

    pub async fn verify(&self, state: &Arc<HttpState>) -> Result<Authenticated, ActionError> {
        let credential = self.proof.verify(state, self.resource, self.peer).await?;
        Ok(Authenticated { credential, requested: self.requested.clone() })
    }
}

/// What a request proves its caller with.
enum Proof {
    /// The `Authorization` header, if there is one.
    Header(Option<String>),
    /// The secret of a session of the console.
    Session(String),
}

impl Proof {
    /// Reads the proof of a request. 400 if there are two. A session counts for the REST API only.
    fn of(head: &Head, meta: &RequestMeta, resource: Resource) -> Result<Self, ActionError> {
        let session = session_of(head, meta)?.filter(|_| resource != Resource::Mcp);
        if let Some(secret) = session {
            return Ok(Self::Session(secret.to_owned()));
        }
        Ok(Self::Header(authorization(&head.headers)?.map(str::to_owned)))
    }

    async fn verify(
        &self,
        state: &Arc<HttpState>,
        resource: Resource,
        peer: IpAddr,
    ) -> Result<Credential, ActionError> {
        let auth = &state.app.auth;
        Ok(match self {
            Self::Header(text) => auth.authenticate(resource, text.as_deref(), peer).await?,
            Self::Session(secret) => auth.authenticate_session(secret, peer).await?,
        })
    }
}

/// Returns the value of `Authorization`. 400 if the header was sent more than once.
pub fn authorization(headers: &HeaderMap) -> Result<Option<&str>, ActionError> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let authorization = sent.next().map(|value| value.to_str().unwrap_or_default());
    if sent.next().is_some() {
        return Err(malformed("`Authorization` was sent more than once"));
    }
    Ok(authorization)
}

impl FromRequestParts<Arc<HttpState>> for RequestMeta {
    type Rejection = ProblemResponse;

    async fn from_request_parts(head: &mut Head, _: &Arc<HttpState>) -> Result<Self, ProblemResponse> {
        Ok(RequestMeta::of_head(head)?.clone())
    }
}

/// The path parameters by name, percent-decoded.
pub(crate) struct PathParams(pub HashMap<String, String>);

impl FromRequestParts<Arc<HttpState>> for PathParams {
    type Rejection = ProblemResponse;

    async fn from_request_parts(head: &mut Head, state: &Arc<HttpState>) -> Result<Self, ProblemResponse> {
        let names = Path::<HashMap<String, String>>::from_request_parts(head, state).await;
        names
            .map(|Path(names)| Self(names))
            .map_err(|_| ProblemResponse(malformed("the path is not valid UTF-8")))
    }
}

/// The only path parameter of a route that has one.
pub(crate) struct PathParam(pub String);

impl FromRequestParts<Arc<HttpState>> for PathParam {
    type Rejection = ProblemResponse;

    async fn from_request_parts(head: &mut Head, state: &Arc<HttpState>) -> Result<Self, ProblemResponse> {
        let PathParams(names) = PathParams::from_request_parts(head, state).await?;
        Ok(Self(names.into_values().next().unwrap_or_default()))
    }
}
