//! The earlier runs of a thread, as a model is shown them.

use toolcrib_connectors::llm::{ModelCall, NativeMessage, StepTurn, ToolAnswer, Turn};
use toolcrib_model::Id;
use toolcrib_store::{StoreError, Tx, assistant_runs::RunRow};

use crate::{
    run::UNFINISHED,
    stored::{Step, StoredRun, runs_of_thread},
};

/// The most runs of a thread that a model is shown.
const RUNS: i64 = 100;
/// The part of the context that earlier runs fill when they are chosen anew, and up to which they may grow. In percent.
const FILLED: usize = 60;
const FULL: usize = 80;

/// Returns the ended runs of a thread before a run, oldest first.
pub async fn earlier(tx: &mut Tx, of: &RunRow) -> Result<Vec<StoredRun>, StoreError> {
    let mut runs = runs_of_thread(tx, of.owner_id, &of.thread, RUNS).await?;
    runs.retain(|run| run.row.id != of.id && !run.row.state.is_open());
    Ok(runs)
}

/// Returns the runs that fit, the newest ones, whole. The first run that was sent last time stays the first one until the
/// context is nearly full, because a provider's cache holds the beginning.
pub fn fitting(runs: Vec<StoredRun>, context_tokens: usize) -> Vec<StoredRun> {
    let from = runs.iter().rev().find_map(|run| run.row.history_from);
    let start = from.and_then(|from| runs.iter().position(|run| run.row.id == from)).unwrap_or(0);
    if tokens(&runs[start..]) * 100 <= context_tokens * FULL {
        return runs.into_iter().skip(start).collect();
    }
    newest(runs, context_tokens * FILLED / 100)
}

/// Returns the newest runs that have at most half of the tokens of all.
pub fn half(runs: Vec<StoredRun>) -> Vec<StoredRun> {
    let most = tokens(&runs) / 2;
    newest(runs, most)
}

/// Returns the newest runs that have at most so many tokens.
fn newest(runs: Vec<StoredRun>, most: usize) -> Vec<StoredRun> {
    let mut sum = 0;
    let fits = |run: &&StoredRun| {
        sum += run.tokens();
        sum <= most
    };
    let kept = runs.iter().rev().take_while(fits).count();
    let left_out = runs.len() - kept;
    runs.into_iter().skip(left_out).collect()
}

/// Returns about how many tokens the runs take.
pub fn tokens(runs: &[StoredRun]) -> usize {
    runs.iter().map(StoredRun::tokens).sum()
}

impl StoredRun {
    /// Returns the turns. What a model refused leaves the history.
    pub fn turns(&self, prefix: &str) -> Vec<Turn> {
        let steps = self.steps.iter().filter(|step| step.is_told());
        std::iter::once(user_turn(&self.row)).chain(steps.map(|step| step.turn(prefix))).collect()
    }

    /// Returns about how many tokens the run takes.
    fn tokens(&self) -> usize {
        let message = self.row.message.len() + self.row.preface.as_ref().map_or(0, String::len);
        let steps: usize = self.steps.iter().map(Step::bytes).sum();
        (message + steps) / 4
    }
}

/// Returns the words of a message, with what stands before them.
pub fn user_turn(run: &RunRow) -> Turn {
    Turn::User(match &run.preface {
        Some(preface) => format!("{preface}\n\n{}", run.message),
        None => run.message.clone(),
    })
}

impl Step {
    /// Returns whether a model is told of the step later: not of what it refused, or had not begun to say.
    fn is_told(&self) -> bool {
        match self.row.finish.as_str() {
            "refusal" => false,
            UNFINISHED => !self.row.text.is_empty(),
            _ => true,
        }
    }

    /// Returns the turn. The model's own message is sent back only after the same beginning, because providers bind what it
    /// holds of reasoning to that.
    pub fn turn(&self, prefix: &str) -> Turn {
        let native = (self.row.prefix == prefix).then(|| self.native()).flatten();
        let answers = self.calls.iter().map(|call| ToolAnswer {
            id: call.provider_id.clone(),
            text: call.answer.clone().unwrap_or_default(),
            is_error: call.is_error,
        });
        let calls = self.calls.iter().map(|call| ModelCall {
            id: call.provider_id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        });
        Turn::Step(StepTurn {
            text: self.row.text.clone(),
            calls: calls.collect(),
            answers: answers.collect(),
            native,
        })
    }

    fn native(&self) -> Option<NativeMessage> {
        Some(NativeMessage {
            format: self.row.format.parse().ok()?,
            model: self.row.model.clone(),
            message: serde_json::from_str(&self.row.provider_message).ok()?,
        })
    }

    /// Returns about how many bytes the step takes.
    pub fn bytes(&self) -> usize {
        let calls: usize = self
            .calls
            .iter()
            .map(|call| call.arguments.len() + call.answer.as_ref().map_or(0, String::len))
            .sum();
        self.row.provider_message.len() + calls
    }
}

/// Returns the first of the runs, which the next run begins with too.
pub fn first(runs: &[StoredRun], own: Id) -> Id {
    runs.first().map_or(own, |run| run.row.id)
}
