//! Sign-in through the identity provider: where the browser leaves for it, and where it comes back.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Query, State},
    http::{HeaderValue, Request, StatusCode, header, request::Parts as Head},
    response::{IntoResponse as _, Response},
};
use serde::Deserialize;
use serde_json::json;
use toolcrib_auth::{LOGIN_SECONDS, LoginAnswer, LoginRequest};
use toolcrib_engine::ActionError;
use toolcrib_http::mount::{BrowserRequest, collected, refusal, same_origin};
use toolcrib_model::ErrorCode;

use crate::session::{ConsoleSettings, ProviderSignIn};

#[derive(Deserialize)]
pub struct StartQuery {
    next: Option<String>,
}

/// `GET /console/login/start`
pub async fn start(
    State(state): State<Arc<ConsoleSettings>>,
    Query(query): Query<StartQuery>,
    request: Request<Body>,
) -> Response {
    let head = request.into_parts().0;
    let wanted = LoginRequest { next: query.next.as_deref(), invitation: None };
    match begun(&state, &head, wanted).await {
        Ok((location, cookie)) => redirect(&location, [Some(cookie)]),
        Err(error) => sign_in_page(&error, None),
    }
}

/// `{ "invitation": "<code>" }`
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InvitationRequest {
    invitation: String,
}

/// `POST /console/login/start`: the code of an invitation comes in the body, so that no address has it. Returns where
/// the page goes.
pub async fn start_invited(State(state): State<Arc<ConsoleSettings>>, request: Request<Body>) -> Response {
    let (head, body) = request.into_parts();
    match invited(&state, &head, body).await {
        Ok((location, cookie)) => {
            let headers = [
                (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
                (header::SET_COOKIE, cookie),
            ];
            (headers, json!({ "location": location }).to_string()).into_response()
        }
        Err(error) => {
            log(&error);
            refusal(error)
        }
    }
}

async fn invited(
    state: &ConsoleSettings,
    head: &Head,
    body: Body,
) -> Result<(String, HeaderValue), ActionError> {
    if !same_origin(&head.headers) {
        let error = ActionError::new(ErrorCode::MalformedRequest, "only the console signs in here");
        return Err(error.hint("open the link of the invitation in a browser"));
    }
    let body = collected(&head.headers, body).await?;
    let request: InvitationRequest = serde_json::from_slice(&body).map_err(|_| {
        ActionError::new(ErrorCode::MalformedRequest, "the body must be `{ \"invitation\": \"<code>\" }`")
    })?;
    begun(state, head, LoginRequest { next: None, invitation: Some(&request.invitation) }).await
}

async fn begun(
    state: &ConsoleSettings,
    head: &Head,
    wanted: LoginRequest<'_>,
) -> Result<(String, HeaderValue), ActionError> {
    let browser = BrowserRequest::of(head)?;
    let provider = provider(state)?;
    let wanted = LoginRequest { next: wanted.next.filter(|next| is_inside(next)), ..wanted };
    let start = provider.login.start(wanted, provider.clock.now()).await?;
    let cookie = browser.login_cookie(Some((&start.cookie, LOGIN_SECONDS)));
    let cookie = cookie.ok_or_else(|| {
        ActionError::new(ErrorCode::MalformedRequest, "signing in needs https")
            .hint("open the console by https, or use it on the machine itself")
    })?;
    Ok((start.location, cookie))
}

/// `GET /console/login/done`
pub async fn done(
    State(state): State<Arc<ConsoleSettings>>,
    Query(answer): Query<LoginAnswer>,
    request: Request<Body>,
) -> Response {
    let head = request.into_parts().0;
    let (browser, cleared) = match BrowserRequest::of(&head) {
        Ok(browser) => {
            let cleared = browser.login_cookie(None);
            (browser, cleared)
        }
        Err(error) => return sign_in_page(&error, None),
    };
    match finished(&state, &browser, &answer).await {
        Ok((next, cookie)) => redirect(&next, [Some(cookie), cleared]),
        Err(error) => sign_in_page(&error, cleared),
    }
}

async fn finished(
    state: &ConsoleSettings,
    browser: &BrowserRequest,
    answer: &LoginAnswer,
) -> Result<(String, HeaderValue), ActionError> {
    let provider = provider(state)?;
    let cookie = browser.login.as_deref().unwrap_or_default();
    let done = state.auth.finish_login(&provider.login, cookie, answer, browser.peer).await?;
    let session = browser.set_cookie(Some(&done.secret));
    let session = session.ok_or_else(|| ActionError::internal("the cookie of a session can't be written"))?;
    Ok((done.next, session))
}

fn provider(state: &ConsoleSettings) -> Result<&ProviderSignIn, ActionError> {
    state.provider.as_ref().ok_or_else(|| {
        ActionError::new(ErrorCode::NotFound, "no identity provider is set for the console")
            .hint("set `console_client_id`, or sign in with a token")
    })
}

/// Whether an address is one of the console or of a confirmation, on this service.
fn is_inside(address: &str) -> bool {
    let below = ["/console/", "/approve/"].iter().find_map(|prefix| address.strip_prefix(prefix));
    below.is_some_and(|rest| {
        !rest.starts_with('/') && rest.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    }) && !address.split(['/', '?', '#']).any(|segment| segment == "..")
}

/// Sends the browser back to the sign-in page, which shows the problem.
fn sign_in_page(error: &ActionError, cookie: Option<HeaderValue>) -> Response {
    log(error);
    let problem = error.reason.unwrap_or(error.code.as_str());
    redirect(&format!("/console/login?problem={problem}"), [cookie])
}

fn log(error: &ActionError) {
    tracing::info!(code = error.code.as_str(), cause = error.internal, "a sign-in was refused");
}

fn redirect<const N: usize>(location: &str, cookies: [Option<HeaderValue>; N]) -> Response {
    let Ok(location) = HeaderValue::from_str(location) else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response();
    for cookie in cookies.into_iter().flatten() {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_console_and_of_confirmations_are_returned_to() {
        for good in ["/console/", "/console/w/1/inbox?x=1", "/approve/0190a000-0000-7000-8000-000000000000"] {
            assert!(is_inside(good), "{good}");
        }
        for bad in [
            "//evil.example/console/",
            "/console//evil.example",
            "/console",
            "https://evil.example/console/",
            "/console/../v1/me",
            "/console/\\evil.example",
            "/console/\r\nX: y",
            "/v1/me",
            "",
        ] {
            assert!(!is_inside(bad), "{bad}");
        }
    }
}
