//! Answers of the API: their JSON, or why there is none.

use reqwest::{Response, StatusCode, header::RETRY_AFTER};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use toolcrib_model::visible;
use toolcrib_registry::ArgError;

use crate::{
    failure::{Failure, Ran},
    output,
};

/// The largest answer that is read. An export is read in parts and has no limit.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// The reason why a request has no answer.
pub enum ApiError {
    /// The service refused it.
    Refused(Refusal),
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
            ApiError::Failed(failure) => failure,
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let Refusal { status, code, detail, hint, errors, retry_after } = refusal;
        let mut parts = vec![detail];
        parts.extend(errors.into_iter().map(|error| format!("`{}` {}", error.pointer, error.message)));
        parts.extend(hint);
        if let Some(wait) = retry_after {
            parts.push(format!("nothing is repeated by itself: try again in {wait} seconds"));
        }
        let text = format!("{} (`{code}`, status {status})", parts.join("; "));
        // The header has a flag.
        let text = visible(&text).replace("`X-Workspace-Id`", "`--workspace`");
        // The parameters were wrong, or named what does not exist.
        if matches!(status, 400 | 404 | 413 | 422) { Self::Usage(text) } else { Self::CouldNotRun(text) }
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
        output::line(&visible(&line(fields(item)?)))?;
    }
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
    let is_number = |wait: &&str| wait.bytes().all(|byte| byte.is_ascii_digit());
    let retry_after = retry_after.filter(|_| is_overloaded(status)).filter(is_number).map(str::to_owned);
    let body = body(url, response).await?;
    match serde_json::from_slice::<Refusal>(&body) {
        Ok(refusal) => Err(ApiError::Refused(Refusal { status: status.as_u16(), retry_after, ..refusal })),
        Err(_) => Err(foreign(url, status).into()),
    }
}

/// Reads the JSON of a response that is a success.
pub async fn json(url: &str, response: Response) -> Result<Value, ApiError> {
    let response = success(url, response).await?;
    let status = response.status();
    let body = body(url, response).await?;
    serde_json::from_slice(&body).map_err(|_| foreign(url, status).into())
}

fn is_overloaded(status: StatusCode) -> bool {
    matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE)
}

async fn body(url: &str, mut response: Response) -> Result<Vec<u8>, Failure> {
    let status = response.status().as_u16();
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(|error| broken_off(url, error))? {
        if body.len() + part.len() > MAX_ANSWER_BYTES {
            return Err(Failure::CouldNotRun(format!(
                "`{url}` answered more than {MAX_ANSWER_BYTES} bytes (status {status})"
            )));
        }
        body.extend_from_slice(&part);
    }
    Ok(body)
}

fn foreign(url: &str, status: StatusCode) -> Failure {
    Failure::CouldNotRun(format!(
        "`{url}` answered with status {}, and not in JSON of this API: is it the address of the service?",
        status.as_u16()
    ))
}

/// The failure of an answer that ended before its end.
pub fn broken_off(url: &str, error: reqwest::Error) -> Failure {
    Failure::could_not(&format!("the answer of `{url}` broke off"), cause(&error.without_url()))
}

/// Returns the innermost cause of an error, which says what happened.
pub fn cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    visible(&cause.to_string()).into_owned()
}
