//! Answers of the API: their JSON, or why there is none.

use reqwest::{Response, header::RETRY_AFTER};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use toolcrib_model::{count, visible};
use toolcrib_registry::ArgError;

use crate::{
    failure::{Failure, Ran, is_wrong_usage, refusal},
    output,
};

/// The largest answer that is read. An export is read in parts and has no limit.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// The reason why a request has no answer.
pub enum ApiError {
    Refused(Refusal),
    NotSent(Failure),
    /// No service answered, or not in the form of this API.
    Failed(Failure),
}

/// A problem of the API (RFC 9457).
#[derive(Deserialize)]
pub struct Refusal {
    #[serde(skip)]
    status: u16,
    code: String,
    detail: String,
    hint: Option<String>,
    /// The invalid parameters, or the defects of a document.
    #[serde(default)]
    pub errors: Vec<ArgError>,
    /// In seconds. The service sends no date.
    #[serde(skip)]
    retry_after: Option<String>,
}

impl From<Failure> for ApiError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Refused(refusal) => refusal.into(),
            ApiError::NotSent(failure) | ApiError::Failed(failure) => failure,
        }
    }
}

impl Refusal {
    pub fn text(self) -> String {
        let Self { status, code, detail, hint, errors, retry_after } = self;
        let wait = retry_after.map(|wait| count(wait, "second"));
        let wait = wait.map(|wait| format!("; nothing is repeated by itself: try again in {wait}"));
        let (text, wait) = (refusal(detail, &errors, hint), wait.unwrap_or_default());
        let text = format!("{text}{wait} (`{code}`, status {status})");
        // The header has a flag.
        visible(&text).replace("`X-Workspace-Id`", "`--workspace`")
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let kind = if is_wrong_usage(refusal.status) { Self::Usage } else { Self::CouldNotRun };
        kind(refusal.text())
    }
}

/// Reads the fields that a command prints.
pub fn fields<T: DeserializeOwned>(value: &Value) -> Result<T, Failure> {
    T::deserialize(value).map_err(|error| {
        Failure::could_not("the answer is not that of this version of the API", visible(&error.to_string()))
    })
}

/// Prints a list: one line an item, or as JSON.
pub fn print_list<T: DeserializeOwned>(
    items: Vec<Value>,
    as_json: bool,
    line: impl Fn(T) -> String,
) -> Result<Ran, Failure> {
    if as_json {
        output::json(&items.into())?;
        return Ok(Ran::Done);
    }
    for item in &items {
        output::line(&line(fields(item)?))?;
    }
    Ok(Ran::Done)
}

/// Prints the state after a write, and whether it was that before.
pub fn print_state(state: &str, changed: bool) -> Result<Ran, Failure> {
    let unchanged = if changed { "" } else { ", as before" };
    output::line(&format!("{state}{unchanged}"))?;
    Ok(Ran::Done)
}

/// Returns the response if it is a success. `url` has no query and no secret.
pub async fn success(url: &str, response: Response) -> Result<Response, ApiError> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    if status.is_redirection() {
        return Err(Failure::CouldNotRun(format!(
            "`{url}` answered with a redirect (status {}), which is not followed, because the token would go to \
             another address; name the address itself with `--url`",
            status.as_u16()
        ))
        .into());
    }
    let retry_after = response.headers().get(RETRY_AFTER).and_then(|wait| wait.to_str().ok());
    let retry_after = retry_after.map(str::to_owned);
    let refusal: Refusal = json(url, response).await?;
    Err(ApiError::Refused(Refusal { status: status.as_u16(), retry_after, ..refusal }))
}

pub async fn json<T: DeserializeOwned>(url: &str, mut response: Response) -> Result<T, Failure> {
    let status = response.status();
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(|error| broken_off(url, error))? {
        if body.len() + part.len() > MAX_ANSWER_BYTES {
            return Err(Failure::CouldNotRun(format!(
                "`{url}` answered more than {MAX_ANSWER_BYTES} bytes (status {})",
                status.as_u16()
            )));
        }
        body.extend_from_slice(&part);
    }
    serde_json::from_slice(&body).map_err(|_| {
        let question = if status.is_server_error() { "" } else { ": is it the address of the service?" };
        let status = status.as_u16();
        Failure::CouldNotRun(format!(
            "`{url}` answered with status {status}, and not in JSON of this API{question}"
        ))
    })
}

/// The failure of an answer that ended before its end.
pub fn broken_off(url: &str, error: reqwest::Error) -> Failure {
    Failure::could_not(&format!("the answer of `{url}` broke off"), cause(error))
}

/// Returns the innermost cause of an error, which says what happened.
pub fn cause(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    visible(&cause.to_string()).into_owned()
}
