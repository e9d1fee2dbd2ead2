//! Asks the model for the next step of a run, and stores what it said before any of it runs.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::time::sleep;
use toolcrib_connectors::llm::{
    Finish, ModelAnswer, ModelCall, ModelError, ModelFormat, ModelRequest, Usage,
};
use toolcrib_engine::{
    AdmittedCaller,
    lists::{CachedList, ListOptions, ListRequest, Strategy},
    promotions::Promotions,
};
use toolcrib_model::{ErrorCode, PlannedCallState, RunState};
use toolcrib_registry::{Format, digest};
use toolcrib_store::{
    Tx,
    agents::{self, AgentRow},
    assistant_runs::RunRow,
    assistant_steps::{CallRow, StepRow},
    models::{self, ModelRow},
    workspaces,
};

use crate::{
    ToolsOfModel, budget, history,
    providers::{ChosenModel, RunProvider, default_model},
    run::{Halt, OpenRun, UNFINISHED, finish_word, most_steps, overdue},
    run_metrics, texts,
    transcript::{Step, StoredRun},
};

/// Below this context the list has only the tools that fit the person's words.
const SMALL_CONTEXT: usize = 16_000;
/// The part of the context that is left for an answer: an eighth.
const ANSWER_PART: usize = 8;
/// How many bytes of what the model said a run may have before its next step.
const MAX_RUN_BYTES: usize = 4 << 20;
/// The most tokens that are counted of a step's input, and of its output.
const MAX_STEP_TOKENS: i64 = 10_000_000;

impl OpenRun {
    /// Asks the model and commits what it said. Returns whether the run goes on.
    pub async fn ask(&mut self) -> Result<bool, Halt> {
        let mut admitted = self.admit().await?;
        if let Some(promoted) = self.promoted().await? {
            admitted.policy.promoted = Some(promoted.into());
        }
        self.mission = admitted.caller.mission;
        self.check_size()?;
        self.check_budget(&admitted).await?;
        let provider = self.provider(&admitted).await?;
        let begun = Instant::now();
        let (answer, prefix) = self.model_answer(&admitted, &provider).await?;
        let took = i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX);
        self.check_read(&provider, &answer);
        let step = self.step_of(&answer, &prefix, took);
        let (state, why) = self.state_after(&answer, &step);
        let error = why.map(|why| (ErrorCode::UpstreamError.as_str(), why));
        self.commit(state, error, Some(&step), &[]).await?;
        self.steps.push(step);
        Ok(state == RunState::Running)
    }

    /// Returns the state of the run after an answer, and why it failed. A person sees an answer that is not whole; what
    /// follows a background run would take it for one.
    fn state_after(&self, answer: &ModelAnswer, step: &Step) -> (RunState, Option<&'static str>) {
        if answer.finish == Finish::Refusal {
            return (RunState::Failed, Some("the model refused to answer"));
        }
        if !step.calls.is_empty() {
            return (RunState::Running, None);
        }
        let why = match answer.finish {
            _ if !self.row.kind.is_background() => None,
            Finish::Length => Some("the model's answer was cut off"),
            Finish::ContentFilter => Some("the model's answer was withheld by its provider"),
            _ => answer.text.trim().is_empty().then_some("the model said nothing"),
        };
        (if why.is_some() { RunState::Failed } else { RunState::Completed }, why)
    }

    /// Asks the model. Where the history is too long for it, once more with half of it. Returns also a digest of what
    /// it was told before the turns.
    async fn model_answer(
        &mut self,
        admitted: &AdmittedCaller,
        provider: &RunProvider,
    ) -> Result<(ModelAnswer, String), Halt> {
        let (request, prefix) = self.model_request(admitted, provider).await?;
        match self.ask_with(provider, &request).await? {
            Ok(answer) => return Ok((answer, prefix)),
            Err(ModelError::ContextTooLong { .. }) if self.halve() => {}
            Err(error) => return Err(self.failed(provider, &error)),
        }
        let (request, prefix) = self.model_request(admitted, provider).await?;
        match self.ask_with(provider, &request).await? {
            Ok(answer) => Ok((answer, prefix)),
            Err(error) => Err(self.failed(provider, &error)),
        }
    }

    /// Leaves half of the earlier runs out, and takes what was sent for the context: the own steps must fit into the
    /// rest. Returns `false` if there is nothing to leave out.
    fn halve(&mut self) -> bool {
        let earlier = self.earlier.take().unwrap_or_default();
        let can_halve = !earlier.is_empty() || self.steps.len() > 1;
        let cleared = history::cleared(&self.steps, self.room.unwrap_or_default());
        let sent = history::tokens(&earlier) + history::bytes(&self.steps, cleared) / 4;
        let earlier = history::half(earlier);
        self.room = Some(sent - history::tokens(&earlier));
        self.earlier = Some(earlier);
        can_halve
    }

    /// Ends the run where its steps have more bytes than an honest count of tokens allows: a provider may say that it
    /// used none.
    fn check_size(&self) -> Result<(), Halt> {
        let bytes =
            |step: &Step| step.row.text.len() + step.row.reasoning.len() + step.row.provider_message.len();
        if self.steps.iter().map(bytes).sum::<usize>() < MAX_RUN_BYTES {
            return Ok(());
        }
        let detail = "the model has said more than a run may store";
        Err(Halt::Failed(ErrorCode::BudgetExceeded, detail.to_owned()))
    }

    /// Ends the run where a budget is used up. Chooses the model of a background run, and reads the price.
    async fn check_budget(&mut self, admitted: &AdmittedCaller) -> Result<(), Halt> {
        let mut tx = self.assistant.db.read(self.workspace).await?;
        let read = self.model_in_budget(&mut tx, admitted).await;
        tx.end().await?;
        let (ChosenModel { model, upstream }, price) = read?;
        (self.row.model, self.row.upstream) = (model, upstream);
        self.row.cost_known &= price.is_some();
        self.price = price;
        Ok(())
    }

    /// Returns the model that may be asked now, with its price.
    async fn model_in_budget(
        &self,
        tx: &mut Tx,
        admitted: &AdmittedCaller,
    ) -> Result<(ChosenModel, Option<ModelRow>), Halt> {
        let providers = &self.assistant.providers;
        let now = self.assistant.engine.clock().now();
        let (allowed, day) = providers.ceilings.read(tx, self.row.owner_id, self.row.kind, now).await?;
        if let Some(detail) = budget::mission_used_up(tx, self.mission).await? {
            return Err(Halt::Failed(ErrorCode::BudgetExceeded, detail));
        }
        allowed.check(&self.row, &day)?;
        let chosen = if self.row.model.is_empty() {
            let all = providers.list(tx, admitted.catalog.rules(), &admitted.caller).await?;
            default_model(tx, all, self.row.agent_id).await?.0
        } else {
            ChosenModel { model: self.row.model.clone(), upstream: self.row.upstream.clone() }
        };
        let price = models::get(tx, &chosen.model).await?;
        Ok((chosen, price))
    }

    /// Puts together what the model is told, and a digest of what stands before the turns, which only grow.
    async fn model_request(
        &mut self,
        admitted: &AdmittedCaller,
        provider: &RunProvider,
    ) -> Result<(ModelRequest, String), Halt> {
        let agent = self.agent().await?;
        let system =
            texts::system(self.row.kind, agent.as_ref().and_then(|agent| agent.system_prompt.as_deref()));
        let cached = self.list(admitted, provider)?;
        let ToolsOfModel { tools, digest: listed, tokens } = &cached.list;
        let before = tokens + system.len() / 4;
        let room = self.room_for_turns(provider.context, before);
        let earlier = match self.earlier.take() {
            Some(earlier) => earlier,
            None => self.read_earlier(room).await?,
        };
        let first = history::first(&earlier, self.row.id);
        self.write_preface(admitted, &earlier).await?;
        self.row.history_from = Some(first);
        let prefix = digest(&serde_json::json!([system, listed, self.row.model, provider.account, first]));
        let turns = history::turns(&earlier, &self.row, &prefix);
        let left = room.saturating_sub(history::tokens(&earlier));
        let cleared = history::cleared(&self.steps, *self.room.get_or_insert(left));
        let asked = self.tokens_of(before, cleared, &earlier);
        // What the model said when fewer answers were cleared is sent neutral.
        let prefix = if cleared == 0 { prefix } else { digest(&serde_json::json!([prefix, cleared])) };
        let steps = self.steps.iter().enumerate().map(|(at, step)| step.turn(&prefix, at < cleared));
        let request = ModelRequest {
            model: self.row.model.clone(),
            system,
            tools: tools.clone(),
            turns: turns.into_iter().chain(steps).collect(),
            no_calls: self.row.steps + 1 >= most_steps(self.row.kind),
            temperature: agent.and_then(|agent| agent.temperature),
            thread: format!("{}/{}/{}", self.workspace, self.row.owner_id, self.row.thread),
            keep_reasoning: true,
        };
        self.earlier = Some(earlier);
        self.asked = Some(asked);
        Ok((request, prefix))
    }

    /// Returns about how many tokens earlier runs and own steps may have, with so many before the turns.
    fn room_for_turns(&self, context: usize, before: usize) -> usize {
        context.saturating_sub(context / ANSWER_PART + before + self.row.message.len() / 4)
    }

    /// Returns about how many tokens a request has, with so many before its turns.
    fn tokens_of(&self, before: usize, cleared: usize, earlier: &[StoredRun]) -> i64 {
        let own = (self.row.message.len() + history::bytes(&self.steps, cleared)) / 4;
        let size = before + own + history::tokens(earlier);
        i64::try_from(size).unwrap_or(i64::MAX)
    }

    /// Returns how the model is asked, with the credential that the caller has now.
    async fn provider(&self, admitted: &AdmittedCaller) -> Result<RunProvider, Halt> {
        let assistant = &self.assistant;
        let (upstream, client) = (self.row.upstream.as_deref(), &assistant.engine.settings().upstream_client);
        let rules = admitted.catalog.rules();
        let mut tx = assistant.db.read(self.workspace).await?;
        let found = assistant.providers.of_run(&mut tx, rules, &admitted.caller, upstream, client).await;
        tx.end().await?;
        Ok(found?)
    }

    /// Returns the tools that the workspace promotes for the agent whose prompt is used, if it has a list of its own.
    async fn promoted(&self) -> Result<Option<Vec<String>>, Halt> {
        let Some(agent) = self.row.agent_id else { return Ok(None) };
        let mut tx = self.assistant.db.read(self.workspace).await?;
        let stored = workspaces::promotions(&mut tx).await?;
        tx.end().await?;
        Ok(Promotions::read(stored.as_deref())?.agents.remove(&agent.to_string()))
    }

    /// Returns the agent whose prompt is used. Nothing runs by itself as an agent that is gone or disabled.
    async fn agent(&self) -> Result<Option<AgentRow>, Halt> {
        let Some(id) = self.row.agent_id else { return Ok(None) };
        let mut tx = self.assistant.db.read(self.workspace).await?;
        let agent = agents::get(&mut tx, id).await?;
        tx.end().await?;
        let is_active = agent.as_ref().is_some_and(|agent| agent.status == "active");
        if self.row.kind.is_background() && !is_active {
            let detail = "its agent is disabled or was deleted";
            return Err(Halt::Failed(ErrorCode::Conflict, detail.to_owned()));
        }
        Ok(agent)
    }

    /// Returns the tools of the caller, as `/v1/tools` lists them. A model with a small context gets those that fit the
    /// message.
    fn list(
        &self,
        admitted: &AdmittedCaller,
        provider: &RunProvider,
    ) -> Result<Arc<CachedList<ToolsOfModel>>, Halt> {
        let format = match provider.model.format() {
            ModelFormat::OpenAi => Format::Openai,
            ModelFormat::OpenAiResponses => Format::OpenaiResponses,
            ModelFormat::Anthropic => Format::Anthropic,
        };
        let is_small = provider.context < SMALL_CONTEXT;
        let options = ListOptions {
            format,
            strategy: if is_small { Strategy::Filtered } else { Strategy::Full },
            query: is_small.then(|| self.row.message.clone()),
            ..ListOptions::default()
        };
        let tools = admitted.tools();
        let cached = self
            .assistant
            .lists
            .get(&tools, &ListRequest::from(options), |list| Ok(ToolsOfModel::of(list)))?;
        Ok(cached)
    }

    /// Returns the earlier runs of the thread that fit into so many tokens. A background run stands alone.
    async fn read_earlier(&self, room: usize) -> Result<Vec<StoredRun>, Halt> {
        if self.row.kind.is_background() {
            return Ok(Vec::new());
        }
        let mut tx = self.assistant.db.read(self.workspace).await?;
        let earlier = history::earlier(&mut tx, &self.row, room).await?;
        tx.end().await?;
        Ok(history::fitting(earlier, room))
    }

    /// Asks the model. Stops with the run, and at its deadline.
    async fn ask_with(
        &self,
        provider: &RunProvider,
        request: &ModelRequest,
    ) -> Result<Result<ModelAnswer, ModelError>, Halt> {
        self.live.begin_step(self.row.steps + 1);
        let mut shown = |event| self.live.push(event);
        let asked = provider.model.ask(request, &mut shown);
        let left = self.row.deadline.micros_since(self.assistant.engine.clock().now());
        let left = Duration::from_micros(u64::try_from(left).unwrap_or_default());
        let begun = Instant::now();
        tokio::select! {
            answer = asked => {
                run_metrics::answered(begun.elapsed(), answer.as_ref().ok());
                Ok(answer)
            }
            () = sleep(left) => Err(overdue()),
            _ = self.lease.ended() => {
                self.check_end()?;
                Err(Halt::Lost)
            }
        }
    }

    /// Makes the failure of a run whose model can't be asked. The provider's own text goes to the log alone. What the
    /// request has used is known.
    fn failed(&mut self, provider: &RunProvider, error: &ModelError) -> Halt {
        tracing::warn!(
            run = %self.row.id, provider = provider.name, %error, text = ?error.provider_text(),
            "the model provider did not answer"
        );
        self.asked = None;
        Halt::Failed(ErrorCode::UpstreamError, format!("the model provider `{}`: {error}", provider.name))
    }

    /// Warns if the provider has read less than half of the request. Local servers give a model a part of its context,
    /// and cut silently what does not fit.
    fn check_read(&self, provider: &RunProvider, answer: &ModelAnswer) {
        let (read, asked) = (tokens(answer.usage.input_tokens), self.asked.unwrap_or_default());
        if provider.context < SMALL_CONTEXT && !answer.usage.estimated && read < asked / 2 {
            let (run, provider) = (self.row.id, provider.name.as_str());
            tracing::warn!(%run, provider, read, asked, "prompt_cut: the provider has read a part of the request");
            self.live.cut_prompt();
        }
    }

    fn step_of(&self, answer: &ModelAnswer, prefix: &str, duration_ms: i64) -> Step {
        let (now, step) = (self.assistant.engine.clock().now(), self.row.steps + 1);
        let calls = match answer.finish {
            // A cut message's calls are answered, and none runs.
            Finish::Calls | Finish::Length => answer.calls.as_slice(),
            Finish::Stop | Finish::ContentFilter | Finish::Refusal => &[],
        };
        // A provider refuses a message with calls that nobody answers.
        let is_sendable = calls.len() == answer.calls.len();
        let usage = answer.usage.plus(self.live.used(step));
        let row = StepRow {
            run_id: self.row.id,
            step,
            text: answer.text.clone(),
            reasoning: answer.reasoning.clone(),
            provider_message: if is_sendable { answer.native.message.to_string() } else { String::new() },
            format: answer.native.format.as_str().to_owned(),
            model: answer.native.model.clone(),
            prefix: prefix.to_owned(),
            finish: finish_word(answer.finish).to_owned(),
            input_tokens: tokens(usage.input_tokens),
            cached_input_tokens: tokens(usage.cached_input_tokens),
            output_tokens: tokens(usage.output_tokens),
            estimated: usage.estimated,
            duration_ms,
            created_at: now,
        };
        let planned = |(at, call): (usize, &ModelCall)| self.planned_call(step, at, call);
        Step { row, calls: calls.iter().enumerate().map(planned).collect() }
    }

    /// Returns the step for which the model was asked when the run ended, with what it had said: the provider bills it,
    /// and the answers that were broken or refused.
    pub fn unfinished_step(&self) -> Option<Step> {
        let step = self.row.steps + 1;
        let used = self.live.used(step);
        if self.asked.is_none() && used == Usage::default() {
            return None;
        }
        let (reasoning, text) = self.live.said(step);
        let written = if self.asked.is_some() { (text.len() + reasoning.len()) / 4 } else { 0 };
        let written = i64::try_from(written).unwrap_or(i64::MAX);
        let row = StepRow {
            run_id: self.row.id,
            step,
            input_tokens: tokens(used.input_tokens).saturating_add(self.asked.unwrap_or_default()),
            cached_input_tokens: tokens(used.cached_input_tokens),
            output_tokens: tokens(used.output_tokens).saturating_add(written),
            text,
            reasoning,
            // It is no message that the model could be sent back.
            provider_message: String::new(),
            format: String::new(),
            model: self.row.model.clone(),
            prefix: String::new(),
            finish: UNFINISHED.to_owned(),
            estimated: self.asked.is_some() || used.estimated,
            duration_ms: 0,
            created_at: self.assistant.engine.clock().now(),
        };
        Some(Step { row, calls: Vec::new() })
    }

    fn planned_call(&self, step: i64, at: usize, call: &ModelCall) -> CallRow {
        CallRow {
            id: self.assistant.engine.new_id(),
            run_id: self.row.id,
            step,
            position: i64::try_from(at).unwrap_or(i64::MAX),
            provider_id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            action: None,
            state: PlannedCallState::Planned,
            confirmation_id: None,
            call_id: None,
            answer: None,
            is_error: false,
        }
    }

    /// Returns the run's row with a step added to its totals.
    pub fn counted(&self, step: Option<&Step>) -> RunRow {
        let mut row = self.row.clone();
        if let Some(Step { row: step, .. }) = step {
            row.steps += 1;
            row.input_tokens += step.input_tokens;
            row.cached_input_tokens += step.cached_input_tokens;
            row.output_tokens += step.output_tokens;
            row.cost_microusd += self.cost(step);
        }
        row
    }

    /// Returns what a step cost, in millionths of a dollar; 0 for a model without a price.
    pub fn cost(&self, step: &StepRow) -> i64 {
        self.price.as_ref().map_or(0, |price| budget::cost(price, step.input_tokens, step.output_tokens))
    }
}

/// Returns a number of tokens that a provider says. It may say anything, and sums of them are stored.
fn tokens(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX).min(MAX_STEP_TOKENS)
}
