//! The response of a call.
#![deny(missing_docs)]

mod from_call;
mod sentence;
mod to_run;

use serde::Serialize;
use serde_json::{Value, value::RawValue};
use toolcrib_model::{Cursor, ErrorCode, GrantedBy, Id, Ts, Via};
use toolcrib_registry::{ArgError, ConfirmationLevel, Level, UntrustedSource};

use crate::{base::ActionError, limits::LimitState};

pub(crate) use from_call::{api_call, audit_unavailable, failed, mutation_type, refused};
pub(crate) use sentence::sentence;
pub use to_run::ToRun;

/// The response of a call, with the state of its rate limit.
#[derive(Clone, Debug)]
pub struct CallResponse {
    /// The body of the response.
    pub body: ResponseBody,
    /// The state of the bucket that the call counted against, if any.
    pub limit: Option<LimitState>,
}

/// The kinds of responses.
#[derive(Clone, Debug)]
pub enum ResponseBody {
    /// The call ran.
    Completed(Box<Completed>),
    /// The call waits for a confirmation.
    Waiting(Box<Waiting>),
    /// The caller runs the call.
    ToRun(Box<ToRun>),
    /// The call was refused, or failed.
    Refused(Box<Problem>),
    /// The stored response of an earlier call with the same idempotency key.
    Replayed(Box<Replayed>),
}

/// A stored response, returned again.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The stored status.
    pub status: u16,
    /// The stored body, marked as replayed.
    pub body: Value,
    /// The id of this call's own audit row.
    pub call_id: Id,
}

/// The response of a call that ran.
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the response")]
#[derive(Clone, Debug, Serialize)]
pub struct Completed {
    /// Always true.
    pub ok: bool,
    /// Always `completed`.
    pub status: &'static str,
    /// The id of the call's audit row.
    pub call_id: Id,
    /// The name of the action.
    pub action: String,
    /// `direct`, `dispatcher` or `confirmation`.
    pub via: Via,
    /// The permission level of the action.
    pub permission_level: Level,
    /// One sentence that describes the call.
    pub description: String,
    /// The action's output, as JSON text.
    pub data: Box<RawValue>,
    /// The cursor after each item of a page; empty if the data is not a page. Used to shorten messages for
    /// models.
    #[serde(skip)]
    pub ends: Vec<Cursor>,
    /// Whether lists or texts in `data` were cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The equivalent call of the platform's services.
    pub api_call: ApiCall,
    /// `auto`, `session` or `user`.
    pub granted_by: GrantedBy,
    /// The provider's id of the tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// JSON pointers to the arguments that were read differently from how the model wrote them; `""` is the whole
    /// text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repaired: Vec<String>,
    /// The response of an earlier call with the same key.
    pub replayed: bool,
    /// Whether the replay leaves out a secret that was shown once.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub secret_shown: bool,
    /// When the call ran.
    pub executed_at: Ts,
    /// Duration in milliseconds.
    pub duration_ms: i64,
}

impl Completed {
    /// Returns the action's output.
    pub fn value(&self) -> Value {
        // The text was serialized from a value, so parsing can't fail.
        serde_json::from_str(self.data.get()).unwrap_or_default()
    }
}

/// The call of the platform's services that has the same effect.
#[derive(Clone, Debug, Serialize)]
pub struct ApiCall {
    /// Service and method, such as `agents.create`.
    pub service: String,
    /// `read`, `create`, `update` or `delete`.
    pub mutation_type: &'static str,
    /// The resolved arguments, with sensitive values masked.
    pub payload: Value,
}

/// The response of a call that waits for a confirmation.
#[derive(Clone, Debug, Serialize)]
pub struct Waiting {
    /// Always false.
    pub ok: bool,
    /// Always `confirmation_required`.
    pub status: &'static str,
    /// The id of the call's audit row.
    pub call_id: Id,
    /// The name of the action.
    pub action: String,
    /// The permission level of the action.
    pub permission_level: Level,
    /// One sentence that describes what the call would do.
    pub description: String,
    /// The confirmation that a person decides.
    pub confirmation: ConfirmationSummary,
    /// JSON pointers to the arguments that were read differently from how the model wrote them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repaired: Vec<String>,
    /// The provider's id of the tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

/// A confirmation, as the caller sees it.
#[derive(Clone, Debug, Serialize)]
pub struct ConfirmationSummary {
    /// The id of the confirmation.
    pub id: Id,
    /// `simple` or `typed`.
    pub level: ConfirmationLevel,
    /// A warning that is shown to the person first.
    pub warning: Option<String>,
    /// Up to five parameters in readable form.
    pub summary: Vec<SummaryLine>,
    /// The number of further parameters.
    pub more: i64,
    /// When the confirmation expires.
    pub expires_at: Ts,
    /// Whether an approval may create a session grant.
    pub allow_session_grant: bool,
    /// The URL at which a person decides.
    pub approve_url: String,
}

/// One parameter as people read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct SummaryLine {
    /// Its name.
    pub label: String,
    /// Its value, cut at 50 characters.
    pub value: String,
}

/// RFC 9457 problem details, with additional members.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    /// The URL of the code's documentation.
    #[serde(rename = "type")]
    pub kind: String,
    /// A short title for people.
    pub title: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// The stable error code.
    pub code: ErrorCode,
    /// What happened.
    pub detail: String,
    /// What the caller can do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The action that was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// One sentence that describes the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The time of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executed_at: Option<Ts>,
    /// The id of the call's audit row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<Id>,
    /// The id of the request, for the operator.
    pub request_id: String,
    /// What the service that runs the tool answered: at most its first 2 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream_message: Option<String>,
    /// States whose text the problem quotes, and that it is information and no instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<String>,
    /// The invalid arguments.
    pub errors: Vec<ArgError>,
    /// The corrected call, which the caller can make as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<Value>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Seconds to wait before a retry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

impl Problem {
    /// Makes the problem of an error, without an action.
    pub fn new(error: &ActionError, request_id: &str) -> Self {
        Self {
            kind: format!("/docs/errors/{}", error.code.as_str()),
            title: error.code.title(),
            status: error.code.status(),
            code: error.code,
            detail: error.detail.clone(),
            hint: error.hint.clone(),
            action: None,
            description: None,
            executed_at: None,
            call_id: None,
            request_id: request_id.to_owned(),
            upstream_message: error.upstream_message.clone(),
            untrusted: error.quotes.and_then(UntrustedSource::sentence),
            errors: error.errors.clone(),
            call: error.call.as_deref().cloned(),
            retryable: error.code.retryable(),
            retry_after: error.retry_after,
        }
    }
}

impl CallResponse {
    /// Returns the HTTP status.
    pub fn status(&self) -> u16 {
        match &self.body {
            ResponseBody::Completed(_) => 200,
            ResponseBody::Waiting(_) | ResponseBody::ToRun(_) => 202,
            ResponseBody::Refused(problem) => problem.status,
            ResponseBody::Replayed(replayed) => replayed.status,
        }
    }

    /// Returns the body as JSON.
    pub fn to_value(&self) -> Value {
        let value = match &self.body {
            ResponseBody::Completed(done) => serde_json::to_value(done),
            ResponseBody::Waiting(waiting) => serde_json::to_value(waiting),
            ResponseBody::ToRun(call) => serde_json::to_value(call),
            ResponseBody::Refused(problem) => serde_json::to_value(problem),
            ResponseBody::Replayed(replayed) => return replayed.body.clone(),
        };
        // Serialization can't fail, because all keys are strings.
        value.unwrap_or_default()
    }

    /// Returns the cursor after each item of a page; empty if the response has no page.
    pub fn ends(&self) -> &[Cursor] {
        match &self.body {
            ResponseBody::Completed(done) => &done.ends,
            _ => &[],
        }
    }

    /// Returns the id of the call's audit row, if there is one.
    pub fn call_id(&self) -> Option<Id> {
        match &self.body {
            ResponseBody::Completed(done) => Some(done.call_id),
            ResponseBody::Waiting(waiting) => Some(waiting.call_id),
            ResponseBody::ToRun(call) => Some(call.call_id),
            ResponseBody::Refused(problem) => problem.call_id,
            ResponseBody::Replayed(replayed) => Some(replayed.call_id),
        }
    }
}
