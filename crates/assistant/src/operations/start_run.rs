//! Sends a message to the assistant.

use std::sync::Arc;

use toolcrib_engine::prelude::*;
use toolcrib_model::{PlannedCallState, RunKind, RunState};
use toolcrib_registry::ArgError;
use toolcrib_store::{
    agents,
    assistant_runs::{self, RunRow},
    assistant_steps,
};

use crate::view::{ApproveUrls, RunView, owner, view};
use crate::{
    background::DEADLINE_SECONDS,
    budget::{DAY_RUNS, DAY_TOKENS},
    calls,
    providers::{ChosenModel, Providers, default_model},
    transcript::newest_run,
};

/// Runs of a person that may be open.
const OPEN_RUNS: i64 = 4;
/// What to do where the workspace has used up its runs or tokens, and where it has used up its money.
const WAIT: &str = "wait, as the last 24 hours count; no setting changes this number";
const WAIT_OR_PAY: &str = "wait, as the last 24 hours count, or ask an admin: `PATCH /v1/settings` with \
    `assistant_budget` sets what the workspace may cost, up to what the operator allows";

pub struct StartRun(pub Arc<Providers>);

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name of the thread, which the client chooses.
    #[schemars(length(min = 1, max = 64), regex(pattern = r"^[A-Za-z0-9_-]{1,64}$"))]
    pub thread: String,
    /// Words of the person.
    #[schemars(length(min = 1, max = 32_768), extend("x-sensitive" = true))]
    pub message: String,
    /// ID of the message, chosen by the client: the same ID with the same text starts no second run.
    #[schemars(length(min = 1, max = 128))]
    pub message_id: Option<String>,
    /// Agent whose prompt, model, temperature and promoted tools are used. It gives no access.
    pub agent: Option<Id>,
    /// Model; by default the agent's, or else the `default` of `GET /v1/assistant/models`.
    #[schemars(length(min = 1, max = 200))]
    pub model: Option<String>,
    /// Seconds to wait for the end of the run.
    #[schemars(range(min = 0, max = 60))]
    pub wait: Option<u64>,
}

impl WriteAction for StartRun {
    type Input = Input;
    type Output = RunView;

    fn spec() -> Spec {
        Spec::program("assistant.start_run", Level::Write, Permission::ASSISTANT_USE).creates().describe(
            "Send a message to the assistant. It calls tools with the caller's permissions until it has an answer. With \
             `wait`, the response comes when the run has ended or waits for a person.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        if input.message.trim().is_empty() {
            return Err(ActionError::invalid_all(vec![ArgError::new(
                "/message",
                "empty",
                "`message` has no words",
            )]));
        }
        if let Some(agent) = input.agent {
            let found = agents::get(cx.tx, agent).await?;
            found.ok_or_else(|| ActionError::not_found("agent", &agent.to_string()))?;
        }
        Ok(Target { label: format!("thread `{}`", input.thread), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<RunView, ActionError> {
        let owner = owner(cx.caller)?;
        let (row, model_replaced) = match self.known(cx, owner, input).await? {
            Some(row) => (row, None),
            None => match self.insert(cx, owner, input).await? {
                Some(inserted) => inserted,
                // The same message may have been sent at the same time.
                None => (self.known(cx, owner, input).await?.ok_or_else(|| busy(&input.thread))?, None),
            },
        };
        let urls = ApproveUrls::new(&self.0, cx.policy);
        Ok(RunView { model_replaced, ..view(cx.tx, row, urls).await? })
    }

    fn describe(input: &Input, _: &RunView) -> String {
        format!("Sent a message to the assistant in thread `{}`", input.thread)
    }
}

impl StartRun {
    /// Returns the run of this message, if it was sent before: one that is open or has an answer.
    async fn known(
        &self,
        cx: &mut WriteCx<'_>,
        owner: Id,
        input: &Input,
    ) -> Result<Option<RunRow>, ActionError> {
        let Some(message) = &input.message_id else { return Ok(None) };
        let Some(row) = assistant_runs::of_message(cx.tx, owner, &input.thread, message).await? else {
            return Ok(None);
        };
        if row.message != input.message {
            let detail = format!("the message `{message}` was sent with another text");
            return Err(ActionError::conflict(detail).hint("use a new ID for a new message"));
        }
        Ok((row.state.is_open() || row.state == RunState::Completed).then_some(row))
    }

    /// Inserts the run; `None` if another run of the thread is open. Returns also the model that was replaced.
    async fn insert(
        &self,
        cx: &mut WriteCx<'_>,
        owner: Id,
        input: &Input,
    ) -> Result<Option<(RunRow, Option<String>)>, ActionError> {
        if !self.end_waiting(cx, owner, &input.thread).await? {
            return Ok(None);
        }
        self.check_limits(cx, owner).await?;
        let (chosen, replaced) = self.model(cx, input).await?;
        let row = row(cx, owner, input, chosen).await?;
        Ok(assistant_runs::insert(cx.tx, &row).await?.then_some((row, replaced)))
    }

    /// Ends the thread's run if it waits: its confirmations stay open. Returns `false` if it is running.
    async fn end_waiting(&self, cx: &mut WriteCx<'_>, owner: Id, thread: &str) -> Result<bool, ActionError> {
        let newest = newest_run(cx.tx, owner, thread).await?;
        let Some(open) = newest.filter(|run| run.state.is_open()) else { return Ok(true) };
        if open.state != RunState::Waiting
            || !assistant_runs::complete_waiting(cx.tx, open.id, cx.now).await?
        {
            return Ok(false);
        }
        for mut call in assistant_steps::calls_of_run(cx.tx, open.id).await? {
            if call.state == PlannedCallState::Waiting {
                calls::leave_undecided(&mut call);
                assistant_steps::update_call(cx.tx, &call).await?;
            }
        }
        Ok(true)
    }

    async fn check_limits(&self, cx: &mut WriteCx<'_>, owner: Id) -> Result<(), ActionError> {
        let (allowed, used) = self.0.ceilings.read(cx.tx, owner, RunKind::Chat, cx.now).await?;
        if used.open >= OPEN_RUNS {
            let detail = format!("{} runs are open, and a person may have {OPEN_RUNS}", used.open);
            return Err(ActionError::conflict(detail)
                .hint("wait for one to end, or stop one: `POST /v1/assistant/runs/{id}/stop`"));
        }
        let runs = used.runs;
        let too_many = || format!("the workspace has begun {runs} runs in a day, of {DAY_RUNS}");
        match (runs >= DAY_RUNS).then(too_many).or_else(|| allowed.day_used_up(RunKind::Chat, &used)) {
            Some(detail) => {
                let hint = if runs >= DAY_RUNS || used.tokens >= DAY_TOKENS { WAIT } else { WAIT_OR_PAY };
                Err(ActionError::new(ErrorCode::BudgetExceeded, detail).hint(hint))
            }
            None => Ok(()),
        }
    }

    /// Returns the model of the run: the wanted one, or else the default, with the name that it replaces.
    async fn model(
        &self,
        cx: &mut WriteCx<'_>,
        input: &Input,
    ) -> Result<(ChosenModel, Option<String>), ActionError> {
        let rules = cx.tools.catalog.rules();
        if let Some(wanted) = &input.model {
            return Ok((self.0.find(cx.tx, rules, cx.caller, wanted).await?, None));
        }
        let all = self.0.list(cx.tx, rules, cx.caller).await?;
        default_model(cx.tx, all, input.agent).await
    }
}

async fn row(
    cx: &mut WriteCx<'_>,
    owner: Id,
    input: &Input,
    ChosenModel { model, upstream }: ChosenModel,
) -> Result<RunRow, ActionError> {
    Ok(RunRow {
        owner_id: owner,
        user_id: cx.caller.principal.user(),
        thread: input.thread.clone(),
        message_id: input.message_id.clone(),
        agent_id: input.agent,
        caller: cx.chat_caller(&input.thread).await?.as_str().to_owned(),
        model,
        upstream,
        message: input.message.clone(),
        deadline: cx.now.plus_seconds(DEADLINE_SECONDS),
        ..RunRow::queued(cx.new_id(), RunKind::Chat, cx.now)
    })
}

fn busy(thread: &str) -> ActionError {
    ActionError::conflict(format!("a run of the thread `{thread}` is not finished"))
        .hint("wait for it, or stop it: `POST /v1/assistant/threads/{thread}/stop`")
}
