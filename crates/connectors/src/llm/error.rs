//! Why a model did not answer.

use std::{fmt, time::Duration};

use serde_json::Value;

use crate::upstream::SendError;

/// The longest wait that a provider may ask for.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// The most bytes of a provider's text that are kept.
const TEXT_BYTES: usize = 2_048;
/// The status of a provider that has too much to do, also where it is said inside a 200.
const OVERLOADED: u16 = 529;

/// Parts of texts that say that the prompt is too long.
const TOO_LONG: [&str; 9] = [
    "context_length_exceeded",
    "exceed_context_size",
    "maximum context length",
    "context window",
    "exceed context limit",
    "context size",
    "prompt is too long",
    "input is too long",
    "too many input tokens",
];
/// Parts of texts that say that nothing is left to pay with.
const NO_QUOTA: [&str; 3] = ["insufficient_quota", "billing_error", "credit balance is too low"];
/// Parts of texts whose error has a known remedy.
const HINTS: [(&str, &str); 4] = [
    ("does not support tools", "the model does not support tools: choose another one"),
    ("enable-auto-tool-choice", "start vLLM with --enable-auto-tool-choice and --tool-call-parser"),
    ("v1/responses", "use the kind openai_responses"),
    ("model_not_found", "the provider does not know the model"),
];

/// Why a model did not answer. `Display` is a sentence without the provider's words, its address and the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The address may not be called.
    #[error("the provider's address is refused: it {0}")]
    AddressRefused(&'static str),
    /// Nothing was sent.
    #[error("the provider can't be asked: {0}")]
    Unreachable(&'static str),
    #[error("the provider did not answer in time")]
    TimedOut,
    /// The provider answered with an error, also inside a 200.
    #[error("the provider answered with status {status}{}", hint.map(|hint| format!(": {hint}")).unwrap_or_default())]
    Status { status: u16, hint: Option<&'static str>, text: ProviderText },
    /// The account has nothing left.
    #[error("the provider says that the quota or the credit of its key is used up")]
    Quota { status: u16, text: ProviderText },
    #[error("the conversation is too long for the model")]
    ContextTooLong { status: u16, text: ProviderText },
    /// The stream had no proper end, each time.
    #[error("the provider's answer is broken or has no end")]
    Broken,
    /// The text is what is too large.
    #[error("the provider's answer is too large: {0}")]
    TooLarge(&'static str),
}

/// What a provider said, for the log: at most 2 KiB, without the key. `Debug` leaves it out.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ProviderText(String);

impl fmt::Debug for ProviderText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProviderText({} bytes)", self.0.len())
    }
}

impl ModelError {
    /// The HTTP status, if the provider answered with an error.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Status { status, .. }
            | Self::Quota { status, .. }
            | Self::ContextTooLong { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// What the provider said, for the log: at most 2 KiB, without the key.
    pub fn provider_text(&self) -> Option<&str> {
        match self {
            Self::Status { text, .. } | Self::Quota { text, .. } | Self::ContextTooLong { text, .. } => {
                Some(&text.0)
            }
            _ => None,
        }
    }
}

/// Why one request had no answer.
#[derive(Debug)]
pub(super) struct Fault {
    pub error: ModelError,
    /// Whether to ask again.
    pub is_passing: bool,
    /// How long the provider wants us to wait.
    pub after: Option<Duration>,
}

impl Fault {
    /// An error that stays.
    pub fn lasting(error: ModelError) -> Self {
        Self { error, is_passing: false, after: None }
    }

    pub fn broken() -> Self {
        Self { error: ModelError::Broken, is_passing: true, after: None }
    }

    /// Reads an error with this status and this text.
    pub fn of_status(status: u16, text: &str, after: Option<Duration>) -> Self {
        let lower = text.to_lowercase();
        let says = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
        let text = ProviderText(cut(text));
        if status == 402 || says(&NO_QUOTA) {
            return Self::lasting(ModelError::Quota { status, text });
        }
        if status == 413 || (status != 429 && says(&TOO_LONG)) {
            return Self::lasting(ModelError::ContextTooLong { status, text });
        }
        let hint = HINTS.iter().find(|(part, _)| says(&[part])).map(|(_, hint)| *hint);
        let hint = hint.or(match status {
            401 | 403 => Some("its key is refused"),
            404 => Some("it does not know the model or the path; a base URL often ends in /v1"),
            429 => Some("too many requests"),
            _ => None,
        });
        let can_wait = after.is_none_or(|after| after <= MAX_WAIT);
        let is_passing = can_wait && (matches!(status, 408 | 429) || status >= 500);
        Self { error: ModelError::Status { status, hint, text }, is_passing, after }
    }

    /// Reads the error in an event of a stream whose status is 200.
    pub fn in_event(event: &Value) -> Option<Self> {
        let of_response = || event.pointer("/response/error").filter(|error| !error.is_null());
        let error = match event["type"].as_str() {
            Some("response.failed") => of_response().unwrap_or(event),
            Some("error") if event["error"].is_null() => event,
            _ => event.get("error").filter(|error| error.is_object() || error.is_string())?,
        };
        let code = || error["code"].as_u64().or_else(|| error["code"].as_str()?.parse().ok());
        let status = match error["type"].as_str().or(error["code"].as_str()) {
            Some("overloaded_error") => OVERLOADED,
            Some("rate_limit_error" | "rate_limit_exceeded") => 429,
            Some("invalid_request_error") => 400,
            _ => code().and_then(|code| u16::try_from(code).ok()).filter(|code| *code >= 400).unwrap_or(500),
        };
        let fault = Self::of_status(status, &error.to_string(), None);
        Some(Self { is_passing: matches!(fault.error, ModelError::Status { .. }), ..fault })
    }
}

impl From<SendError> for Fault {
    fn from(error: SendError) -> Self {
        let hint = Some("a redirect, which is not followed");
        let (error, is_passing) = match error {
            SendError::AddressRefused(why) => (ModelError::AddressRefused(why), false),
            SendError::Redirect(status) => {
                (ModelError::Status { status, hint, text: ProviderText::default() }, false)
            }
            SendError::NotModified => {
                (ModelError::Status { status: 304, hint: None, text: ProviderText::default() }, false)
            }
            SendError::Certificate => {
                (ModelError::Unreachable("its certificate is not valid for its address"), false)
            }
            SendError::Request(why) => (ModelError::Unreachable(why), false),
            SendError::NotConnected(why) | SendError::Busy(why) => (ModelError::Unreachable(why), true),
            SendError::TimedOut => (ModelError::TimedOut, true),
            SendError::Broken => (ModelError::Broken, true),
        };
        Self { error, is_passing, after: None }
    }
}

fn cut(text: &str) -> String {
    let end = text.floor_char_boundary(TEXT_BYTES);
    text.get(..end).unwrap_or_default().to_owned()
}
