//! The API form of confirmations, and who may see them.
#![deny(missing_docs)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use toolcrib_access::{Caller, Principal, WorkspacePolicy};
use toolcrib_model::{ConfirmationStatus, Id, Role, Ts, Via};
use toolcrib_registry::{ActionMeta, ConfirmationLevel, Format, untrusted_sentence};
use toolcrib_store::confirmations::ConfirmationRow;

use super::{ConfirmationRecords, phrase, requester, requester_of, transition::ended};
use crate::{
    base::{ActionError, Names, mask},
    response::{Outcome, Problem, StoredOutcome, SummaryLine, sentence_of},
};

/// A confirmation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ConfirmationView {
    /// ID.
    pub id: Id,
    /// `pending`, `awaiting_phrase`, `running`, `executed`, `failed`, `unknown`, `denied`, `expired`, `superseded` or
    /// `void`.
    #[schemars(with = "String")]
    pub status: ConfirmationStatus,
    /// Name of the action.
    pub action: String,
    /// The call in one sentence.
    pub description: String,
    /// `simple` or `typed`.
    pub level: String,
    /// What a person types for a `typed` one that waits, exactly: the name of the target, or of the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phrase: Option<String>,
    /// Warning that a person reads first.
    pub warning: Option<String>,
    /// Parameters, as people read them: five, or more if more of them decide danger.
    pub summary: Vec<SummaryLine>,
    /// Number of parameters that are not shown.
    pub more: i64,
    /// All resolved arguments; sensitive ones are masked.
    pub arguments: Value,
    /// JSON pointers to the arguments that were read differently from how the model wrote them; `""` is the whole text. Empty
    /// if none was.
    pub repaired: Vec<String>,
    /// Whether an approval can allow the action for the rest of the conversation (`remember`).
    pub allow_session_grant: bool,
    /// Requester of the call.
    pub requester: RequesterView,
    /// Time of the call.
    pub created_at: Ts,
    /// Time of expiry, if it is not decided.
    pub expires_at: Ts,
    /// Time of the decision.
    pub decided_at: Option<Ts>,
    /// User who decided.
    pub decided_by: Option<Id>,
    /// Name of the user who decided; null if they have none.
    pub decided_by_name: Option<String>,
    /// Whether you may decide it now.
    pub can_decide: CanDecide,
    /// Reason that the decider gave.
    pub reason: Option<String>,
    /// `call_id` of the call that ran.
    pub call_id: Option<Id>,
    /// URL of the page on which a person decides.
    pub approve_url: String,
    /// How the action was named: `direct` or `dispatcher`.
    #[schemars(with = "String")]
    pub via: Via,
    /// The provider's ID of the tool call.
    pub tool_call_id: Option<String>,
    /// The provider's tool format.
    pub tool_format: Option<Format>,
    /// Response of the call, once it was decided.
    #[schemars(with = "Option<Value>")]
    pub result: Option<Outcome>,
    /// Every transition, oldest first.
    pub history: Vec<HistoryEntry>,
}

/// Whether the reader may decide a confirmation: what an approval or a denial would be told now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CanDecide {
    /// Whether an approval or a denial is accepted.
    pub allowed: bool,
    /// Why it is not; null if it is.
    pub reason: Option<String>,
    /// Whether the person may decide it with their own sign-in, such as at `approve_url`, although not with this
    /// credential.
    pub needs_sign_in: bool,
    /// Whether an approval may have no `arguments` and no `remember`, because a client token sends it.
    pub unchanged_only: bool,
}

/// Who asked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RequesterView {
    /// `user`, `agent` or `service`.
    pub kind: String,
    /// ID of the user, agent or key.
    pub id: Id,
    /// Name of the user, agent or key; null if it has none or was deleted.
    pub name: Option<String>,
    /// Member on whose behalf the call was made.
    pub user_id: Option<Id>,
    /// Name of that member; null if they have none.
    pub user_name: Option<String>,
    /// Caller type.
    pub caller_type: String,
    /// Conversation.
    pub session: Option<String>,
    /// Mission.
    pub mission: Option<Id>,
}

/// A transition.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HistoryEntry {
    /// Time.
    pub at: Ts,
    /// New status.
    #[schemars(with = "String")]
    pub status: ConfirmationStatus,
    /// User who made the transition.
    pub by: Option<Id>,
    /// Name of that user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_name: Option<String>,
    /// Service key that relayed the user's decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relayed_by: Option<Id>,
    /// Arguments before a person changed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_arguments: Option<Value>,
}

/// Filter of the list.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmationFilter {
    /// Only confirmations with this status; `open` for all that have not ended, `ended` for all that have.
    pub status: Option<String>,
    /// `true`: only confirmations that you may decide now; `false`: only the others.
    pub decidable: Option<bool>,
    /// Only confirmations of this conversation.
    #[schemars(length(min = 1, max = 200))]
    pub session: Option<String>,
    /// Only confirmations of your own calls and of calls on your behalf.
    pub mine: Option<bool>,
    /// Maximum number of items.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ConfirmationView {
    /// Returns the outcome of the call, as far as it is known.
    pub fn outcome(&self) -> Outcome {
        if let Some(outcome) = &self.result {
            return outcome.clone();
        }
        let mut error = ended(self.status, self.reason.as_deref());
        error
            .hint
            .get_or_insert_with(|| "do not repeat the call; ask the person what to do instead".to_owned());
        let of_person = self.reason.is_some() && self.status != ConfirmationStatus::Superseded;
        let untrusted = of_person.then(|| untrusted_sentence(&["reasons"])).flatten();
        let action = Some(self.action.clone());
        Outcome::Refused(Box::new(Problem { action, untrusted, ..Problem::of(&error) }))
    }
}

impl ConfirmationRecords<'_> {
    /// Returns the API form of a record at this time, for a reader who may or may not decide it.
    pub fn view(
        &self,
        now: Ts,
        row: &ConfirmationRow,
        can_decide: CanDecide,
        policy: &WorkspacePolicy,
        names: &Names,
    ) -> ConfirmationView {
        let meta = self.catalog.registry().get(&row.action).map(AsRef::as_ref);
        let overdue = row.expires_at <= now && row.status.is_open();
        ConfirmationView {
            id: row.id,
            status: if overdue { ConfirmationStatus::Expired } else { row.status },
            action: row.action.clone(),
            description: sentence_of(row),
            level: row.level.clone(),
            phrase: (row.open(now) && ConfirmationLevel::of_waiting(&row.level) == ConfirmationLevel::Typed)
                .then(|| phrase::of(row).to_owned()),
            warning: row.warning.clone(),
            summary: read(&row.call.summary),
            more: row.call.more,
            arguments: masked(meta, read(&row.call.arguments)),
            repaired: row.call.repaired.as_deref().map(read).unwrap_or_default(),
            allow_session_grant: !can_decide.unchanged_only && super::remember::possible(row, meta, policy),
            requester: requester_view(row, names),
            created_at: row.created_at,
            expires_at: row.expires_at,
            decided_at: row.decided_at.map(Ts::from_micros),
            decided_by: row.decided_by,
            decided_by_name: row.decided_by.and_then(|user| names.of(user)),
            can_decide,
            reason: row.reason.clone(),
            call_id: row.call_id,
            approve_url: self.approve_url(row.id, policy.approve_url_template.as_deref()),
            via: row.via,
            tool_call_id: row.tool_call_id.clone(),
            tool_format: row.tool_format.as_deref().and_then(|word| word.parse().ok()),
            result: stored(row),
            history: steps(meta, row, names),
        }
    }
}

fn requester_view(row: &ConfirmationRow, names: &Names) -> RequesterView {
    let claims = requester_of(row).ok();
    RequesterView {
        kind: row.requester_kind.clone(),
        id: row.requester_id,
        name: names.of(row.requester_id),
        user_id: row.requester_user_id,
        user_name: row.requester_user_id.and_then(|user| names.of(user)),
        caller_type: claims.as_ref().map(|claim| claim.caller_type.to_string()).unwrap_or_default(),
        session: row.session.clone(),
        mission: claims.and_then(|claim| claim.mission),
    }
}

/// Reads stored JSON; an empty value if it is damaged.
fn read<T: Default + DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_default()
}

/// Masks the sensitive arguments. Without the action's schema any value may be sensitive.
pub fn masked(meta: Option<&ActionMeta>, mut arguments: Value) -> Value {
    match (meta, &mut arguments) {
        (Some(meta), arguments) => mask::mask(meta.input.value(), arguments),
        (None, Value::Object(fields)) => fields.values_mut().for_each(|value| *value = mask::MASK.into()),
        (None, other) => *other = mask::MASK.into(),
    }
    arguments
}

/// Returns the history, with names, and with the replaced arguments masked.
fn steps(meta: Option<&ActionMeta>, row: &ConfirmationRow, names: &Names) -> Vec<HistoryEntry> {
    let mut steps: Vec<HistoryEntry> = read(&row.history);
    for step in &mut steps {
        step.by_name = step.by.and_then(|id| names.of(id));
        step.replaced_arguments = step.replaced_arguments.take().map(|arguments| masked(meta, arguments));
    }
    steps
}

/// Returns the ids whose names the API form of a record shows.
pub fn named_ids(row: &ConfirmationRow) -> impl Iterator<Item = Id> {
    let known = [Some(row.requester_id), row.requester_user_id, row.decided_by];
    let history: Vec<HistoryEntry> = read(&row.history);
    known.into_iter().chain(history.into_iter().map(|step| step.by)).flatten()
}

/// Returns whether the caller may see a record: the user for whom the call was made, the requester, and
/// admins may.
pub fn visible(caller: &Caller, row: &ConfirmationRow) -> bool {
    let own_user = caller.principal.user().is_some_and(|user| Some(user) == row.requester_user_id);
    let user = matches!(caller.principal, Principal::User { .. });
    caller.role >= Some(Role::Admin) || (user && own_user) || requester(caller) == row.requester()
}

pub fn not_found(id: Id) -> ActionError {
    ActionError::not_found("confirmation", &id.to_string())
}

/// Returns the stored outcome of the call.
pub fn stored(row: &ConfirmationRow) -> Option<Outcome> {
    StoredOutcome::read(row.result.as_deref()?)
}
