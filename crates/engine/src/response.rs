//! The response of a call.
#![deny(missing_docs)]

mod from_call;
mod model_text;
mod outcome;
mod sentence;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};
use toolcrib_model::{Cursor, ErrorCode, GrantedBy, Id, Mutation, Ts, Via};
use toolcrib_registry::{ArgError, ConfirmationLevel, Level, untrusted_sentence};

use crate::base::ActionError;

pub(crate) use from_call::{api_call, audit_unavailable, failed, refused};
pub(crate) use outcome::StoredOutcome;
pub use outcome::{CallResponse, Outcome};
pub(crate) use sentence::{sentence, sentence_of};

/// The response of a call that ran. Of a call that ran outside of this service, only what was reported is known.
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the response")]
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Completed {
    /// Always true.
    pub ok: bool,
    /// Always `completed`.
    pub status: Cow<'static, str>,
    /// The id of the call's audit row. A read that the caller ran has none here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<Id>,
    /// The name of the action.
    pub action: String,
    /// `direct`, `dispatcher` or `confirmation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<Via>,
    /// The permission level of the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_level: Option<Level>,
    /// One sentence that describes the call.
    pub description: String,
    /// The action's output, as JSON text.
    pub data: Box<RawValue>,
    /// The cursor after each item of a page; empty if the data is not a page. Used to shorten messages for
    /// models.
    #[serde(skip)]
    pub ends: Vec<Cursor>,
    /// Whether lists or texts in `data` were cut.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// What the service that ran the tool answered, if `data` is null because it can't be shown:
    /// `application/pdf, 9 bytes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// The equivalent call of the platform's services.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_call: Option<ApiCall>,
    /// `auto`, `session` or `user`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granted_by: Option<GrantedBy>,
    /// The provider's id of the tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// JSON pointers to the arguments that were read differently from how the model wrote them; `""` is the whole
    /// text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repaired: Vec<String>,
    /// The response of an earlier call with the same key.
    #[serde(default)]
    pub replayed: bool,
    /// Whether the replay leaves out a secret that was shown once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secret_shown: bool,
    /// When the call ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executed_at: Option<Ts>,
    /// Duration in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<i64>,
}

impl Completed {
    /// Makes the response of a call that ran outside of this service.
    pub(crate) fn reported(action: &str, description: String, data: &Value) -> Self {
        Self {
            ok: true,
            status: "completed".into(),
            call_id: None,
            action: action.to_owned(),
            via: None,
            permission_level: None,
            description,
            // All keys are strings, so serialization can't fail.
            data: to_raw_value(data).unwrap_or_default(),
            ends: Vec::new(),
            truncated: false,
            unreadable: None,
            api_call: None,
            granted_by: None,
            tool_call_id: None,
            repaired: Vec::new(),
            replayed: false,
            secret_shown: false,
            executed_at: None,
            duration_ms: None,
        }
    }

    /// Returns the action's output.
    pub fn value(&self) -> Value {
        // The text was serialized from a value, so parsing can't fail.
        serde_json::from_str(self.data.get()).unwrap_or_default()
    }
}

/// The call of the platform's services that has the same effect.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ApiCall {
    /// Service and method, such as `agents.create`.
    pub service: String,
    /// `read`, `create`, `update` or `delete`.
    pub mutation_type: Mutation,
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
    /// The confirmations of earlier calls on the same target that this call replaced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<Id>,
    /// JSON pointers to the arguments that were read differently from how the model wrote them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repaired: Vec<String>,
    /// The provider's id of the tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

/// The response of a call that the caller runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ToRun {
    /// Always false.
    pub ok: bool,
    /// Always `client_execution_required`.
    pub status: Cow<'static, str>,
    /// The id of the call, and of its audit row.
    pub call_id: Id,
    /// The name of the tool.
    pub action: String,
    /// The permission level of the tool.
    pub permission_level: Level,
    /// One sentence that describes what the call does.
    pub description: String,
    /// The arguments to run the tool with. Of a call that is claimed first, sensitive values are masked: the claim has
    /// them.
    pub arguments: Value,
    /// Whether the call must be claimed before it runs, and its outcome reported. False for a read.
    pub claim: bool,
    /// Until when the call can be claimed; absent for a read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim_by: Option<Ts>,
    /// JSON pointers to the arguments that were read differently from how the model wrote them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Problem {
    /// The URL of the code's documentation.
    #[serde(rename = "type")]
    pub kind: String,
    /// A short title for people.
    pub title: Cow<'static, str>,
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
    /// The provider's id of the tool call, if the call ended after it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The id of the request, for the operator. Absent if the call ended outside of a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
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
        Self { request_id: Some(request_id.to_owned()), ..Self::of(error) }
    }

    /// Makes the problem of an error outside of a request.
    pub(crate) fn of(error: &ActionError) -> Self {
        Self {
            kind: format!("/docs/errors/{}", error.code.as_str()),
            title: error.code.title().into(),
            status: error.code.status(),
            code: error.code,
            detail: error.detail.clone(),
            hint: error.hint.clone(),
            action: None,
            description: None,
            executed_at: None,
            call_id: None,
            tool_call_id: None,
            request_id: None,
            upstream_message: error.upstream_message.clone(),
            untrusted: error.quotes.and_then(|source| untrusted_sentence(&[source])),
            errors: error.errors.clone(),
            call: error.call.as_deref().cloned(),
            retryable: error.code.retryable() && !error.is_permanent,
            retry_after: error.retry_after,
        }
    }
}
