//! Sign-in through the identity provider: where the browser leaves for it, and where it comes back.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Query, State},
    http::{HeaderValue, Request, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use serde::Deserialize;
use toolcrib_auth::{LOGIN_SECONDS, LoginAnswer};
use toolcrib_engine::ActionError;
use toolcrib_http::mount::BrowserRequest;
use toolcrib_model::ErrorCode;

use crate::session::{ProviderSignIn, SignIn};

/// The address after a sign-in that wanted none.
const HOME: &str = "/console/";

#[derive(Deserialize)]
pub struct StartQuery {
    next: Option<String>,
}

/// `GET /console/login/start`
pub async fn start(
    State(state): State<Arc<SignIn>>,
    Query(query): Query<StartQuery>,
    request: Request<Body>,
) -> Response {
    let head = request.into_parts().0;
    match begun(&state, &head, query.next.as_deref()).await {
        Ok((location, cookie)) => redirect(&location, [Some(cookie)]),
        Err(error) => sign_in_page(&error, None),
    }
}

async fn begun(
    state: &SignIn,
    head: &axum::http::request::Parts,
    next: Option<&str>,
) -> Result<(String, HeaderValue), ActionError> {
    let browser = BrowserRequest::of(head)?;
    let provider = provider(state)?;
    let next = next.filter(|next| is_inside(next)).unwrap_or(HOME);
    let start = provider.login.start(next, provider.clock.now()).await?;
    let cookie = browser.login_cookie(Some((&start.cookie, LOGIN_SECONDS)));
    let cookie = cookie.ok_or_else(|| {
        ActionError::new(ErrorCode::MalformedRequest, "signing in needs https")
            .hint("open the console by https, or use it on the machine itself")
    })?;
    Ok((start.location, cookie))
}

/// `GET /console/login/done`
pub async fn done(
    State(state): State<Arc<SignIn>>,
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
    state: &SignIn,
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

fn provider(state: &SignIn) -> Result<&ProviderSignIn, ActionError> {
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
    tracing::info!(code = error.code.as_str(), cause = error.internal, "a sign-in was refused");
    redirect(&format!("/console/login?problem={}", error.code.as_str()), [cookie])
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
