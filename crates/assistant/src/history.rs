//! The earlier runs of a thread, as a model is shown them.

use toolcrib_connectors::llm::{ModelCall, NativeMessage, StepTurn, ToolAnswer, Turn};
use toolcrib_model::Id;
use toolcrib_store::{StoreError, Tx, assistant_runs::RunRow, assistant_steps::CallRow};

use crate::{
    calls::arguments_to_send,
    run::UNFINISHED,
    transcript::{Step, StoredRun, runs_of_thread},
};

/// The most runs of a thread that a model is shown.
const RUNS: i64 = 100;
/// How many of them are shown when the first one of these is none of the newest any more.
const KEPT_RUNS: usize = 60;
/// The part of the room that earlier runs fill when they are chosen anew, and up to which they may grow. In percent.
/// The room is what the model's context has for them.
const FILLED: usize = 60;
const FULL: usize = 80;
/// What stands in the place of an answer that no longer fits.
const CLEARED: &str = "{\"cleared\":true}";
/// What stands in the place of words that were told already, with what was done about them before the run ended.
const SENT_AGAIN: &str = "The person sent the message above again, because it got no answer.";

/// Returns the ended runs of a thread before a run, oldest first; not many more than fit into so many tokens.
pub async fn earlier(tx: &mut Tx, of: &RunRow, tokens: usize) -> Result<Vec<StoredRun>, StoreError> {
    // Cleared answers and texts beside the provider's own message are read too.
    let bytes = tokens.saturating_mul(16);
    // The run itself is the newest one.
    let mut runs = runs_of_thread(tx, of.owner_id, &of.thread, RUNS + 1, bytes).await?;
    runs.retain(|run| run.row.id != of.id && !run.row.state.is_open());
    Ok(runs)
}

/// Returns the runs that fit, the newest ones, whole; of a last one that is too long, the oldest answers are cleared.
/// The first run that was sent last time stays the first one until the room is nearly full, because a provider's cache
/// holds the beginning.
pub fn fitting(mut runs: Vec<StoredRun>, room: usize) -> Vec<StoredRun> {
    let from = runs.iter().rev().find_map(|run| run.row.history_from);
    let start = from.and_then(|from| runs.iter().position(|run| run.row.id == from));
    // A thread with more runs: the first one is then the first one for some time again.
    let is_full = i64::try_from(runs.len()) == Ok(RUNS);
    let start = start.unwrap_or(if is_full { runs.len() - KEPT_RUNS } else { 0 });
    if tokens(&runs[start..]) * 100 <= room * FULL {
        return runs.into_iter().skip(start).collect();
    }
    let most = room * FILLED / 100;
    if let Some(last) = runs.last_mut() {
        last.cleared = cleared(&last.steps, most);
    }
    newest(runs, most)
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

/// Returns the turns of earlier runs, and then the message of the run that follows them. The words of a message that
/// was sent again are told once.
pub fn turns(earlier: &[StoredRun], own: &RunRow, prefix: &str) -> Vec<Turn> {
    let (mut turns, mut last_told) = (Vec::new(), None);
    let next = earlier.iter().skip(1).map(|run| &run.row).chain([own]);
    for (run, next) in earlier.iter().zip(next) {
        let steps = run.step_turns(prefix);
        if !steps.is_empty() || !is_same_message(&run.row, next) {
            turns.push(user_turn(&run.row, last_told));
            turns.extend(steps);
            last_told = Some(&run.row);
        }
    }
    turns.push(user_turn(own, last_told));
    turns
}

impl StoredRun {
    /// Returns the turns of the steps. What a model refused leaves the history.
    fn step_turns(&self, prefix: &str) -> Vec<Turn> {
        // What the model said when its answers were there is sent neutral.
        let prefix = if self.cleared == 0 { prefix } else { "" };
        let steps = self.steps.iter().enumerate().filter(|(_, step)| step.is_told());
        steps.map(|(at, step)| step.turn(prefix, at < self.cleared)).collect()
    }

    /// Returns about how many tokens the run takes.
    fn tokens(&self) -> usize {
        let message = self.row.message.len() + self.row.preface.as_ref().map_or(0, String::len);
        (message + bytes(&self.steps, self.cleared)) / 4
    }
}

/// Returns the words of a message, with what stands before them. `before` is the run that was told last.
fn user_turn(run: &RunRow, before: Option<&RunRow>) -> Turn {
    let is_told = before.is_some_and(|before| is_same_message(before, run));
    let words = if is_told { SENT_AGAIN } else { run.message.as_str() };
    Turn::User(match &run.preface {
        Some(preface) => format!("{preface}\n\n{words}"),
        None => words.to_owned(),
    })
}

fn is_same_message(one: &RunRow, other: &RunRow) -> bool {
    one.message_id.is_some() && one.message_id == other.message_id
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

    /// Returns the turn. The model's own message is sent back only after the same beginning, because providers bind
    /// what it holds of reasoning to that.
    pub fn turn(&self, prefix: &str, is_cleared: bool) -> Turn {
        let native = (self.row.prefix == prefix).then(|| self.native()).flatten();
        let answers = self.calls.iter().map(|call| ToolAnswer {
            id: call.provider_id.clone(),
            text: if is_cleared { CLEARED.to_owned() } else { call.answer.clone().unwrap_or_default() },
            is_error: call.is_error,
        });
        let calls = self.calls.iter().map(|call| ModelCall {
            id: call.provider_id.clone(),
            name: call.name.clone(),
            arguments: arguments_to_send(&call.arguments),
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

    fn bytes(&self, is_cleared: bool) -> usize {
        let answer = |call: &CallRow| match &call.answer {
            Some(answer) if !is_cleared => answer.len(),
            _ => CLEARED.len(),
        };
        let calls: usize = self.calls.iter().map(|call| call.arguments.len() + answer(call)).sum();
        let message = if is_cleared { &self.row.text } else { &self.row.provider_message };
        message.len() + calls
    }
}

/// Returns about how many bytes the steps take, with the answers of so many of them cleared, the oldest.
pub fn bytes(steps: &[Step], cleared: usize) -> usize {
    steps.iter().enumerate().map(|(at, step)| step.bytes(at < cleared)).sum()
}

/// Returns of how many steps of a run, the oldest, the answers are cleared so that the steps fit into so many tokens.
/// As with earlier runs, what is sent stays the same until they are nearly full. The newest answers are always sent.
pub fn cleared(steps: &[Step], tokens: usize) -> usize {
    let mut cleared = 0;
    for end in 1..=steps.len() {
        let is_over = |cleared, most| bytes(&steps[..end], cleared) / 4 * 100 > tokens * most;
        if is_over(cleared, FULL) {
            cleared = (cleared..end - 1).find(|cleared| !is_over(*cleared, FILLED)).unwrap_or(end - 1);
        }
    }
    cleared
}

/// Returns the first of the runs, which the next run begins with too.
pub fn first(runs: &[StoredRun], own: Id) -> Id {
    runs.first().map_or(own, |run| run.row.id)
}

#[cfg(test)]
mod tests {
    use toolcrib_model::{RunKind, Ts};

    use super::*;

    fn run(n: u128, from: Option<u128>) -> StoredRun {
        let row = RunRow::queued(Id::from_u128(n), RunKind::Chat, Ts::from_micros(0));
        let row = RunRow { history_from: from.map(Id::from_u128), ..row };
        StoredRun { row, steps: Vec::new(), cleared: 0 }
    }

    /// Otherwise the beginning would move with each message, and with it what a provider's cache holds.
    #[test]
    fn a_long_thread_has_the_same_beginning_for_some_time() {
        let first = |newest: u128, from: u128| {
            let runs = (newest - 99..=newest).map(|n| run(n, Some(from))).collect();
            fitting(runs, 200_000)[0].row.id.as_u128()
        };
        assert_eq!(first(100, 1), 1);
        let moved = first(101, 1);
        assert_eq!(moved, 42);
        assert_eq!((first(102, moved), first(141, moved)), (moved, moved));
        assert_eq!(first(142, moved), 83);
    }
}
