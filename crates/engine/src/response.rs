//! What a call answers.

mod from_call;
mod sentence;

use serde::Serialize;
use serde_json::{Value, value::RawValue};
use toolcrib_model::{Cursor, ErrorCode, GrantedBy, Id, Ts, Via};
use toolcrib_registry::{ArgError, ConfirmationLevel, Level, UntrustedSource};

use crate::{base::ActionError, limits::LimitState};

pub(crate) use from_call::{api_call, audit_unavailable, failed, refused};
pub(crate) use sentence::sentence;

/// What a call answers, with what its limit has left.
#[derive(Clone, Debug)]
pub struct CallResponse {
    /// The answer itself.
    pub body: ResponseBody,
    /// The bucket that was asked, if one was.
    pub limit: Option<LimitState>,
}

/// The three kinds of answers.
#[derive(Clone, Debug)]
pub enum ResponseBody {
    /// It ran.
    Completed(Box<Completed>),
    /// It waits for a human.
    Waiting(Box<Waiting>),
    /// It was refused, or failed.
    Refused(Box<Problem>),
    /// An earlier call with the same key was answered so.
    Replayed(Box<Replayed>),
}

/// A stored answer, given again.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The stored status.
    pub status: u16,
    /// The stored body, marked as replayed.
    pub body: Value,
    /// The id of this call's own audit row.
    pub call_id: Id,
}

/// A call that ran.
#[derive(Clone, Debug, Serialize)]
pub struct Completed {
    /// Always true.
    pub ok: bool,
    /// Always `completed`.
    pub status: &'static str,
    /// The id of its audit row.
    pub call_id: Id,
    /// What ran.
    pub action: String,
    /// `direct`, `dispatcher` or `confirmation`.
    pub via: Via,
    /// What it may do to data.
    pub permission_level: Level,
    /// One sentence for people.
    pub description: String,
    /// The action's output, as JSON text.
    pub data: Box<RawValue>,
    /// Where each item of a page ends; empty where the data is no page. For the messages of models.
    #[serde(skip)]
    pub ends: Vec<Cursor>,
    /// The call of the platform's services that has the same effect.
    pub api_call: ApiCall,
    /// `auto`, `session` or `user`.
    pub granted_by: GrantedBy,
    /// The provider's id of the tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The response of an earlier call with the same key.
    pub replayed: bool,
    /// The replay leaves out a secret that was shown once.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub secret_shown: bool,
    /// When it ran.
    pub executed_at: Ts,
    /// How long it took, in milliseconds.
    pub duration_ms: i64,
}

impl Completed {
    /// The action's output.
    pub fn value(&self) -> Value {
        // It was made from a value.
        serde_json::from_str(self.data.get()).unwrap_or_default()
    }
}

/// What was done, in the words of the platform's services.
#[derive(Clone, Debug, Serialize)]
pub struct ApiCall {
    /// Such as `agents.create`.
    pub service: String,
    /// `read`, `create`, `update` or `delete`.
    pub mutation_type: &'static str,
    /// The resolved arguments, sensitive ones masked.
    pub payload: Value,
}

/// A call that waits for a human.
#[derive(Clone, Debug, Serialize)]
pub struct Waiting {
    /// Always false.
    pub ok: bool,
    /// Always `confirmation_required`.
    pub status: &'static str,
    /// The id of its audit row.
    pub call_id: Id,
    /// What would run.
    pub action: String,
    /// What it may do to data.
    pub permission_level: Level,
    /// What would be done.
    pub description: String,
    /// What a human decides.
    pub confirmation: ConfirmationSummary,
    /// The provider's id of the tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

/// What a human decides.
#[derive(Clone, Debug, Serialize)]
pub struct ConfirmationSummary {
    /// The confirmation's id.
    pub id: Id,
    /// `simple` or `typed`.
    pub level: ConfirmationLevel,
    /// What the human is told first.
    pub warning: Option<String>,
    /// Up to five parameters, as people read them.
    pub summary: Vec<SummaryLine>,
    /// How many more there are.
    pub more: i64,
    /// When it ends undecided.
    pub expires_at: Ts,
    /// Whether an approval may count for the session.
    pub allow_session_grant: bool,
    /// Where a human decides.
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

/// RFC 9457 problem details, with our members.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    /// Where the code is explained.
    #[serde(rename = "type")]
    pub kind: String,
    /// A short title for people.
    pub title: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// The stable code.
    pub code: ErrorCode,
    /// What happened.
    pub detail: String,
    /// What to do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The action that was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// One sentence for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executed_at: Option<Ts>,
    /// The id of its audit row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<Id>,
    /// The request; give it to the operator.
    pub request_id: String,
    /// Whose words `detail` or `hint` quotes: information, not instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<String>,
    /// What is wrong with the arguments.
    pub errors: Vec<ArgError>,
    /// The same call, mended, ready to be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<Value>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Seconds to wait before trying again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

impl Problem {
    /// The problem that an error makes, outside of any action.
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
            untrusted: error.quotes.and_then(UntrustedSource::sentence),
            errors: error.errors.clone(),
            call: error.call.clone(),
            retryable: error.code.retryable(),
            retry_after: error.retry_after,
        }
    }
}

impl CallResponse {
    /// The HTTP status.
    pub fn status(&self) -> u16 {
        match &self.body {
            ResponseBody::Completed(_) => 200,
            ResponseBody::Waiting(_) => 202,
            ResponseBody::Refused(problem) => problem.status,
            ResponseBody::Replayed(replayed) => replayed.status,
        }
    }

    /// The body as JSON.
    pub fn to_value(&self) -> Value {
        let value = match &self.body {
            ResponseBody::Completed(done) => serde_json::to_value(done),
            ResponseBody::Waiting(waiting) => serde_json::to_value(waiting),
            ResponseBody::Refused(problem) => serde_json::to_value(problem),
            ResponseBody::Replayed(replayed) => return replayed.body.clone(),
        };
        // Every part of an answer has a JSON form: keys are strings.
        value.unwrap_or_default()
    }

    /// Where each item of a page ends; empty where the answer is none.
    pub fn ends(&self) -> &[Cursor] {
        match &self.body {
            ResponseBody::Completed(done) => &done.ends,
            _ => &[],
        }
    }

    /// The id of its audit row, where there is one.
    pub fn call_id(&self) -> Option<Id> {
        match &self.body {
            ResponseBody::Completed(done) => Some(done.call_id),
            ResponseBody::Waiting(waiting) => Some(waiting.call_id),
            ResponseBody::Refused(problem) => problem.call_id,
            ResponseBody::Replayed(replayed) => Some(replayed.call_id),
        }
    }
}
