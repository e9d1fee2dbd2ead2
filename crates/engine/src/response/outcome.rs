//! How a call ends, from the gates to the surface.

use serde::{Deserialize, Serialize};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};
use toolcrib_model::{Cursor, Id};
use toolcrib_registry::{ActionMeta, ActionRegistry};

use super::{Completed, Problem, ToRun, Waiting};
use crate::{base::mask, limits::LimitState};

/// The response of a call, with the state of its rate limit.
#[derive(Clone, Debug)]
pub struct CallResponse {
    /// How the call ended.
    pub outcome: Outcome,
    /// The state of the bucket that the call counted against, if any.
    pub limit: Option<LimitState>,
    /// Whether it is the stored outcome of an earlier call with the same idempotency key.
    pub replayed: bool,
}

/// How a call ended. Its JSON is the body of the response.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Outcome {
    /// The call ran.
    Completed(Box<Completed>),
    /// The call waits for a confirmation.
    Waiting(Box<Waiting>),
    /// The caller runs the call.
    ToRun(Box<ToRun>),
    /// The call was refused, or failed.
    Refused(Box<Problem>),
}

/// An outcome as it is stored with a confirmation: its HTTP status and its JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredOutcome {
    status: i64,
    body: Box<RawValue>,
}

impl From<Outcome> for CallResponse {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, limit: None, replayed: false }
    }
}

impl CallResponse {
    /// Makes the response of a call whose outcome was stored before.
    pub(crate) fn replayed(outcome: Outcome) -> Self {
        Self { replayed: true, ..outcome.into() }
    }

    /// Returns the HTTP status.
    pub fn status(&self) -> u16 {
        self.outcome.status()
    }
}

impl Outcome {
    /// Returns the HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            Self::Completed(_) => 200,
            Self::Waiting(_) | Self::ToRun(_) => 202,
            Self::Refused(problem) => problem.status,
        }
    }

    /// Returns the body of the response.
    pub fn to_value(&self) -> Value {
        // Serialization can't fail, because all keys are strings.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Returns the body of the response as text.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Returns the outcome as it is kept: its secrets, which are shown once, are null.
    pub(crate) fn without_secrets(&self, meta: &ActionMeta) -> Self {
        let mut kept = self.clone();
        if let Self::Completed(done) = &mut kept
            && mask::has_secret(meta.output.value())
        {
            let mut data = done.value();
            mask::withhold(meta.output.value(), &mut data);
            done.data = to_raw_value(&data).unwrap_or_default();
        }
        kept
    }

    /// Returns the outcome without what the output schema of its action calls secret.
    #[must_use]
    pub fn without_shown_secrets(&self, registry: &ActionRegistry) -> Self {
        match self {
            Self::Completed(done) => match registry.get(&done.action) {
                Some(meta) => self.without_secrets(meta),
                None => self.clone(),
            },
            _ => self.clone(),
        }
    }

    /// Reads an outcome that was stored with its HTTP status. An outcome that waits is never stored.
    pub(crate) fn of_stored(status: i64, body: &str) -> serde_json::Result<Self> {
        Ok(match status {
            200 => Self::Completed(serde_json::from_str(body)?),
            202 => Self::ToRun(serde_json::from_str(body)?),
            _ => Self::Refused(serde_json::from_str(body)?),
        })
    }

    /// Returns the cursor after each item of a page; empty if the outcome has no page.
    pub fn ends(&self) -> &[Cursor] {
        match self {
            Self::Completed(done) => &done.ends,
            Self::Waiting(_) | Self::ToRun(_) | Self::Refused(_) => &[],
        }
    }

    /// Returns the id of the call's audit row, if there is one.
    pub fn call_id(&self) -> Option<Id> {
        match self {
            Self::Completed(done) => done.call_id,
            Self::Waiting(waiting) => Some(waiting.call_id),
            Self::ToRun(call) => Some(call.call_id),
            Self::Refused(problem) => problem.call_id,
        }
    }

    /// Sets the id of the tool call that the outcome answers.
    pub fn set_tool_call_id(&mut self, id: &str) {
        let own = match self {
            Self::Completed(done) => &mut done.tool_call_id,
            Self::Waiting(waiting) => &mut waiting.tool_call_id,
            Self::ToRun(call) => &mut call.tool_call_id,
            Self::Refused(problem) => &mut problem.tool_call_id,
        };
        *own = Some(id.to_owned());
    }
}

impl StoredOutcome {
    /// Returns the text to store.
    pub fn text(outcome: &Outcome) -> String {
        let body = to_raw_value(outcome).unwrap_or_default();
        serde_json::to_string(&Self { status: outcome.status().into(), body }).unwrap_or_default()
    }

    /// Reads the outcome; `None` if the text is damaged.
    pub fn read(text: &str) -> Option<Outcome> {
        let stored: Self = serde_json::from_str(text).ok()?;
        Outcome::of_stored(stored.status, stored.body.get()).ok()
    }
}
