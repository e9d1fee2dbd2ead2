//! Lists the workspace's blueprints.

use toolcrib_engine::prelude::*;
use toolcrib_store::blueprints::{self, AgentFacts};

use super::view::BlueprintView;
use crate::shared::{
    blueprint::{Rules, SPENDING_DAYS},
    page,
};

pub struct ListBlueprints;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// A blueprint with its compliance.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// The blueprint.
    #[serde(flatten)]
    pub blueprint: BlueprintView,
    /// Number of agents that comply with all rules.
    pub agents_passing: usize,
    /// Number of agents in the workspace.
    pub agents_total: usize,
}

/// Counts the agents that comply with all rules: the groups that do, without those of their agents that spent too much.
fn passing(rules: &Rules, groups: &[AgentFacts], spenders: &[AgentFacts]) -> usize {
    let complies = |agent: &AgentFacts| rules.evaluate(agent).iter().all(|verdict| verdict.passed);
    let too_much = |agent: &&AgentFacts| {
        !complies(agent) && complies(&AgentFacts { spent_microusd: 0, ..(*agent).clone() })
    };
    let complying: i64 = groups.iter().filter(|group| complies(group)).map(|group| group.agents).sum();
    number(complying - spenders.iter().filter(too_much).map(|agent| agent.agents).sum::<i64>())
}

fn number(agents: i64) -> usize {
    usize::try_from(agents).unwrap_or_default()
}

impl ReadAction for ListBlueprints {
    type Input = Input;
    type Output = Page<Item>;

    fn spec() -> Spec {
        Spec::read("platform_list_blueprints", Category::Governance, Permission::GOVERNANCE_READ)
            .describe(
                "List the blueprints (rules for agents) with the number of agents that comply and which is the default.",
            )
            .tags(&["blueprint", "rules", "policy", "compliance", "governance"])
            .examples(&["Which rules do our agents have to keep?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<Item>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let rows = blueprints::list(cx.tx, cursor, limit + 1).await?;
        let groups = blueprints::groups(cx.tx).await?;
        let page = Page::from_rows(rows, limit, |row| Cursor { at: row.created_at, id: row.id });
        let page = page.try_map(BlueprintView::new)?;
        let spenders = match page.items.iter().filter_map(|one| one.rules.max_budget_microusd).min() {
            Some(least) => blueprints::spenders(cx.tx, cx.now.plus_days(-SPENDING_DAYS), least).await?,
            None => Vec::new(),
        };
        let agents_total = number(groups.iter().map(|group| group.agents).sum());
        Ok(page.map(|blueprint| Item {
            agents_passing: passing(&blueprint.rules, &groups, &spenders),
            agents_total,
            blueprint,
        }))
    }

    fn describe(_: &Input, page: &Page<Item>) -> String {
        format!("Found {}", count(page.items.len(), "blueprint"))
    }
}
