//! Checks a mission's budget.

use toolcrib_engine::prelude::*;
use toolcrib_store::{llm_usage, missions};

pub struct CheckBudget;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID of the mission.
    pub mission: Id,
}

/// Use of one limit.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Use {
    /// Amount used.
    pub spent: i64,
    /// Maximum amount; null without a limit.
    pub limit: Option<i64>,
    /// Used amount in percent of the limit, rounded down; null if the limit is 0 or absent.
    pub percent: Option<i64>,
    /// State: `ok`, `warning` or `exceeded`.
    #[schemars(extend("x-ours" = true))]
    pub state: &'static str,
}

/// Result of `platform_check_budget`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// ID of the mission.
    pub mission_id: Id,
    /// Worse state of the two limits: `ok`, `warning` or `exceeded`.
    #[schemars(extend("x-ours" = true))]
    pub state: &'static str,
    /// Cost in millionths of a US dollar.
    pub cost_microusd: Use,
    /// Input and output tokens together.
    pub tokens: Use,
    /// Percent of a limit from which the state is `warning`.
    pub alert_at_percent: i64,
    /// Number of counted model calls; 0 if none was reported yet.
    pub samples: i64,
}

impl ReadAction for CheckBudget {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_check_budget", Category::Governance, Permission::GOVERNANCE_READ)
            .describe(
                "Check what a mission has spent of its budget, in cost and tokens: ok, warning or exceeded.",
            )
            .tags(&["budget", "spend", "cost", "mission", "limit"])
            .examples(&["Is that mission still within its budget?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let mission = missions::get(cx.tx, input.mission).await?.ok_or_else(|| {
            ActionError::not_found("mission", &input.mission.to_string())
                .hint("list missions with `platform_list_missions`")
        })?;
        let spent = llm_usage::of_mission(cx.tx, mission.id).await?;
        let alert = mission.alert_at_percent;
        let tokens = spent.input_tokens.saturating_add(spent.output_tokens);
        let cost_microusd = measure(spent.cost_microusd, mission.max_cost_microusd, alert);
        let tokens = measure(tokens, mission.max_tokens, alert);
        let states = [cost_microusd.state, tokens.state];
        let state = ["exceeded", "warning"].into_iter().find(|worse| states.contains(worse)).unwrap_or("ok");
        let samples = spent.samples;
        Ok(Output { mission_id: mission.id, state, cost_microusd, tokens, alert_at_percent: alert, samples })
    }

    fn describe(_: &Input, output: &Output) -> String {
        match output.state {
            "exceeded" => "The mission has exceeded its budget".to_owned(),
            "warning" => "The mission has used most of its budget".to_owned(),
            _ => "The mission is within its budget".to_owned(),
        }
    }
}

/// Compares spend with a limit. The state is `exceeded` above the limit, and `warning` from `alert` percent
/// of the limit.
fn measure(spent: i64, limit: Option<i64>, alert: i64) -> Use {
    let Some(most) = limit else { return Use { spent, limit, percent: None, state: "ok" } };
    let share = i128::from(spent) * 100;
    let state = if spent > most {
        "exceeded"
    } else if share >= i128::from(most) * i128::from(alert) && spent > 0 {
        "warning"
    } else {
        "ok"
    };
    let percent = share.checked_div(i128::from(most)).and_then(|percent| i64::try_from(percent).ok());
    Use { spent, limit, percent, state }
}

#[cfg(test)]
mod tests {
    use super::measure;

    #[test]
    fn a_budget_warns_from_its_share_on_and_is_exceeded_above_its_limit() {
        let got = |spent, limit| {
            let of = measure(spent, limit, 80);
            (of.state, of.percent)
        };
        assert_eq!(got(799, Some(1000)), ("ok", Some(79)));
        assert_eq!(got(800, Some(1000)), ("warning", Some(80)));
        assert_eq!(got(1000, Some(1000)), ("warning", Some(100)));
        assert_eq!(got(1001, Some(1000)), ("exceeded", Some(100)));
        assert_eq!(got(0, Some(0)), ("ok", None));
        assert_eq!(got(1, Some(0)), ("exceeded", None));
        assert_eq!(got(i64::MAX, None), ("ok", None));
        assert_eq!(got(i64::MAX, Some(1)).0, "exceeded");
    }
}
