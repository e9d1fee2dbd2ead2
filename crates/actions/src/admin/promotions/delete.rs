//! Restores the default promotions of a caller type or an agent.

use toolcrib_engine::prelude::*;
use toolcrib_store::workspaces;

use super::view::{Named, PromotionView, stored};
use crate::admin::guard;

pub struct DeletePromotions;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A caller type, or an agent's id or name.
    pub caller: String,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// What holds now.
    #[serde(flatten)]
    pub now: PromotionView,
    /// Always `true`.
    pub deleted: bool,
}

impl WriteAction for DeletePromotions {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("promotions.delete", Level::Write, Permission::AGENTS_MANAGE)
            .deletes()
            .describe("Restore the default promotions of a caller type or an agent.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let named = Named::find(cx, &input.caller).await?;
        if named.entry(&stored(cx.tx).await?).is_none() {
            return Err(ActionError::not_found("promotion", &input.caller));
        }
        Ok(Target { label: named.label(), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        guard::lock(cx).await?;
        let named = Named::find(&mut cx.reading(), &input.caller).await?;
        let mut all = stored(cx.tx).await?;
        if named.entry(&all).is_none() {
            return Err(ActionError::not_found("promotion", &input.caller));
        }
        named.set(&mut all, None);
        workspaces::set_promotions(cx.tx, all.write().as_deref(), cx.now).await?;
        let now = named.view(&all, cx.tools.catalog.registry());
        cx.emit(
            "promotions.updated",
            "agents:manage",
            json!({ "caller": now.caller, "actions": now.actions }),
        );
        Ok(Output { now, deleted: true })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("`{}` has the usual promotions again", output.now.caller)
    }
}
