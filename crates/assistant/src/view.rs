//! A run as clients read it.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_access::{Caller, Principal, WorkspacePolicy};
use toolcrib_engine::{ActionError, SummaryLine, approve_url};
use toolcrib_model::{ErrorCode, Id, PlannedCallState, RunFinish, RunKind, RunState, Ts};
use toolcrib_store::{Tx, assistant_runs::RunRow, assistant_steps::CallRow, confirmations};

use crate::{
    Providers,
    calls::was_open,
    run::most_steps,
    transcript::{Step, steps_of_run},
};

/// A run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunView {
    /// ID.
    pub run: Id,
    /// What it is for.
    pub kind: RunKind,
    /// Agent of the heartbeat, schedule, execution or mission that a background run is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<Id>,
    /// Position of the execution's step or the mission's task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<i64>,
    /// Name of the thread. That of a background run has a colon, which no client can choose.
    pub thread: String,
    /// ID of the message, as the client chose it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// State.
    pub state: RunState,
    /// Model; absent until a background run has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Upstream of the model; absent for the operator's service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    /// Model of the agent, which is not listed: the run uses another one. Only in the response to the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_replaced: Option<String>,
    /// Agent whose prompt is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Id>,
    /// Number of requests to the model so far.
    pub steps: i64,
    /// What the model said last. Not in lists.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why the last answer is not whole. Not in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish: Option<RunFinish>,
    /// Tokens and cost.
    pub usage: RunUsage,
    /// Open confirmations of its calls. A run that waits goes on when they have ended. Not in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmations: Option<Vec<RunConfirmation>>,
    /// Why the run failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
    /// When the message came.
    pub created_at: Ts,
    /// When the run ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Ts>,
}

/// Tokens and cost of a run.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct RunUsage {
    /// Tokens read.
    pub input_tokens: i64,
    /// Tokens of these that the provider had in its cache.
    pub cached_input_tokens: i64,
    /// Tokens written.
    pub output_tokens: i64,
    /// Cost, in millionths of a dollar; 0 for a model without a price.
    pub cost_microusd: i64,
    /// Whether the model has a price. Absent before the first request to it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_known: Option<bool>,
}

/// A confirmation that a run waits for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunConfirmation {
    /// ID.
    pub id: Id,
    /// Action that would run.
    pub action: String,
    /// `simple` or `typed`.
    pub level: String,
    /// Warning that is shown first.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    pub warning: Option<String>,
    /// Up to five parameters in readable form.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    pub summary: Vec<SummaryLine>,
    /// When it expires.
    pub expires_at: Ts,
    /// Where a person decides.
    pub approve_url: String,
}

/// Why a run failed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunError {
    /// Error code.
    pub code: String,
    /// Sentence for people.
    #[schemars(extend("x-untrusted" = "chat messages"))]
    pub detail: String,
}

/// What is known of the run of a message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MessageMetadata {
    /// ID of the run.
    pub run: Id,
    /// Name of the thread.
    pub thread: String,
    /// Model; absent until a background run has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Upstream of the model; absent for the operator's service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    /// Why the answer is not whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish: Option<RunFinish>,
    /// Tokens and cost.
    pub usage: RunUsage,
    /// Why the run failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
}

/// How links to confirmations are made.
#[derive(Clone, Copy)]
pub struct ApproveUrls<'u> {
    public_url: &'u str,
    /// The workspace's template, with `{id}`.
    template: Option<&'u str>,
}

impl<'u> ApproveUrls<'u> {
    /// Returns how they are made for the workspace of this policy.
    pub fn new(providers: &'u Providers, policy: &'u WorkspacePolicy) -> Self {
        Self { public_url: &providers.public_url, template: policy.approve_url_template.as_deref() }
    }

    /// Returns the link to a confirmation.
    pub fn of(&self, id: Id) -> String {
        approve_url(self.public_url, self.template, id)
    }
}

/// Reads a run's steps and makes its view.
pub async fn view(tx: &mut Tx, row: RunRow, urls: ApproveUrls<'_>) -> Result<RunView, ActionError> {
    let steps = steps_of_run(tx, row.id).await?;
    let waiting = steps.iter().flat_map(|step| &step.calls).filter(|call| is_open(call));
    // Equal calls of a step share one.
    let (mut confirmations, mut seen) = (Vec::new(), HashSet::new());
    for id in waiting.filter_map(|call: &CallRow| call.confirmation_id).filter(|id| seen.insert(*id)) {
        confirmations.extend(confirmation(tx, id, urls).await?);
    }
    let (finish, text) = (finish(&row, &steps), Some(last_text(&steps)));
    Ok(RunView { confirmations: Some(confirmations), text, finish, ..short(row) })
}

/// Returns why the answer of a run is not whole; `None` if it is, or if the run has none.
pub fn finish(run: &RunRow, steps: &[Step]) -> Option<RunFinish> {
    let last = steps.last().filter(|_| run.state == RunState::Completed)?;
    match last.row.finish.as_str() {
        "length" => Some(RunFinish::Length),
        "content_filter" => Some(RunFinish::ContentFilter),
        "stop" if last.row.text.trim().is_empty() => Some(RunFinish::Empty),
        // A run that ended before its limit, because its person sent another message, has calls too.
        "calls" if !last.calls.is_empty() && last.row.step >= most_steps(run.kind) => Some(RunFinish::Steps),
        _ => None,
    }
}

/// Returns whether what became of a call may not be in its row: it waits, or was answered before its end was known.
pub fn is_open(call: &CallRow) -> bool {
    call.state == PlannedCallState::Waiting || was_open(call)
}

/// Makes the view of a run without its texts and confirmations.
pub fn short(row: RunRow) -> RunView {
    let error = row.error_code.map(|code| RunError { code, detail: row.error.unwrap_or_default() });
    RunView {
        run: row.id,
        kind: row.kind,
        about: row.ref_id,
        position: row.position,
        thread: row.thread,
        message_id: row.message_id,
        state: row.state,
        model: Some(row.model).filter(|model| !model.is_empty()),
        upstream: row.upstream,
        model_replaced: None,
        agent: row.agent_id,
        steps: row.steps,
        text: None,
        finish: None,
        usage: RunUsage {
            input_tokens: row.input_tokens,
            cached_input_tokens: row.cached_input_tokens,
            output_tokens: row.output_tokens,
            cost_microusd: row.cost_microusd,
            cost_known: (row.steps > 0).then_some(row.cost_known),
        },
        confirmations: None,
        error,
        created_at: row.created_at,
        ended_at: row.ended_at.map(Ts::from_micros),
    }
}

fn last_text(steps: &[Step]) -> String {
    steps.iter().rev().map(|step| &step.row.text).find(|text| !text.is_empty()).cloned().unwrap_or_default()
}

async fn confirmation(
    tx: &mut Tx,
    id: Id,
    urls: ApproveUrls<'_>,
) -> Result<Option<RunConfirmation>, ActionError> {
    let row = confirmations::get(tx, id).await?.filter(|row| row.status.is_open());
    Ok(row.map(|row| RunConfirmation {
        id: row.id,
        summary: serde_json::from_str(&row.call.summary).unwrap_or_default(),
        action: row.action,
        level: row.level,
        warning: row.warning,
        expires_at: row.expires_at,
        approve_url: urls.of(row.id),
    }))
}

/// Returns whose threads a caller has: those of the person it acts for, or those of a key that acts for none. 403 for
/// an agent: what its person says to the assistant is not for it.
pub fn owner(caller: &Caller) -> Result<Id, ActionError> {
    if let Principal::Agent { .. } = caller.principal {
        let detail = "the key of an agent may not use the assistant";
        return Err(ActionError::new(ErrorCode::PermissionDenied, detail).hint("use a person's credential"));
    }
    Ok(caller.principal.user().unwrap_or_else(|| caller.principal.id()))
}
