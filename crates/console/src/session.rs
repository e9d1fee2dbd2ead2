//! The endpoints of the sign-in: who is signed in, sign-in, and sign-out here and everywhere.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::State,
    http::{HeaderValue, Request, StatusCode, header, request::Parts as Head},
    response::{IntoResponse as _, Response},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolcrib_auth::{Authenticator, ConsoleSession, Login, SessionPerson};
use toolcrib_engine::ActionError;
use toolcrib_http::mount::{BrowserRequest, authorization, collected, refusal, same_origin};
use toolcrib_model::{Clock, ErrorCode, Id, IdGen};

/// A person of the demo, whom a session that began with the demo's link may become.
#[derive(Clone, Debug, Serialize)]
pub struct DemoPerson {
    pub user_id: Id,
    pub name: Option<String>,
    pub role: String,
    /// The name of their workspace.
    pub workspace: String,
    /// The titles of the packs that were on there when the demo was started.
    pub packs: Vec<String>,
    /// The issuer of their tokens.
    #[serde(skip)]
    pub issuer: String,
    /// The issuer's ID of them.
    #[serde(skip)]
    pub subject: String,
}

/// The sign-in through an identity provider, with what it needs from the process.
pub struct ProviderSignIn {
    pub login: Login,
    /// The address of this service that the provider sends browsers back to, without a trailing slash.
    pub public_url: String,
    pub clock: Arc<dyn Clock>,
}

/// What the console needs from the process. The handlers of its sign-in share it.
pub struct ConsoleSettings {
    /// Verifies credentials and keeps the sessions.
    pub auth: Arc<Authenticator>,
    /// The source of secrets.
    pub ids: Arc<dyn IdGen>,
    /// The people of the demo. Empty without a demo.
    pub people: Vec<DemoPerson>,
    /// The identity provider, if the console is a client of it.
    pub provider: Option<ProviderSignIn>,
}

/// `{ "as": "<user id>" }`
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BecomeRequest {
    r#as: Id,
}

impl ConsoleSettings {
    /// The session of the request. 401 if there is none.
    async fn session(&self, browser: &BrowserRequest) -> Result<ConsoleSession, ActionError> {
        let secret = browser.session.as_deref().ok_or_else(|| {
            ActionError::new(ErrorCode::Unauthenticated, "nobody is signed in")
                .hint("sign in at `/console/login`")
        })?;
        Ok(self.auth.session(secret, browser.peer).await?)
    }

    fn may_become(&self, browser: &BrowserRequest, session: &ConsoleSession) -> bool {
        browser.local && session.by_link() && !self.people.is_empty()
    }

    fn ways(&self, browser: &BrowserRequest) -> Vec<&'static str> {
        if !browser.may_sign_in() {
            return Vec::new();
        }
        let link = (!self.people.is_empty()).then_some("link");
        let oidc = self.provider.is_some().then_some("oidc");
        [oidc, Some("token"), link].into_iter().flatten().collect()
    }

    async fn read(&self, head: &Head) -> Result<Value, ActionError> {
        let browser = BrowserRequest::of(head)?;
        let mut view = match self.session(&browser).await {
            Ok(session) => self.view(&browser, &session),
            Err(error) if error.code == ErrorCode::Unauthenticated => json!({ "signed_in": false }),
            Err(error) => return Err(error),
        };
        view["ways"] = json!(self.ways(&browser));
        if let Some(provider) = &self.provider {
            // A page at another address can't finish a sign-in, and says so.
            view["public_url"] = json!(provider.public_url);
        }
        Ok(view)
    }

    fn view(&self, browser: &BrowserRequest, session: &ConsoleSession) -> Value {
        let user = json!({ "id": session.user_id, "issuer": session.issuer(), "subject": session.subject(),
            "name": session.name() });
        let mut view = json!({ "signed_in": true, "user": user, "system_admin": session.system_admin(),
            "ends_at": session.ends_at() });
        if self.may_become(browser, session) {
            view["people"] = json!(self.people);
        }
        view
    }

    async fn sign_in(&self, head: &Head, body: Body) -> Result<HeaderValue, ActionError> {
        let browser = BrowserRequest::of(head)?;
        if !same_origin(&head.headers) {
            let error = ActionError::new(ErrorCode::MalformedRequest, "only the console signs in here");
            return Err(error.hint("programs send their credential with each call of the API"));
        }
        if !browser.may_sign_in() {
            let detail = "signing in needs https";
            return Err(ActionError::new(ErrorCode::MalformedRequest, detail)
                .hint("open the console by https and set `--public-url`, or use it on the machine itself"));
        }
        let body = collected(&head.headers, body).await?;
        let secret = match authorization(&head.headers)? {
            Some(_) if !body.is_empty() => {
                return Err(ActionError::new(ErrorCode::MalformedRequest, "a sign-in has no body"));
            }
            None if !body.is_empty() => self.become_other(&browser, &body).await?,
            given => self.with_credential(&browser, given).await?,
        };
        let cookie = browser.set_cookie(Some(&secret));
        cookie.ok_or_else(|| ActionError::internal("the cookie of a session can't be written"))
    }

    /// Signs in with a credential, and ends the session that the browser had.
    async fn with_credential(
        &self,
        browser: &BrowserRequest,
        authorization: Option<&str>,
    ) -> Result<String, ActionError> {
        let secret = self.auth.sign_in(authorization, browser.peer, self.ids.as_ref()).await?;
        if let Ok(old) = self.session(browser).await {
            self.auth.sign_out(&old).await?;
        }
        Ok(secret)
    }

    async fn become_other(&self, browser: &BrowserRequest, body: &[u8]) -> Result<String, ActionError> {
        let session = self.session(browser).await?;
        let wanted: BecomeRequest = serde_json::from_slice(body).map_err(|_| {
            ActionError::new(ErrorCode::MalformedRequest, "the body must be `{ \"as\": \"<user ID>\" }`")
        })?;
        if !self.may_become(browser, &session) {
            let detail = "only a session of the demo's link may become somebody else, on the machine itself";
            return Err(ActionError::new(ErrorCode::PermissionDenied, detail));
        }
        let person = self.people.iter().find(|person| person.user_id == wanted.r#as);
        let person = person.ok_or_else(|| ActionError::not_found("person", &wanted.r#as.to_string()))?;
        let other = SessionPerson { issuer: person.issuer.clone(), subject: person.subject.clone() };
        Ok(self.auth.become_other(&session, other, self.ids.as_ref()).await?)
    }

    async fn sign_out(&self, head: &Head, everywhere: bool) -> Result<Option<HeaderValue>, ActionError> {
        if head.headers.contains_key(header::AUTHORIZATION) {
            let detail = "signing out is done with the session's cookie alone";
            return Err(ActionError::new(ErrorCode::MalformedRequest, detail));
        }
        let browser = BrowserRequest::of(head)?;
        let session = self.session(&browser).await?;
        let ended = if everywhere { self.auth.sign_out_everywhere(&session).await? } else { 1 };
        self.auth.sign_out(&session).await?;
        tracing::info!(ended, "signed out of the console");
        Ok(browser.set_cookie(None))
    }
}

/// `GET /console/session`
pub async fn read(State(state): State<Arc<ConsoleSettings>>, request: Request<Body>) -> Response {
    let (head, _) = request.into_parts();
    match state.read(&head).await {
        Ok(view) => ([(header::CONTENT_TYPE, "application/json")], view.to_string()).into_response(),
        Err(error) => refusal(error),
    }
}

/// `POST /console/session`
pub async fn sign_in(State(state): State<Arc<ConsoleSettings>>, request: Request<Body>) -> Response {
    let (head, body) = request.into_parts();
    match state.sign_in(&head, body).await {
        Ok(cookie) => (StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response(),
        Err(error) => {
            tracing::info!(code = error.code.as_str(), cause = error.internal, "a sign-in was refused");
            refusal(error)
        }
    }
}

/// `DELETE /console/session`
pub async fn sign_out(State(state): State<Arc<ConsoleSettings>>, request: Request<Body>) -> Response {
    signed_out(state.sign_out(&request.into_parts().0, false).await)
}

/// `DELETE /console/sessions`
pub async fn sign_out_everywhere(
    State(state): State<Arc<ConsoleSettings>>,
    request: Request<Body>,
) -> Response {
    signed_out(state.sign_out(&request.into_parts().0, true).await)
}

fn signed_out(signed_out: Result<Option<HeaderValue>, ActionError>) -> Response {
    match signed_out {
        Ok(cookie) => {
            let mut response = StatusCode::NO_CONTENT.into_response();
            if let Some(cookie) = cookie {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            response
        }
        Err(error) => {
            tracing::info!(code = error.code.as_str(), cause = error.internal, "a sign-out was refused");
            refusal(error)
        }
    }
}
