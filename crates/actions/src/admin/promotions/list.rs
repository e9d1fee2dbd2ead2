//! Lists the promoted actions of all caller types and agents.

use std::sync::Arc;

use toolcrib_engine::{prelude::*, promotions::UNATTENDED_CALLER_TYPES};
use toolcrib_store::agents;

use super::view::{Named, PromotionView, stored};
use crate::shared::NoArguments;

pub struct ListPromotions;

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Caller types and agents that differ from the default.
    pub items: Vec<PromotionView>,
    /// Promoted actions of everybody else, in the order of the catalogue.
    pub usual: Vec<Arc<str>>,
}

impl ReadAction for ListPromotions {
    type Input = NoArguments;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("promotions.list", Level::Read, Permission::AGENTS_MANAGE)
            .describe("List the caller types and agents whose promoted actions differ from the default.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &NoArguments) -> Result<Output, ActionError> {
        let all = stored(cx.tx).await?;
        let rules = cx.tools.catalog.rules();
        let differs = |name: &&String| {
            UNATTENDED_CALLER_TYPES.contains(&name.as_str()) || all.caller_types.contains_key(*name)
        };
        let mut named: Vec<Named> =
            rules.caller_types.iter().filter(differs).cloned().map(Named::Type).collect();
        for id in all.agents.keys().filter_map(|key| Id::try_parse(key).ok()) {
            // Promotions of deleted agents have no effect.
            if let Some(row) = agents::get(cx.tx, id).await? {
                named.push(Named::Agent(row.id, row.name));
            }
        }
        let registry = cx.tools.catalog.registry();
        let items = named.iter().map(|one| one.view(&all, registry)).collect();
        let usual =
            registry.tools().filter(|meta| meta.spec.promoted).map(|meta| meta.spec.name.clone()).collect();
        Ok(Output { items, usual })
    }

    fn describe(_: &NoArguments, output: &Output) -> String {
        format!("Found {} of promoted actions beside the default", count(output.items.len(), "list"))
    }
}
