//! What runs may use: tokens and money of a run, and of a workspace in a day.

use toolcrib_model::{ErrorCode, Id, RunKind, Ts};
use toolcrib_store::{
    StoreError, Tx,
    assistant_runs::{self, RunRow, Used},
    llm_usage, missions,
    models::ModelRow,
    workspaces::{self, WorkspaceRow},
};

use crate::run::Halt;

/// The most tokens of a run, and of a workspace on a day.
const RUN_TOKENS: i64 = 500_000;
pub const DAY_TOKENS: i64 = 20_000_000;
/// The most of these with no person beside them, so that a person can still chat.
const BACKGROUND_TOKENS: i64 = DAY_TOKENS / 4;
/// Chats that a workspace may begin in a day, and as many background runs.
pub const DAY_RUNS: i64 = 1_000;

/// What runs may cost, in millionths of a dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceilings {
    pub run_microusd: i64,
    /// The runs of a workspace in 24 hours.
    pub day_microusd: i64,
    /// Those of these with no person beside them.
    pub background_microusd: i64,
}

impl Default for Ceilings {
    /// 1 USD a run, and 20 USD a day, 5 of them in the background.
    fn default() -> Self {
        Self { run_microusd: 1_000_000, day_microusd: 20_000_000, background_microusd: 5_000_000 }
    }
}

impl Ceilings {
    /// Returns what a workspace allows, which is at most what the operator does.
    #[must_use]
    pub fn of(self, workspace: &WorkspaceRow) -> Self {
        let lower = |own: Option<i64>, most: i64| own.unwrap_or(i64::MAX).min(most);
        Self {
            run_microusd: lower(workspace.assistant_run_microusd, self.run_microusd),
            day_microusd: lower(workspace.assistant_day_microusd, self.day_microusd),
            background_microusd: lower(workspace.assistant_background_microusd, self.background_microusd),
        }
    }

    /// Returns what the workspace of the transaction allows, and what its runs of the last 24 hours used.
    pub async fn read(
        self,
        tx: &mut Tx,
        owner: Id,
        kind: RunKind,
        now: Ts,
    ) -> Result<(Self, Used), StoreError> {
        let workspace = workspaces::get(tx).await?;
        let allowed = workspace.map_or(self, |workspace| self.of(&workspace));
        let used = assistant_runs::used(tx, owner, now.plus_days(-1), kind.is_background()).await?;
        Ok((allowed, used))
    }

    /// Returns what is used up of the workspace's day, for a run of this kind, in a sentence.
    pub fn day_used_up(self, kind: RunKind, day: &Used) -> Option<String> {
        let is_over = day.background_microusd > 0 && day.background_microusd >= self.background_microusd;
        if kind.is_background() && (is_over || self.background_microusd == 0) {
            let (cost, most) = (dollars(day.background_microusd), dollars(self.background_microusd));
            return Some(format!("the workspace's background runs have cost {cost} in a day, of {most}"));
        }
        if kind.is_background() && day.background_tokens >= BACKGROUND_TOKENS {
            let tokens = day.background_tokens;
            return Some(format!(
                "the workspace's background runs have used {tokens} tokens in a day, of {BACKGROUND_TOKENS}"
            ));
        }
        if day.tokens >= DAY_TOKENS {
            let tokens = day.tokens;
            return Some(format!("the workspace's runs have used {tokens} tokens in a day, of {DAY_TOKENS}"));
        }
        // What costs nothing is no matter of money.
        let is_over = day.cost_microusd > 0 && day.cost_microusd >= self.day_microusd;
        is_over.then(|| {
            let (cost, most) = (dollars(day.cost_microusd), dollars(self.day_microusd));
            format!("the workspace's runs have cost {cost} in a day, of {most}")
        })
    }

    /// Ends a run whose budget is used up, or that of its workspace's day.
    pub fn check(self, row: &RunRow, day: &Used) -> Result<(), Halt> {
        // A chat beyond this number is not started at all.
        if row.kind.is_background() && row.steps == 0 && day.runs >= DAY_RUNS {
            let detail =
                format!("the workspace has begun {} background runs in a day, of {DAY_RUNS}", day.runs);
            return Err(Halt::Failed(ErrorCode::BudgetExceeded, detail));
        }
        let tokens = row.input_tokens + row.output_tokens;
        let used_up = if tokens >= RUN_TOKENS {
            Some(format!("the run has used {tokens} tokens, of {RUN_TOKENS}"))
        } else if row.cost_microusd > 0 && row.cost_microusd >= self.run_microusd {
            Some(format!(
                "the run has cost {}, of {}",
                dollars(row.cost_microusd),
                dollars(self.run_microusd)
            ))
        } else {
            self.day_used_up(row.kind, day)
        };
        used_up.map_or(Ok(()), |detail| Err(Halt::Failed(ErrorCode::BudgetExceeded, detail)))
    }
}

/// Returns what is used up of a mission's budget, in a sentence. A mission that does not exist has none.
pub async fn mission_used_up(tx: &mut Tx, mission: Option<Id>) -> Result<Option<String>, StoreError> {
    let Some(id) = mission else { return Ok(None) };
    let Some(mission) = missions::get(tx, id).await? else { return Ok(None) };
    if mission.max_tokens.is_none() && mission.max_cost_microusd.is_none() {
        return Ok(None);
    }
    let used = llm_usage::of_mission(tx, id).await?;
    let tokens = used.input_tokens.saturating_add(used.output_tokens);
    if let Some(most) = mission.max_tokens.filter(|most| tokens >= *most) {
        return Ok(Some(format!("the mission has used {tokens} tokens, of {most}")));
    }
    let most = mission.max_cost_microusd.filter(|most| used.cost_microusd > 0 && used.cost_microusd >= *most);
    Ok(most.map(|most| format!("the mission has cost {}, of {}", dollars(used.cost_microusd), dollars(most))))
}

/// Returns what a request cost, in millionths of a dollar. Tokens from a provider's cache count as others.
pub fn cost(price: &ModelRow, input_tokens: i64, output_tokens: i64) -> i64 {
    let part = |tokens: i64, price: i64| tokens.saturating_mul(price) / 1_000_000;
    part(input_tokens, price.input_microusd_per_mtok) + part(output_tokens, price.output_microusd_per_mtok)
}

fn dollars(microusd: i64) -> String {
    format!("${}.{:04}", microusd / 1_000_000, microusd % 1_000_000 / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_may_only_lower_the_ceilings() {
        let operator = Ceilings { run_microusd: 100, day_microusd: 1_000, background_microusd: 500 };
        let settings = toolcrib_engine::policy::default_settings();
        let id = Id::from_u128(1);
        let mut workspace = WorkspaceRow::new(id, String::new(), None, settings, Ts::from_micros(0));
        assert_eq!(operator.of(&workspace), operator);
        workspace.assistant_run_microusd = Some(50);
        workspace.assistant_day_microusd = Some(5_000);
        assert_eq!(operator.of(&workspace), Ceilings { run_microusd: 50, ..operator });
    }

    #[test]
    fn dollars_have_four_places() {
        assert_eq!(dollars(1_000_000), "$1.0000");
        assert_eq!(dollars(12_345_678), "$12.3456");
    }
}
