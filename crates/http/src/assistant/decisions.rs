//! What a person decided in a chat: the answers to approvals that the assistant's message carries.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use toolcrib_assistant::{ConfirmationData, RunMessage};
use toolcrib_auth::Authenticated;
use toolcrib_engine::{ActionError, ApproveRequest, Approved};
use toolcrib_model::{ErrorCode, Id};

use crate::{request_meta::RequestMeta, state::HttpState};

/// Decisions of a message: as many as the calls of a step that run.
const MAX_DECISIONS: usize = 32;
/// Characters of a reason, as `POST /v1/confirmations/{id}/deny` takes.
const MAX_REASON: usize = 500;

/// An answer to an approval.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct ChatDecision {
    confirmation: Id,
    /// How often this approval was asked for again.
    count: u32,
    approved: bool,
    /// The phrase of a typed confirmation, or why the person denied it.
    reason: Option<String>,
}

/// Approvals that are asked for once more, and why the last answer did not count.
#[derive(Debug, Default)]
pub(crate) struct AskedAgain(HashMap<String, (u32, Option<String>)>);

impl ChatDecision {
    /// Reads the decisions of a message's parts. Parts without one are skipped. 422 for one that names no confirmation.
    pub fn read(
        parts: &[Value],
        invalid: impl Fn(&str, &str) -> ActionError,
    ) -> Result<Vec<Self>, ActionError> {
        let answered = |part: &&Value| part["state"] == "approval-responded";
        let answered = parts.iter().filter(answered).take(MAX_DECISIONS + 1);
        let decisions: Vec<Self> =
            answered.map(|part| Self::of(&part["approval"], &invalid)).collect::<Result<_, _>>()?;
        // Equal calls have one confirmation, which a front end answers in the part of each.
        let distinct: HashSet<&Self> = decisions.iter().collect();
        let ids: HashSet<Id> = distinct.iter().map(|decision| decision.confirmation).collect();
        if decisions.len() > MAX_DECISIONS || ids.len() < distinct.len() {
            let what =
                format!("a message has at most {MAX_DECISIONS} decisions, and one about each confirmation");
            return Err(invalid("approval", &what));
        }
        let mut seen = HashSet::new();
        Ok(decisions.into_iter().filter(|decision| seen.insert(decision.confirmation)).collect())
    }

    fn of(approval: &Value, invalid: impl Fn(&str, &str) -> ActionError) -> Result<Self, ActionError> {
        let invalid = |what: &str| invalid("approval", what);
        let id = approval["id"].as_str().unwrap_or_default();
        let (id, count) = id.split_once('.').unwrap_or((id, "0"));
        let confirmation = Id::try_parse(id).ok().zip(count.parse().ok());
        let Some((confirmation, count)) = confirmation else {
            return Err(invalid("the `approval.id` of a part is not one that this service sent"));
        };
        let Some(approved) = approval["approved"].as_bool() else {
            return Err(invalid("the `approval.approved` of a part is not `true` or `false`"));
        };
        let reason = approval["reason"].as_str().filter(|reason| !reason.is_empty()).map(str::to_owned);
        if reason.as_ref().is_some_and(|reason| reason.chars().count() > MAX_REASON) {
            return Err(invalid(&format!("the `approval.reason` has more than {MAX_REASON} characters")));
        }
        Ok(Self { confirmation, count, approved, reason })
    }
}

impl AskedAgain {
    /// Carries out decisions about a message's calls, in order. If none of them was accepted, returns why the first one
    /// was not.
    pub async fn decide(
        state: &HttpState,
        authenticated: &Authenticated,
        meta: &RequestMeta,
        message: &RunMessage,
        decisions: Vec<ChatDecision>,
    ) -> Result<Self, ActionError> {
        let (mut again, mut accepted, mut refusal) = (Self::default(), decisions.is_empty(), None);
        for decision in decisions {
            let checked = check(state, authenticated, message, decision.confirmation).await;
            let decided = match checked {
                Ok(()) => again.decide_one(state, authenticated, meta, decision).await,
                Err(error) => Err(error),
            };
            match decided {
                Ok(()) => accepted = true,
                Err(error) => refusal = refusal.or(Some(error)),
            }
        }
        match refusal {
            Some(error) if !accepted => Err(error),
            _ => Ok(again),
        }
    }

    async fn decide_one(
        &mut self,
        state: &HttpState,
        authenticated: &Authenticated,
        meta: &RequestMeta,
        decision: ChatDecision,
    ) -> Result<(), ActionError> {
        let ChatDecision { confirmation, count, approved, reason } = decision;
        let meta = meta.decision(authenticated);
        if !approved {
            return state.engine().deny(authenticated, confirmation, reason, meta).await.map(|_| ());
        }
        // Only an approval that was asked for again has a phrase: before that, a reason is a remark.
        let phrase = reason.filter(|_| count > 0);
        let request = ApproveRequest { phrase, ..ApproveRequest::default() };
        let mut ask = |why| self.0.insert(confirmation.to_string(), (count + 1, why));
        match state.engine().approve(authenticated, confirmation, request, meta).await {
            Ok(Approved::PhraseRequired(required)) => {
                ask((count > 0).then(|| format!("type `{}`", required.phrase)));
                Ok(())
            }
            Ok(Approved::Executed(..) | Approved::NewConfirmation(_)) => Ok(()),
            Err(error) if error.code == ErrorCode::PhraseMismatch => {
                ask(Some(error.hint.unwrap_or(error.detail)));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the ID with which an approval is asked for now.
    pub fn approval_id(&self, confirmation: &str) -> String {
        match self.0.get(confirmation) {
            Some((count, _)) => format!("{confirmation}.{count}"),
            None => confirmation.to_owned(),
        }
    }

    /// Adds why the last answer did not count.
    pub fn with_error(&self, confirmation: &str, data: ConfirmationData) -> ConfirmationData {
        let error = self.0.get(confirmation).and_then(|(_, error)| error.clone());
        ConfirmationData { error, ..data }
    }
}

/// Refuses a decision about a call that is not the message's, or that its run no longer waits for.
async fn check(
    state: &HttpState,
    authenticated: &Authenticated,
    message: &RunMessage,
    confirmation: Id,
) -> Result<(), ActionError> {
    if !message.confirmations.contains(&confirmation) {
        return Err(ActionError::not_found("confirmation", &confirmation.to_string())
            .hint("decide the calls of this message, or use `POST /v1/confirmations/{id}/approve`"));
    }
    if message.run.state.is_open() {
        return Ok(());
    }
    let view = state.engine().confirmation(authenticated, confirmation).await?;
    if view.status.is_open() {
        let detail = "the run of this message has ended, and its call still waits";
        return Err(ActionError::conflict(detail).hint(format!("decide it at {}", view.approve_url)));
    }
    Ok(())
}
